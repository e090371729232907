"""A breaker for tasks: while the graph is away, each process looks for it now and then, not once a task.

Hundreds of tasks may wait for a graph that is away, each trying again by itself. Of those that
come within seconds of a failure none asks: they are told at once what the one before was told.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lineage.graph.client import QueryTimedOut
from lineage.types import GraphAway

# Full jitter: processes that were refused together do not come back together.
_LEAST_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 5.0
_closed_until = 0.0


@contextmanager
def unless_away() -> Iterator[None]:
    """Do what needs the graph. Raises GraphAway: because it is, or because it just was."""
    global _closed_until  # noqa: PLW0603 - one breaker a process
    if time.monotonic() < _closed_until:
        raise GraphAway("the graph server did not answer a moment ago")
    try:
        yield
    except QueryTimedOut:  # it does answer
        raise
    except GraphAway:
        pause = random.uniform(_LEAST_SECONDS, _MOST_SECONDS)  # noqa: S311 - timing
        _closed_until = time.monotonic() + pause
        raise
