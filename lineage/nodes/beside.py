"""What stands beside the lineage and is not walked: inputs of runs, members of snapshots, revisions."""

from collections.abc import Collection
from typing import Final

from lineage.models import Reference
from lineage.types import EdgeView, Viewer
from lineage.vocabulary import Edge

_BESIDE: Final = (Edge.USED, Edge.HAD_MEMBER, Edge.WAS_REVISION_OF)
MOST_EDGES: Final = 20_000


def edges_beside(viewer: Viewer, uids: Collection[str]) -> tuple[list[EdgeView], bool]:
    """The edges of these types between these nodes, in order; True where there are more."""
    rows = (
        Reference.objects.filter(
            workspace_id=viewer.workspace_id,
            edge__in=_BESIDE,
            from_node__uid__in=uids,
            to_node__uid__in=uids,
        )
        .order_by("from_node__uid", "edge", "to_node__uid", "pk")
        .values_list("edge", "from_node__uid", "to_node__uid")
        .distinct()[: MOST_EDGES + 1]
    )
    found = [EdgeView(edge, start or "", end or "", {}) for edge, start, end in rows]
    return found[:MOST_EDGES], len(found) > MOST_EDGES


def inputs_of_runs(viewer: Viewer, uids: Collection[str], limit: int) -> tuple[list[str], bool]:
    """Uids of what the runs among these nodes used and is not among them; True where more."""
    if limit <= 0:
        return [], True
    rows = (
        Reference.objects.filter(
            workspace_id=viewer.workspace_id,
            edge=Edge.USED,
            from_node__uid__in=uids,
            to_node__isnull=False,
        )
        .exclude(to_node__uid__in=uids)
        .order_by("to_node__uid")
        .values_list("to_node__uid", flat=True)
        .distinct()[: limit + 1]
    )
    found = [uid for uid in rows if uid is not None]
    return found[:limit], len(found) > limit
