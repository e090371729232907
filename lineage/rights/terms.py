"""When rights to a version end: its validity, its consent, its retention. Pure.

A stated year, month or day is over when it has passed in UTC; an instant when it comes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal

What = Literal["validity", "consent", "retention"]

_STATED: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
# Where a consent says when it ends, the first that is there.
_CONSENT_ENDS: Final = ("expires_at", "expires", "valid_until", "until", "expiry")
_DECEMBER: Final = 12


@dataclass(frozen=True, slots=True)
class Ending:
    """That a right ends, and when."""

    what: What
    at: datetime


def endings_of(fields: Mapping[str, Any]) -> tuple[Ending, ...]:
    """What a version states of ends, the earliest first."""
    consent = fields.get("consent")
    stated: tuple[tuple[What, Any], ...] = (
        ("validity", fields.get("valid_until")),
        ("consent", _end_of_consent(consent) if isinstance(consent, Mapping) else None),
        ("retention", fields.get("retention_until")),
    )
    found = [Ending(what, at) for what, said in stated if (at := end_of(said)) is not None]
    return tuple(sorted(found, key=lambda each: each.at))


def end_of(stated: Any) -> datetime | None:
    """The instant from which on a stated year, month, day or instant is over; None of what is none."""
    if not isinstance(stated, str):
        return None
    text = stated.strip()
    try:
        if match := _STATED.fullmatch(text):
            year, month, day = (int(part) if part else None for part in match.groups())
            assert year is not None
            return _day_after(year, month, day)
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _day_after(year: int, month: int | None, day: int | None) -> datetime:
    if month is None:
        return datetime(year + 1, 1, 1, tzinfo=UTC)
    if day is None:
        last = month == _DECEMBER
        return datetime(year + last, 1 if last else month + 1, 1, tzinfo=UTC)
    after = date(year, month, day) + timedelta(days=1)
    return datetime(after.year, after.month, after.day, tzinfo=UTC)


def _end_of_consent(consent: Mapping[str, Any]) -> Any:
    return next((consent[name] for name in _CONSENT_ENDS if consent.get(name)), None)
