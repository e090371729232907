"""A key that is gone on with comes to what all its sightings together come to."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lineage.identifiers import text_digest
from lineage.ingest.going_on import goes_on
from lineage.ingest.revisions import REFS, RefRow, Seen, gone_on_with, merge
from lineage.models import Node, Reference, Sighting
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record, send, standing_graph

NOON: Final = datetime(2026, 5, 3, 12, tzinfo=UTC)


def node(hours: int | None, *, digest: str = "", resolved: bool = True) -> Node:
    at = None if hours is None else NOON + timedelta(hours=hours)
    return Node(occurred_at=at, digest=digest, resolved=resolved)


def seen(hours: int | None, digest: str = "") -> Sighting:
    at = None if hours is None else NOON + timedelta(hours=hours)
    return Sighting(occurred_at=at, content_digest=digest)


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("kind", "nodes", "added", "expected"),
    [
        ("source", [node(1)], [seen(2)], True),
        ("source", [node(None)], [seen(2), seen(3)], True),
        ("source", [], [seen(2)], False),
        ("source", [node(1, resolved=False)], [seen(2)], False),
        ("source", [node(2)], [seen(2)], False),
        ("source", [node(2)], [seen(3), seen(1)], False),
        ("source", [node(1)], [seen(None)], False),
        ("source_version", [node(1, digest="a"), node(2, digest="b")], [seen(3)], True),
        ("source_version", [node(2, digest="a"), node(2, digest="b")], [seen(3)], False),
        ("source_version", [node(1, digest="a"), node(2)], [seen(3)], False),
        ("source_version", [node(1)], [seen(3)], True),
        ("source_version", [node(1)], [seen(3, "c")], False),
        ("source_version", [node(1, digest="erased:x")], [seen(3)], False),
    ],
)
def test_what_can_be_gone_on_with(
    kind: str, nodes: list[Node], added: list[Sighting], expected: bool
) -> None:
    assert goes_on(kind, nodes, added) is expected


refs: Final = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=2, unique=True)
        for name in ("used", "component", "engine")
    },
)


@pytest.mark.engine_free
@given(said=st.lists(refs, min_size=2, max_size=5), data=st.data())
def test_references_of_what_is_gone_on_with(said: list[Any], data: st.DataObject) -> None:
    sightings = [
        Seen(
            sighting_id=number,
            occurred_at=NOON + timedelta(hours=number),
            record_digest="",
            digest="",
            parent_id=None,
            fields={
                REFS: {
                    name: [_row(name, key, place) for place, key in enumerate(keys)]
                    for name, keys in fields.items()
                }
            },
            attributes={},
            flags=(),
        )
        for number, fields in enumerate(said)
    ]
    cut = data.draw(st.integers(1, len(sightings) - 1))
    before, added = merge("run", sightings[:cut]), merge("run", sightings[cut:])
    assert gone_on_with("run", before.refs, added.refs) == list(merge("run", sightings).refs)


def _row(relation: str, key: str, ordinal: int) -> RefRow:
    return {
        "relation": relation, "kind": "component", "namespace": "", "key": key, "address": key,
        "anywhere": "", "digest": "", "uid": "", "ordinal": ordinal, "pointer": "", "properties": {},
    }  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records of few keys, each later than the one before it: what they say comes, changes and adds up."""

    def pick(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(3, 9))):
        said = pick(
            record("source", "s", title=pick("A", "B"), at=None),
            record("source", "s", title="C", **pick(
                {}, {"creators": [{"name": "N"}]}, {"creators": [{"agent": "g", "role": "editor"}]},
                {"doi": "10.1/x", "attributes": {pick("p", "q"): number}},
                {"derived_from": [{"kind": "source", "key": pick("t", "u")}]})),
            record("source_version", "v", source=pick("s", "s", "t"), **pick(
                {}, {"digest": text_digest(pick("a", "b"))}, {"license": "CC0-1.0"}, {"run": "r"},
                {"digest": text_digest(pick("a", "b")), "run": "r", "attributes": {"n": number}},
                {"derived_from": [{"kind": "source_version", "key": "w"}]})),
            record("run", "r", run_kind=pick("parse", "chunk"), **pick(
                {}, {"component": "c"}, {"used": [{"kind": "source_version", "key": pick("v", "w")}]})),
            record("component", "c", component_kind="parser", name="P", version=pick("1", "2"),
                   **pick({}, {}, {"config": {"x": pick(1, 2)}})),
            record("document", "d", source_version="v", text=pick("One.", "Two.")),
        )  # fmt: skip
        at = NOON + timedelta(hours=draw(st.integers(0, 1)) + 2 * number)
        timed = {} if said["kind"] == "source" and "occurred_at" not in said else {
            "occurred_at": at.isoformat()
        }  # fmt: skip
        found.append({**said, **timed})
    return found


@pytest.mark.django_db(databases=["default", "keys"])
@given(history=histories())
@settings(
    max_examples=max(6, settings().max_examples // 2),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_one_by_one_is_as_all_at_once(db: None, history: list[dict[str, Any]]) -> None:
    assert _standing(history, 1) == _standing(history, len(history))


def _standing(history: list[dict[str, Any]], together: int) -> Any:
    """What stands after the records were sent so many at a time."""
    workspace = Workspace.objects.create(slug="w", name="w", uid_key="5e" * 32)
    for start in range(0, len(history), together):
        send(workspace, history[start : start + together])
    references = sorted(
        (
            row.holder.uid, row.relation, row.ordinal, row.pointer, row.kind, row.address,
            row.digest, str(row.event_at), row.status, repr(row.properties),
        )
        for row in Reference.objects.filter(workspace=workspace).select_related("holder")
    )  # fmt: skip
    found = (standing_graph(workspace), references)
    # The next has the same key on purpose, so that this one must be gone before it.
    Node.objects.all().delete()
    Workspace.objects.all().delete()
    return found
