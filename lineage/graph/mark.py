"""Whether the graph is the one that was written to last: a random mark that both stores carry.

It is renewed now and then. A graph that was restored from a backup, or stands beside a relational
store that was, has another mark if the backup is older than the last renewal. A new mark is
written down as `next` first, then given to the graph, then called `current`: whoever dies in
between leaves a graph that has one of the two.
"""

import logging
import secrets
from typing import Final

from lineage.graph.rebuild import Place
from lineage.graph.writes.renew_mark import renew_mark
from lineage.models import GraphMark
from provexplorer import clock

logger = logging.getLogger(__name__)

_ROW: Final = 1
_BYTES: Final = 16
_FROM_THE_START: Final = {"workspace": 0, "stage": 0, "after": 0}


def renew() -> bool:
    """Renew the mark; whether the graph is the one that was written to last. Raises GraphAway.

    False from when it is found to be another until it has been written anew
    (lineage.graph.repair). An installation without a mark takes the graph that it has.
    """
    row = _row()
    while row.wrong_at is None and not row.next:
        # Whoever is second takes the one of the first.
        GraphMark.objects.filter(pk=_ROW, next="").update(next=secrets.token_hex(_BYTES))
        row.refresh_from_db()
    if row.wrong_at is not None:
        return False
    known = [row.current, row.next]
    as_read = GraphMark.objects.filter(pk=_ROW, current=row.current, next=row.next)
    if renew_mark(uid=row.uid, known=known, new=row.next) in known:
        as_read.update(current=row.next, next="")
        return True
    # Not as it was read: another has renewed the mark in the meantime.
    if not as_read.update(**_another()):
        return True
    logger.warning("the graph is not the one that was written to last")
    return False


def is_wrong() -> bool:
    """Whether the graph is known to be another, and has not been written anew yet."""
    return GraphMark.objects.filter(pk=_ROW, wrong_at__isnull=False).exists()


def distrust() -> None:
    """Call the graph another one, whatever its mark: all of it is to be written anew."""
    _row()
    GraphMark.objects.filter(pk=_ROW).update(**_another())


def begin() -> GraphMark | None:
    """Mark the graph that is written anew; how far that has got. None where it is right.

    Begins from the start where the graph is not the one that was begun with. Raises GraphAway.
    """
    row = _row()
    if row.wrong_at is None:
        return None
    was = renew_mark(uid=row.uid, known=[row.current], new=row.current)
    if was != row.current:
        as_read = GraphMark.objects.filter(pk=_ROW, current=row.current, wrong_at__isnull=False)
        as_read.update(**_FROM_THE_START)
        renew_mark(uid=row.uid, known=[was], new=row.current)
        row.refresh_from_db()
    return row


def advance(row: GraphMark, workspace_id: int, place: Place) -> bool:
    """Note how far writing it anew has got; False if another has, or has begun anew."""
    as_read = GraphMark.objects.filter(
        pk=_ROW, current=row.current, workspace=row.workspace, stage=row.stage, after=row.after
    )
    row.workspace, (row.stage, row.after) = workspace_id, place
    return bool(as_read.update(workspace=workspace_id, stage=place.stage, after=place.after))


def settle(row: GraphMark) -> bool:
    """Trust the graph that has been written anew; whether it still is that one. Raises GraphAway."""
    if renew_mark(uid=row.uid, known=[row.current], new=row.current) != row.current:
        return False
    as_read = GraphMark.objects.filter(pk=_ROW, current=row.current, wrong_at__isnull=False)
    return bool(as_read.update(next="", wrong_at=None, **_FROM_THE_START))


def _row() -> GraphMark:
    uid = f"installation:{secrets.token_hex(_BYTES // 2)}"
    row, _ = GraphMark.objects.get_or_create(pk=_ROW, defaults={"uid": uid})
    return row


def _another() -> dict[str, object]:
    """What the row says of a graph that is another: no mark that any graph has is right."""
    return {
        "current": secrets.token_hex(_BYTES),
        "next": "",
        "wrong_at": clock.now(),
        **_FROM_THE_START,
    }
