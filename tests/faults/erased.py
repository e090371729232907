"""What an erasure takes, as the records alone say it, and that nothing of it is left anywhere.

The records of a world tell what was erased as they tell all else: an erasure takes texts, digests
and names, and leaves shapes and edges. So states, effects and edges are found as for other cases;
here stands what goes, what is refused afterwards, and where neither may be found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connections

from lineage.content.passages import texts_of
from lineage.content.tombstones import MASK
from lineage.inbox.keeping import body_of
from lineage.models import ErasedNode, Erasure, InboxPayload, Node
from provexplorer.workspaces.models import Workspace
from tests.impact.recorded import PLACE, Name, Record, Recorded
from tests.impact.recorded_impact import reached_from

# Kinds whose text is that of a source.
OF_A_SOURCE: Final = (
    "source", "source_version", "acquisition", "document", "part", "chunk", "fact", "embedding",
)  # fmt: skip

Keyed = set[tuple[str, str]]
"""Nodes by kind and key."""


def taken(world: Recorded, targets: Iterable[tuple[str, str]]) -> Keyed:
    """What an erasure of these takes: themselves and all of a source that was made of them."""
    wanted = set(targets)
    named = [one for one in world.nodes if (one.kind, one.key) in wanted]
    found: set[Name] = {*named}.union(*(reached_from(world, one).nodes for one in named))
    return {(one.kind, one.key) for one in found if one.kind in OF_A_SOURCE and one.at != ""}


@dataclass(slots=True)
class Grave:
    """What an erasure has taken, and what is refused for its sake from then on.

    `cut`: texts that held as a whole what was taken, of documents that stay: that of a passage, and
    of the version with the same words. `barred`: what was refused and has not come otherwise since.
    """

    taken: Keyed
    cut: set[str]
    barred: Keyed = field(default_factory=set)

    @classmethod
    def dug(cls, records: Sequence[Record], targets: Iterable[tuple[str, str]]) -> "Grave":
        """For these targets, at this moment."""
        gone = taken(Recorded(records), targets)
        held = {("document", one["document"]) for one in records
                if one["kind"] in ("chunk", "part") and (one["kind"], one["key"]) in gone}  # fmt: skip
        living = held - gone
        return cls(gone, {one["text"] for one in records if (one["kind"], one["key"]) in living})

    def refuses(self, record: Record) -> bool:
        """Whether a record is refused: by its key, by its place, or by what it says."""
        kind, key = record["kind"], record["key"]
        if kind not in OF_A_SOURCE:
            return False
        place = (PLACE.get(kind, ""), record.get(PLACE.get(kind, ""), ""))
        by_key = (kind, key) in self.taken or place in self.taken | self.barred
        return by_key or record.get("text") in self.cut


def assert_gone(workspace: Workspace, case_uid: str, expected: Keyed) -> None:
    """Exactly these are tombstones, every place is cleared, and no key opens a text of them."""
    assert Erasure.objects.get(case__uid=case_uid).state == Erasure.State.DONE
    buried = ErasedNode.objects.filter(erasure__case__uid=case_uid, node__isnull=False)
    nodes = list(Node.objects.filter(pk__in=buried.values("node_id")).select_related("workspace"))
    assert {one.workspace_id for one in nodes} <= {workspace.pk}
    # Where what describes it has gone as well there is no key to tell them by.
    assert {(one.kind, one.key) for one in nodes if one.key} <= expected
    assert sorted(one.kind for one in nodes) == sorted(kind for kind, _ in expected)
    # Of a passage its place in the document is left, which says how long it was.
    assert set().union(*texts_of(nodes).values()) <= {MASK}


def left_of(word: str, workspace: Workspace) -> list[str]:
    """I4 within a process: tables that have the word in clear, texts and payloads that a key opens with it.

    Of files: `invariants.places_of`. Empty where nothing is left.
    """
    found = sorted({table for table, row in _rows() if word in row})
    nodes = list(Node.objects.filter(workspace=workspace).order_by("pk"))
    found += [f"{one.kind} {one.key}" for one in nodes if _told(word, one)]
    payloads = InboxPayload.objects.filter(workspace=workspace).order_by("pk")
    bodies = {one.uid: body_of(workspace, one.pk) for one in payloads}
    return found + [uid for uid, body in bodies.items() if body and word.encode() in body]


def _told(word: str, node: Node) -> bool:
    return any(word in text for text in texts_of([node]).values())


def _rows() -> Iterator[tuple[str, str]]:
    """Every row of both databases as it stands there, with its table."""
    for alias in connections:
        connection = connections[alias]
        with connection.cursor() as cursor:
            for table in connection.introspection.table_names(cursor):
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
                for row in cursor.fetchall():
                    yield table, " ".join(map(_written, row))


def _written(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    return str(value)


def told(workspace: Workspace) -> Mapping[str, Any]:
    """What must not change when an erasure that is done is asked for again."""
    erasures = Erasure.objects.filter(workspace=workspace).order_by("pk")
    places = erasures.order_by("pk", "places__ordinal")
    return {
        "erasures": list(erasures.values("pk", "state", "done_at", "destroyed_at", "lifted_at")),
        "places": list(
            places.values_list("pk", "places__name", "places__state", "places__cleared")
        ),
        "buried": list(ErasedNode.objects.filter(workspace=workspace).order_by("pk").values()),
    }
