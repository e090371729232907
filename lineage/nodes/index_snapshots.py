"""The latest builds of indexes, with what rests on each."""

from dataclasses import dataclass
from typing import Final

from lineage.models import Node
from lineage.nodes.component_figures import figures_of
from lineage.nodes.counting import AtLeast
from lineage.nodes.paging import newest_first
from lineage.nodes.view import views
from lineage.types import NodeView, Viewer

MOST_LATEST: Final = 10


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """A snapshot with the number of answers that rest on it, counted up to a bound."""

    node: NodeView
    answers: AtLeast


def latest_snapshots(viewer: Viewer, *, limit: int = MOST_LATEST) -> tuple[SnapshotRow, ...]:
    """The newest index snapshots of the workspace, unknown times last."""
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, kind="index_snapshot")
    found = list(rows.order_by(*newest_first())[:limit])
    figures = figures_of(viewer, [node.pk for node in found])
    return tuple(
        SnapshotRow(view, figures[node.pk].answers)
        for node, view in zip(found, views(viewer, found), strict=True)
    )
