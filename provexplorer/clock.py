"""The one clock of the product: all code asks `now()`, so that tests can set it."""

from collections.abc import Callable
from datetime import UTC, datetime


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
