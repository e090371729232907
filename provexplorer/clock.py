"""The one clock of the product: all code asks `now()`, so that tests can set it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

# What has no time sorts before every instant; nothing is before it.
BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)
# The smallest step between two instants.
TICK: Final = timedelta(microseconds=1)


def _system() -> datetime:
    return datetime.now(UTC)


_source: Callable[[], datetime] = _system


def now() -> datetime:
    """The current instant, aware, in UTC."""
    return _source()


def use(source: Callable[[], datetime] | None) -> None:
    """Take the time from `source` (tests); None goes back to the system clock."""
    global _source  # noqa: PLW0603 - one process-wide clock is the point of this module
    _source = source or _system
