"""Times of records: RFC 3339 to aware instants, and dates as they are printed."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final, NamedTuple

_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,30}))?"
    r"(Z|z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_DATE: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")


class Instant(NamedTuple):
    """An instant in UTC; `zone_stated` is False where UTC was assumed."""

    at: datetime
    zone_stated: bool


@lru_cache(maxsize=1024)
def read_instant(text: str) -> Instant:
    """The instant that RFC 3339 `text` names; what is finer than a microsecond is cut off.

    Without a zone (or with a date alone) it is UTC. A leap second is the second after it.
    Raises ValueError where the text is no time, or one outside the years 1 to 9999.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    leap = second == "60"
    micros = int((fraction or "0").ljust(6, "0")[:6])
    try:
        at = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0),
            59 if leap else int(second or 0), micros, tzinfo=_zone(zone),
        ) + timedelta(seconds=leap)  # fmt: skip
        return Instant(at.astimezone(UTC), zone is not None)
    except OverflowError as error:
        raise ValueError(text) from error


def _zone(offset: str | None) -> timezone:
    if offset is None or offset in "Zz":
        return UTC
    hours, minutes = int(offset[1:3]), int(offset[4:6])
    if minutes > 59:
        raise ValueError(offset)
    sign = -1 if offset[0] == "-" else 1
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


def written(at: datetime) -> str:
    """`at` as records store it: UTC, `Z`, microseconds only where there are any."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def is_printed_date(text: str) -> bool:
    """Whether `text` is a date as printed: `2003`, `2003-10` or `2003-10-13`.

    Raises ValueError where it has that form but names no day of the calendar.
    """
    if not _DATE.fullmatch(text):
        return False
    year, month, day = ([*text.split("-"), "01", "01"])[:3]
    date(int(year), int(month), int(day))
    return True
