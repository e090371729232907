"""Catching up: what was committed and is not yet in the graph."""

from typing import Final

from lineage.graph.projection import project
from lineage.models import GraphDirty

# Workspaces brought up to date in one run of the task; the next run takes the others.
_WORKSPACES: Final = 100


def project_pending() -> int:
    """Project the dirty nodes of every workspace that has any; returns how many. Raises GraphAway."""
    waiting = GraphDirty.objects.order_by("workspace_id").values_list("workspace_id", flat=True)
    return sum(project(workspace_id) for workspace_id in waiting.distinct()[:_WORKSPACES])
