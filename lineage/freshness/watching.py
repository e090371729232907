"""A pass of the watch: takes up new sources, looks at those whose time has come, keeps what came of it.

Any number of workers may make one at the same time: each takes sources of its own, for a
while, and a site answers one of them at a time.
"""

import time
from collections import defaultdict
from datetime import timedelta
from typing import Final

from lineage.freshness.looking import Looked, look
from lineage.freshness.record import keep
from lineage.freshness.taking import Due, take_due, take_one, take_up
from lineage.models import HostTurn, SourceCheck
from provexplorer import clock

# A pass ends after so many seconds (and a look that has begun); the next goes on.
_SECONDS: Final = 60.0
# Taken at once; kept together, unless they have more code points than this.
_TAKEN: Final = 400
_TOGETHER: Final = 200
_MOST_TEXT: Final = 16 * 2**20
# How long looks are listed; their records stay.
KEPT: Final = timedelta(days=400)
_OLD: Final = 500


def one_tick(seconds: float = _SECONDS) -> int:
    """Look at what is due, for some seconds; returns how many looks were kept."""
    until = time.monotonic() + seconds
    take_up()
    done = 0
    while time.monotonic() < until:
        dues = take_due(_TAKEN)
        if not dues:
            break
        done += _look_at(dues, until)
    _clear()
    return done


def look_now(source_id: int) -> int:
    """Look at one source because somebody asks for it; 0 where it is being looked at, or must wait."""
    return _look_at(take_one(source_id), time.monotonic() + _SECONDS, asked_for=True)


def _look_at(dues: list[Due], until: float, *, asked_for: bool = False) -> int:
    waiting: dict[int, list[Looked]] = defaultdict(list)
    done = held = 0
    for looked in look(dues, until):
        workspace = looked.due.workspace
        waiting[workspace.pk].append(looked)
        held += len(looked.seen.text or "")
        if len(waiting[workspace.pk]) >= _TOGETHER or held > _MOST_TEXT:
            held = 0
            done += keep(workspace, waiting.pop(workspace.pk), asked_for=asked_for)
    for several in waiting.values():
        done += keep(several[0].due.workspace, several, asked_for=asked_for)
    return done


def _clear() -> None:
    """Delete some of what is old."""
    now = clock.now()
    old = SourceCheck.objects.filter(at__lt=now - KEPT).order_by("pk")
    SourceCheck.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:_OLD])).delete()
    idle = HostTurn.objects.filter(free_at__lt=now - timedelta(days=1)).order_by("host")
    HostTurn.objects.filter(pk__in=list(idle.values_list("pk", flat=True)[:_OLD])).delete()
