"""What the relational store says now of some nodes and the edges that leave them, in graph form."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

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


@dataclass(frozen=True, slots=True)
class NodeState:
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
    marks = GraphDirty.objects.filter(workspace_id=scope.workspace_id, node_id__in=node_ids)
    if not marks.update(version=mark):
        return []
    claimed = marks.filter(version=mark).order_by("node_id")
    return list(claimed.values_list("node_id", flat=True))


def clear(scope: Scope, node_ids: Collection[int], *, mark: int) -> None:
    """Take these nodes off the list of those behind, unless they have changed since the claim."""
    GraphDirty.objects.filter(
        workspace_id=scope.workspace_id, version=mark, node_id__in=node_ids
    ).delete()


def read_nodes(scope: Scope, node_ids: Collection[int], *, batch: int) -> list[NodeState]:
    """The nodes, in the order of kind and uid; those that are gone are missing."""
    nodes = Node.objects.filter(workspace_id=scope.workspace_id, id__in=node_ids).only(
        "id", "kind", "uid", "digest", "resolved", "provisional", "occurred_at", "recorded_at",
        "start", "end", "fields",
    )  # fmt: skip
    return [
        NodeState(node.pk, NodeRow(node.kind, node.uid, _of_node(scope, node, batch)))
        for node in nodes.order_by("kind", "uid")
    ]


def _of_node(scope: Scope, node: Node, batch: int) -> dict[str, JsonValue]:
    common = {
        "uid": node.uid,
        "workspace": scope.code,
        "resolved": node.resolved,
        "provisional": node.provisional,
        "occurred_at": node.occurred_at,
        "recorded_at": node.recorded_at,
        "digest": keyed_hash(scope.hash_key, "digest", node.digest) if node.digest else None,
        "start": node.start,
        "end": node.end,
        "batch": batch,
    }
    return node_properties(node.kind, {**node.fields, **common})


def former_uids(scope: Scope, node_ids: Collection[int]) -> Former:
    """What the uids of these nodes were before, or those of placeholders that became them.

    Each uid that a node ever had leads on to it, or names another now: that one is spared.
    """
    pairs = list(
        UidAlias.objects.filter(workspace_id=scope.workspace_id, node_id__in=node_ids)
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
    scope: Scope, uids: Mapping[int, str], *, batch: int, after: Cursor | None, limit: int
) -> tuple[list[EdgeRow], Cursor | None]:
    """A page of the edges that leave these nodes, and after which pair the next page starts.

    `uids` are those that the nodes are written under, by id. None: there is no next page.
    About `limit` references are read; all those between two nodes stay on one page,
    because they may make one edge.
    """
    references = (
        Reference.objects.filter(
            workspace_id=scope.workspace_id, from_node_id__in=uids, to_node_id__isnull=False
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
    return distinct_edges((_Stated(uids[row[0]], *row[2:]) for row in rows), batch=batch), following


_REFERENCE: Final = (
    "edge", "from_node__kind", "to_node__kind", "to_node__uid", "relation", "ordinal", "properties",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Stated:
    """A reference: the uid it leaves, and what was read of it in the order of _REFERENCE."""

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


def distinct_edges(references: Iterable[_Stated], *, batch: int) -> list[EdgeRow]:
    """One edge for each (from, type, to, role), whatever the order in which the references came."""
    best: dict[tuple[str, str, str, str], _Stated] = {}
    for reference in references:
        role = _role(reference)
        key = (reference.edge, reference.from_uid, reference.to_uid, role)
        if key not in best or reference.rank < best[key].rank:
            best[key] = reference
    return [_edge_row(key[3], best[key], batch) for key in sorted(best)]


def _role(reference: _Stated) -> str:
    if Edge(reference.edge) not in ROLE_EDGES:
        return ""
    return str(_allowed(reference).get("role", ""))


def _allowed(reference: _Stated) -> dict[str, JsonValue]:
    values = dict(reference.properties)
    if reference.computed:
        values["computed"] = True
    return edge_properties(Edge(reference.edge), values)


def _edge_row(role: str, reference: _Stated, batch: int) -> EdgeRow:
    edge = Edge(reference.edge)
    properties = {**_allowed(reference), "batch": batch}
    if edge in ROLE_EDGES:
        properties["role"] = role
    return EdgeRow(
        edge=edge,
        from_kind=reference.from_kind,
        from_uid=reference.from_uid,
        to_kind=reference.to_kind,
        to_uid=reference.to_uid,
        role=role,
        properties=properties,
    )
