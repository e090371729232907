"""Who works on a case: one at a time, by conditional updates alone (SQLite ignores row locks).

A hold is (case, fence). Taking it raises the fence, so that a worker that was thought
dead and comes back finds every further write of its refused.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import DatabaseError, connection
from django.db.models import F, Q

from lineage.models import Case
from provexplorer import clock

logger = logging.getLogger(__name__)

# Longer than any batch, far below the broker's visibility timeout.
LEASE: Final = timedelta(seconds=30)
# A lease further ahead than any that is given was given by a clock that is wrong.
NO_LEASE: Final = 2 * LEASE


class LostHold(Exception):
    """Another worker has the case, or it was paused, reinstated or finished."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The right to work on a case until its lease runs out."""

    case_id: int
    fence: int


def take(case_id: int) -> Hold | None:
    """The case, if it is propagating and nobody holds it; counts an attempt."""
    now = clock.now()
    fence = (
        Case.objects.filter(id=case_id, state=Case.State.PROPAGATING)
        .values_list("fence", flat=True)
        .first()
    )
    if fence is None:
        return None
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=now)
    free |= Q(lease_until__gt=now + NO_LEASE)
    taken = Case.objects.filter(free, id=case_id, state=Case.State.PROPAGATING, fence=fence).update(
        fence=F("fence") + 1, attempts=F("attempts") + 1, lease_until=now + LEASE
    )
    return Hold(case_id, fence + 1) if taken else None


def keep(hold: Hold, **changes: Any) -> None:
    """Renew the lease and change the case with it, before anything else that a batch writes.

    Raises LostHold, which rolls back what the batch would have written.
    """
    _update(hold, lease_until=clock.now() + LEASE, **changes)


@contextmanager
def kept(hold: Hold) -> Iterator[None]:
    """Renew the lease for as long as one long step takes, however long that is.

    A thread does so: whoever dies in the step is followed within one lease. A hold that is
    lost meanwhile is told by the holder's next write.
    """
    done = threading.Event()

    def renew() -> None:
        try:
            while not done.wait(LEASE.total_seconds() / 3):
                keep(hold)
        except LostHold:
            pass
        except DatabaseError as error:
            # The lease may run out; another then goes on, and this holder is refused.
            logger.warning("lease not renewed", extra={"error": type(error).__name__})
        finally:
            connection.close()

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def let_go(hold: Hold, *, wait: timedelta | None = None, **changes: Any) -> None:
    """Give the case back; with `wait`, nobody takes it before that has passed."""
    _update(hold, lease_until=clock.now() + wait if wait else None, **changes)


def _update(hold: Hold, **changes: Any) -> None:
    held = Case.objects.filter(id=hold.case_id, fence=hold.fence, state=Case.State.PROPAGATING)
    if not held.update(**changes):
        raise LostHold
