"""What a batch of records came to in the graph, as the product itself would write it."""

from typing import TypeVar

from bench.plain_writes import Rows
from lineage.graph.scope import scope_of
from lineage.graph.state import read_edges, read_nodes
from lineage.graph.writes.merge_edges import EdgeRow
from lineage.graph.writes.merge_nodes import NodeRow
from lineage.models import Node, Reference
from lineage.types import JsonValue

_NO_LIMIT = 1_000_000
_Row = TypeVar("_Row", NodeRow, EdgeRow)


def last_ids() -> tuple[int, int]:
    """The last node and the last reference that are there now."""
    node = Node.objects.order_by("-pk").values_list("pk", flat=True).first()
    reference = Reference.objects.order_by("-pk").values_list("pk", flat=True).first()
    return node or 0, reference or 0


def rows_since(workspace_id: int, last: tuple[int, int]) -> Rows:
    """The nodes and edges that have come since `last_ids()`.

    A batch of the stream names nothing but itself and what came before, so that its edges
    all leave its own nodes.
    """
    scope = scope_of(workspace_id)
    ids = list(
        Node.objects.filter(workspace_id=workspace_id, pk__gt=last[0])
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    common: dict[str, JsonValue] = {"workspace": scope.code, "batch": 1}
    states = read_nodes(scope, ids)
    nodes = [_with(state.row, common) for state in states]
    uids = {state.id: state.row.uid for state in states}
    edges, _ = read_edges(scope, uids, after=None, limit=_NO_LIMIT)
    return Rows(nodes, [_with(edge, {"batch": 1}) for edge in edges])


def _with(row: _Row, common: dict[str, JsonValue]) -> _Row:
    """The row with what the product's statements add to the properties of each."""
    return row._replace(properties={**row.properties, **common})
