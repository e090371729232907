"""What the relational store says now of some nodes and the edges that leave them, in graph form."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet

from lineage.compiled import by_their_ids
from lineage.graph.properties import edge_properties, node_properties
from lineage.graph.scope import Scope
from lineage.graph.writes.merge_edges import EdgeRow
from lineage.graph.writes.merge_nodes import NodeRow
from lineage.identifiers import keyed_hash
from lineage.models import GraphDirty, Node, Reference, UidAlias
from lineage.types import JsonValue
from lineage.vocabulary import EDGE_PROPERTIES, Edge

# Types of which two nodes may have several edges, told apart by role.
ROLE_EDGES: Final = frozenset(edge for edge, names in EDGE_PROPERTIES.items() if "role" in names)

# From which pair of nodes (ids) the next page of references goes on.
Cursor = tuple[int, int]


class NodeState(NamedTuple):
    """A node as it is now."""

    id: int
    row: NodeRow


@dataclass(frozen=True, slots=True)
class Former:
    """Uids under which the graph may hold nodes by mistake, and the ids of these nodes."""

    uids: list[str]
    of_nodes: list[int]


def claim(scope: Scope, node_ids: Collection[int], *, mark: int) -> list[int]:
    """Put `mark`, a number never used before, on those of these nodes that are behind; gives their ids.

    What is read of them from now on includes every change marked so far. Whoever marks or
    claims them later takes the mark away, and is then the one to clear theirs.
    """
    marks = marks_of(scope, node_ids)
    if not marks.update(version=mark):
        return []
    claimed = marks.filter(version=mark).order_by("node_id")
    return list(claimed.values_list("node_id", flat=True))


def clear(scope: Scope, node_ids: Collection[int], *, mark: int) -> None:
    """Take these nodes off the list of those behind, unless they have changed since the claim."""
    marks_of(scope, node_ids).filter(version=mark).delete()


def marks_of(scope: Scope, node_ids: Collection[int]) -> QuerySet[GraphDirty]:
    """Those of these nodes that are on the list of those behind."""
    return by_their_ids(GraphDirty.objects.filter(node_id__in=node_ids), scope.workspace_id)


class _Columns(NamedTuple):
    """What of a node's row goes into the graph."""

    id: int
    kind: str
    uid: str
    digest: str
    resolved: bool
    provisional: bool
    occurred_at: datetime | None
    recorded_at: datetime
    start: int | None
    end: int | None
    fields: Mapping[str, JsonValue]


_columns_of: Final = attrgetter(*_Columns._fields)


def read_nodes(scope: Scope, node_ids: Collection[int]) -> list[NodeState]:
    """The nodes, in the order of kind and uid; those that are gone are missing."""
    nodes = by_their_ids(Node.objects.filter(id__in=node_ids), scope.workspace_id)
    rows = nodes.order_by("kind", "uid").values_list(*_Columns._fields)
    return [_state(scope, _Columns(*row)) for row in rows]


def state_of(scope: Scope, node: Node) -> NodeState:
    """The state of a node that is in memory as it stands in the store."""
    return _state(scope, _Columns(*_columns_of(node)))


def _state(scope: Scope, node: _Columns) -> NodeState:
    digest = keyed_hash(scope.hash_key, "digest", node.digest) if node.digest else None
    # Our own columns, whatever a client may have called a field.
    values = {**node.fields, **node._asdict(), "digest": digest}
    return NodeState(node.id, NodeRow(node.kind, node.uid, node_properties(node.kind, values)))


def former_uids(scope: Scope, node_ids: Collection[int]) -> Former:
    """What the uids of these nodes were before, or those of placeholders that became them.

    Each uid that a node ever had leads on to it, or names another now: that one is spared.
    """
    pairs = list(
        by_their_ids(UidAlias.objects.filter(node_id__in=node_ids), scope.workspace_id)
        .order_by("uid")
        .values_list("uid", "node_id")
    )
    if not pairs:
        return Former([], [])
    uids = {uid for uid, _ in pairs}
    return Former(sorted(uids - live_uids(scope, uids)), sorted({node for _, node in pairs}))


def live_uids(scope: Scope, uids: Collection[str]) -> set[str]:
    """Those of the uids that name a node of the workspace now."""
    nodes = Node.objects.filter(workspace_id=scope.workspace_id, uid__in=uids).order_by("uid")
    return set(nodes.values_list("uid", flat=True))


def read_edges(
    scope: Scope, uids: Mapping[int, str], *, after: Cursor | None, limit: int
) -> tuple[list[EdgeRow], Cursor | None]:
    """A page of the edges that leave these nodes, and after which pair the next page starts.

    `uids` are those that the nodes are written under, by id. None: there is no next page.
    About `limit` references are read; all those between two nodes stay on one page,
    because they may make one edge.
    """
    references = (
        by_their_ids(
            Reference.objects.filter(from_node_id__in=uids, to_node_id__isnull=False),
            scope.workspace_id,
        )
        .exclude(edge="")
        .order_by("from_node_id", "to_node_id", "id")
        .values_list("from_node_id", "to_node_id", *_REFERENCE)
    )
    page = references
    if after:
        same, beyond = (
            Q(from_node_id=after[0], to_node_id__gt=after[1]),
            Q(from_node_id__gt=after[0]),
        )
        page = page.filter(same | beyond)
    rows = list(page[: limit + 1])
    following = None
    if len(rows) > limit:
        cut = rows[-1][:2]
        rows = [row for row in rows if row[:2] != cut] or list(
            references.filter(from_node_id=cut[0], to_node_id=cut[1])
        )
        following = rows[-1][:2]
    return distinct_edges(Stated(uids[row[0]], *row[2:]) for row in rows), following


_REFERENCE: Final = (
    "edge", "from_node__kind", "to_node__kind", "to_node__uid", "relation", "ordinal", "properties",
)  # fmt: skip


class Stated(NamedTuple):
    """A reference that makes an edge: the uid it leaves, and the rest in the order of _REFERENCE."""

    from_uid: str
    edge: str
    from_kind: str
    to_kind: str
    to_uid: str
    relation: str
    ordinal: int
    properties: Mapping[str, JsonValue]

    @property
    def computed(self) -> bool:
        return self.relation.startswith("computed")

    @property
    def rank(self) -> tuple[bool, int, str, str]:
        """Which of several references makes the edge: stated before computed, then the first in its list."""
        return (
            self.computed,
            self.ordinal,
            self.relation,
            json.dumps(self.properties, sort_keys=True, default=str),
        )


def distinct_edges(references: Iterable[Stated]) -> list[EdgeRow]:
    """One edge for each (from, type, to, role), whatever the order in which the references came."""
    best: dict[tuple[str, str, str, str], tuple[Stated, EdgeRow]] = {}
    for reference in references:
        row = _edge_row(reference)
        key = (reference.edge, row.from_uid, row.to_uid, row.role)
        if key not in best or reference.rank < best[key][0].rank:
            best[key] = (reference, row)
    return [best[key][1] for key in sorted(best)]


def _edge_row(reference: Stated) -> EdgeRow:
    edge = _EDGES[reference.edge]
    values = reference.properties
    if reference.computed:
        values = {**values, "computed": True}
    properties = edge_properties(edge, values) if values else {}
    role = ""
    if edge in ROLE_EDGES:
        role = properties["role"] = str(properties.get("role", ""))
    return EdgeRow(
        edge,
        reference.from_kind,
        reference.from_uid,
        reference.to_kind,
        reference.to_uid,
        role,
        properties,
    )


_EDGES: Final = {edge.value: edge for edge in Edge}
