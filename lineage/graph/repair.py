"""Writes a graph anew that is not the one that was written to last, in steps that go on where they ended."""

import logging
import time
from contextlib import suppress
from typing import Final

from lineage.graph import mark
from lineage.graph.migrate import migrate
from lineage.graph.rebuild import Place, rebuild_some
from lineage.models import GraphMark
from lineage.types import NotFound
from provexplorer.workspaces.models import Workspace

logger = logging.getLogger(__name__)

# A run of the task: far from the time after which the broker hands it to another.
RUN_SECONDS: Final = 45.0


def keep_right(*, seconds: float = RUN_SECONDS) -> bool:
    """Renew the graph's mark; write the graph anew where it is another, for about so long.

    Whether it is right now. Safe to stop, to repeat and to do twice at once. Raises GraphAway.
    """
    return mark.renew() or repair(seconds=seconds)


def repair(*, seconds: float = float("inf")) -> bool:
    """Go on with writing it anew, for about so long and by a step at least; whether it is right now. Raises GraphAway."""
    end = time.monotonic() + seconds
    row = mark.begin()
    if row is None:
        return True
    migrate()  # it may have been emptied under a running site
    done: bool | None = False
    while done is False:
        done = _step(row)
        if done is False and time.monotonic() > end:
            return False
    if not done or not mark.settle(row):
        return False  # another works on it, or the graph is another one again
    logger.warning("the graph was written anew")
    return True


def _step(row: GraphMark) -> bool | None:
    """Some of a workspace; whether nothing is left to do, None if another was first."""
    workspaces = Workspace.objects.filter(pk__gte=row.workspace).order_by("pk")
    workspace_id = workspaces.values_list("pk", flat=True).first()
    if workspace_id is None:
        return True
    place = Place(row.stage, row.after) if workspace_id == row.workspace else Place()
    following: Place | None = None
    with suppress(NotFound):  # deleted meanwhile
        following, _ = rebuild_some(workspace_id, place)
    going_on = (
        mark.advance(row, workspace_id, following)
        if following is not None
        else mark.advance(row, workspace_id + 1, Place())
    )
    return False if going_on else None
