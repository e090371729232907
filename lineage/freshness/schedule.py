"""When a source is looked at again: the sooner the more hangs on it and the oftener it has changed; pure.

The time between two changes is estimated from those seen, as if one month with one change had
gone before. A quarter of it passes between two looks of a source on which nothing rests, and
half as much, a third as much … with each power of ten of answers that rest on it.
"""

import math
from datetime import timedelta
from typing import Final

from lineage.models.freshness import Outcome

LEAST: Final = timedelta(hours=1)
MOST: Final = timedelta(days=30)
_BEFORE: Final = timedelta(days=30)
_FIRST_FAILURE: Final = timedelta(hours=1)
_LONGEST_FAILURE: Final = timedelta(days=7)
# Of what is gone, closed or forbidden nobody expects that it comes back within the hour.
_FIRST_CLOSED: Final = timedelta(days=1)
_CLOSED: Final = frozenset(
    {Outcome.GONE, Outcome.PAYWALL, Outcome.ROBOTS, Outcome.REFUSED, Outcome.NO_ADDRESS}
)
# So that what was looked at together does not come together for ever.
JITTER: Final = 0.1


def interval(
    outcome: str, *, watched: timedelta, changes: int, answers: int, failures: int, retry_after: float = 0.0
) -> timedelta:  # fmt: skip
    """How long to wait after a look.

    `watched`: since the first look. `failures`: looks in a row that read nothing, this one
    included; each doubles the wait. `retry_after`: seconds that the site asked for.
    """
    asked = timedelta(seconds=retry_after)
    if outcome in _CLOSED:
        return max(asked, _doubled(_FIRST_CLOSED, failures, MOST))
    if failures:
        return max(asked, _doubled(_FIRST_FAILURE, failures, _LONGEST_FAILURE))
    between = (_BEFORE + watched) / (1 + changes)
    weight = 1 + math.log10(1 + max(0, answers))
    return max(asked, min(MOST, max(LEAST, between / (4 * weight))))


def _doubled(first: timedelta, failures: int, most: timedelta) -> timedelta:
    return min(most, first * float(1 << min(16, max(0, failures - 1))))
