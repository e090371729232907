"""Writes nodes and their addresses: new ones, those that move, those whose uid another takes."""

from collections.abc import Mapping, Sequence

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from lineage import bulk_rows
from lineage.ingest.keys import PARKED, in_chunks
from lineage.ingest.node_rows import COLUMNS, Row
from lineage.models import Node, Sighting, UidAlias
from provexplorer.workspaces.models import Workspace

_EVERY_COLUMN = (
    "workspace_id", "kind", "namespace", "key", "address", "anywhere", "event_at", "recorded_at",
    *COLUMNS,
)  # fmt: skip


class Numbers:
    """Ids for the nodes of a request, reserved together: `likely` so many."""

    def __init__(self, likely: int) -> None:
        self._likely = likely
        self._reserved: list[int] = []

    def take(self, count: int) -> list[int]:
        """The next ids, ascending."""
        if len(self._reserved) < count:
            more = max(count - len(self._reserved), self._likely)
            self._reserved += bulk_rows.reserve(Node, more)
            self._likely = 0
        taken, self._reserved = self._reserved[:count], self._reserved[count:]
        return taken


def insert(kind: str, nodes: Sequence[Node], numbers: Numbers) -> None:
    """Write nodes that have no id yet, and tell them theirs.

    Nodes that own their texts, and versions that guard themselves, name themselves.
    """
    for node, pk in zip(nodes, numbers.take(len(nodes)), strict=True):
        node.pk = pk
        if node.owner_id is None:
            node.owner_id = pk
        if kind == "source_version":
            node.version_id = pk
    bulk_rows.insert(
        Node,
        ("pk", *_EVERY_COLUMN),
        [(node.pk, *(getattr(node, name) for name in _EVERY_COLUMN)) for node in nodes],
    )


def park(nodes: Sequence[Node]) -> None:
    """Free the uids of nodes that leave or move: another node may take them in the same request."""
    for chunk in in_chunks([node.pk for node in nodes]):
        Node.objects.filter(pk__in=chunk).update(uid=Concat(Value(PARKED), Cast("pk", CharField())))


def lead_on(workspace: Workspace, moved: Sequence[tuple[str, Node]]) -> None:
    """Former addresses lead on to their nodes, unless another node has one of them now."""
    for some in in_chunks([node.uid for _, node in moved]):
        UidAlias.objects.filter(uid__in=some).delete()
    for pairs in in_chunks(moved):
        held = Node.objects.filter(uid__in=[old_uid for old_uid, _ in pairs])
        taken = set(held.values_list("uid", flat=True))
        UidAlias.objects.bulk_create(
            [
                UidAlias(uid=old_uid, workspace=workspace, node=node)
                for old_uid, node in pairs
                if old_uid not in taken
            ],
            update_conflicts=True,
            update_fields=["workspace", "node"],
            unique_fields=["uid"],
        )


def assign(rows: Sequence[Row], unwritten: Mapping[int, Sighting]) -> None:
    """Tell each sighting which node it belongs to; those that are not written yet, by id, in memory."""
    pairs = []
    for row in rows:
        for seen in row.group.seen:
            if seen.sighting_id in unwritten:
                unwritten[seen.sighting_id].node_id = row.node.pk
            elif seen.node_id != row.node.pk:
                pairs.append((row.node.pk, seen.sighting_id))
    bulk_rows.update(Sighting, ["node_id"], pairs)
