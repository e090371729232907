"""What a batch of records came to in the graph, as the product itself would write it."""

from typing import TypeVar

from bench.plain_writes import Rows
from lineage.graph.scope import scope_of
from lineage.graph.state import read_edges, read_nodes
from lineage.graph.writes.merge_edges import EdgeRow
from lineage.graph.writes.merge_nodes import NodeRow
from lineage.models import Node, Sighting
from lineage.types import JsonValue

_NO_LIMIT = 1_000_000
_Row = TypeVar("_Row", NodeRow, EdgeRow)


def last_ids() -> tuple[int, int]:
    """The last node and the last sighting that are there now."""
    node = Node.objects.order_by("-pk").values_list("pk", flat=True).first()
    sighting = Sighting.objects.order_by("-pk").values_list("pk", flat=True).first()
    return node or 0, sighting or 0


def rows_since(workspace_id: int, last: tuple[int, int]) -> Rows:
    """The nodes that have come or of which something new was said since `last_ids()`, and the edges of new ones.

    Whoever writes plainly what events say merges the tables that they describe again, too. Edges
    of what was there before are few, and left out.
    """
    scope = scope_of(workspace_id)
    nodes_here = Node.objects.filter(workspace_id=workspace_id)
    new = list(nodes_here.filter(pk__gt=last[0]).order_by("pk").values_list("pk", flat=True))
    again = nodes_here.filter(pk__lte=last[0], sightings__pk__gt=last[1])
    ids = [*new, *again.order_by("pk").values_list("pk", flat=True).distinct()]
    common: dict[str, JsonValue] = {"workspace": scope.code, "batch": 1}
    states = read_nodes(scope, ids)
    nodes = [_with(state.row, common) for state in states]
    made = set(new)
    uids = {state.id: state.row.uid for state in states if state.id in made}
    edges, _ = read_edges(scope, uids, after=None, limit=_NO_LIMIT)
    return Rows(nodes, [_with(edge, {"batch": 1}) for edge in edges])


def _with(row: _Row, common: dict[str, JsonValue]) -> _Row:
    """The row with what the product's statements add to the properties of each."""
    return row._replace(properties={**row.properties, **common})
