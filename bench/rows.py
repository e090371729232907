"""What a batch of records came to in the graph, as the product itself would write it."""

from bench.plain_writes import Rows
from lineage.graph.scope import scope_of
from lineage.graph.state import read_edges, read_nodes
from lineage.models import Node, Reference

_NO_LIMIT = 1_000_000


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
    nodes = [state.row for state in read_nodes(scope, ids, batch=1)]
    edges, _ = read_edges(scope, ids, batch=1, after=None, limit=_NO_LIMIT)
    return Rows(nodes, edges)
