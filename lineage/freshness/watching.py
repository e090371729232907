"""A pass of the watch: takes up new sources, looks at those whose time has come, keeps what came of it.

Any number of workers may make one at the same time: each takes sources of its own, for a
while, and a site answers one of them at a time.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from lineage.freshness.looking import Looked, look
from lineage.freshness.record import keep
from lineage.freshness.taking import take_due, take_one, take_up
from lineage.models import HostTurn, SourceCheck
from lineage.models.freshness import Outcome
from provexplorer import clock

# A pass ends after so many seconds (and a look that has begun); the next goes on.
_SECONDS: Final = 60.0
# Taken at once; enough to be kept together, or at once where they have more code points than this.
_TAKEN: Final = 400
_TOGETHER: Final = 200
_MOST_TEXT: Final = 16 * 2**20
# How long looks are listed; their records stay.
KEPT: Final = timedelta(days=400)
_OLD: Final = 500
# What a look comes to whose response is recorded already, nearly always.
_QUIET: Final = frozenset({Outcome.UNCHANGED, Outcome.SAME})


def one_tick(seconds: float = _SECONDS) -> int:
    """Look at what is due, for some seconds; returns how many looks were kept."""
    until = time.monotonic() + seconds
    take_up()
    waiting = _Waiting()
    told: Iterator[Looked] | None = look(take_due(_TAKEN), until)
    while told is not None:
        for looked in told:
            waiting.add(looked)
        dues = take_due(_TAKEN) if time.monotonic() < until else ()
        # Sites are asked while what they have said is kept.
        told = look(dues, until) if dues else None
        waiting.keep_some()
    waiting.keep_all()
    _clear()
    return waiting.kept


def look_now(source_id: int) -> int:
    """Look at one source because somebody asks for it; 0 where it is being looked at, or must wait."""
    waiting = _Waiting(asked_for=True)
    for looked in look(take_one(source_id), time.monotonic() + _SECONDS):
        waiting.add(looked)
    waiting.keep_all()
    return waiting.kept


class _Waiting:
    """Looks that are not kept yet, by workspace: few are kept together as fast as many.

    Those that tell nothing new wait for the sources that were taken with them. Those that make
    records wait for more of their kind, of the whole pass (a few among many): to apply the
    records of one costs nearly as much as to apply those of fifty. Who dies with them has lost
    looks that are made again.
    """

    def __init__(self, *, asked_for: bool = False) -> None:
        self._asked_for = asked_for
        self._quiet: dict[int, list[Looked]] = defaultdict(list)
        self._telling: dict[int, list[Looked]] = defaultdict(list)
        self._text = 0  # code points of all that waits
        self.kept = 0

    def add(self, looked: Looked) -> None:
        """Wait with this one, as long as all that waits is not too long."""
        some = self._quiet if looked.seen.outcome in _QUIET else self._telling
        some[looked.due.workspace.pk].append(looked)
        self._text += len(looked.seen.text or "")
        if self._text > _MOST_TEXT:
            self.keep_all()

    def keep_some(self) -> None:
        """Keep what tells nothing new, and what is enough to be kept together."""
        while self._quiet:
            self._keep(self._quiet.popitem()[1])
        for workspace_id in [pk for pk, some in self._telling.items() if len(some) >= _TOGETHER]:
            self._keep(self._telling.pop(workspace_id))

    def keep_all(self) -> None:
        """Keep everything."""
        self.keep_some()
        while self._telling:
            self._keep(self._telling.popitem()[1])

    def _keep(self, several: list[Looked]) -> None:
        self._text -= sum(len(looked.seen.text or "") for looked in several)
        self.kept += keep(several[0].due.workspace, several, asked_for=self._asked_for)


def _clear() -> None:
    """Delete some of what is old."""
    now = clock.now()
    old = SourceCheck.objects.filter(at__lt=now - KEPT).order_by("pk")
    SourceCheck.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:_OLD])).delete()
    idle = HostTurn.objects.filter(free_at__lt=now - timedelta(days=1)).order_by("host")
    HostTurn.objects.filter(pk__in=list(idle.values_list("pk", flat=True)[:_OLD])).delete()
