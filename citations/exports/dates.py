"""Dates as sources state them, in the parts that are stated."""

import re
from datetime import UTC, date, datetime
from typing import Final

_STATED: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?")


def parts_of(stated: str | None) -> tuple[int, ...]:
    """Year, month, day as far as stated; none of what is no date of the calendar.

    Of an instant the day as written: its zone is the source's own.
    """
    match = _STATED.fullmatch((stated or "").strip())
    if match is None:
        return ()
    parts = tuple(int(part) for part in match.groups() if part is not None)
    try:
        date(*(*parts, 1, 1)[:3])
    except ValueError:
        return ()
    return parts


def day_of(at: datetime) -> tuple[int, int, int]:
    """The day of an instant, in UTC."""
    there = at.astimezone(UTC)
    return there.year, there.month, there.day


def iso(parts: tuple[int, ...]) -> str:
    """Year, month and day as ISO 8601 writes them; empty without any."""
    return "-".join(f"{part:04}" if at == 0 else f"{part:02}" for at, part in enumerate(parts))
