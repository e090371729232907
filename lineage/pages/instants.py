"""Instants as people type them: a date, or a date and time, in UTC where no zone is said."""

from datetime import UTC, datetime, time, timedelta
from typing import Final

from django.utils.dateparse import parse_date, parse_datetime

_LAST: Final = time.max


def first_of(typed: str) -> datetime | None:
    """The instant, of a date its first; None for what is neither."""
    return _read(typed, time.min)


def last_of(typed: str) -> datetime | None:
    """The instant, of a date its last, of a minute its last; None for what is neither."""
    at = _read(typed, _LAST)
    # As the field of a page sends it.
    if at is not None and len(typed) == len("2026-05-01T10:00"):
        at += timedelta(seconds=59, microseconds=999_999)
    return at


def _read(typed: str, of_a_date: time) -> datetime | None:
    try:
        at = parse_datetime(typed) if len(typed) > len("2026-05-01") else None
        day = None if at else parse_date(typed)
        if at is None and day is not None:
            at = datetime.combine(day, of_a_date)
        return at and (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
