"""Keyset paging: a cursor says after which row the next page starts, whatever came in between."""

import base64
import binascii
import json
from datetime import datetime
from typing import Any, Final

from django.db.models import F, Q
from django.db.models.expressions import OrderBy

DEFAULT_LIMIT: Final = 50
MOST: Final = 200
# A cursor holds a position and a uid; what is longer was not made here.
_LONGEST: Final = 400
_BITS: Final = 63


class CursorInvalid(ValueError):
    """A cursor that this list did not give."""


def bounded(limit: int) -> int:
    """The page size within 1 and 200."""
    return max(1, min(limit, MOST))


def write_cursor(*position: str | int | None) -> str:
    """An opaque cursor of a row's position in its order."""
    data = json.dumps(position, separators=(",", ":")).encode("ascii")
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def read_cursor(cursor: str, *types: type) -> tuple[Any, ...]:
    """The position that `write_cursor` wrote: each part of its type, or None.

    Raises CursorInvalid.
    """
    if len(cursor) > _LONGEST:
        raise CursorInvalid
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        position = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise CursorInvalid from error
    if not isinstance(position, list) or len(position) != len(types):
        raise CursorInvalid
    for part, kind in zip(position, types, strict=True):
        if part is not None and type(part) is not kind:
            raise CursorInvalid
        # PostgreSQL refuses a NUL, and an integer beyond 64 bits.
        if isinstance(part, str) and "\0" in part:
            raise CursorInvalid
        if isinstance(part, int) and part.bit_length() > _BITS:
            raise CursorInvalid
    return tuple(position)


def newest_first() -> tuple[OrderBy, OrderBy]:
    """The order of lists of nodes: newest first, unknown times last, then by uid."""
    return F("occurred_at").desc(nulls_last=True), F("uid").asc()


def after_newest(cursor: str | None) -> Q:
    """Rows after the cursor in `newest_first`. Raises CursorInvalid."""
    if cursor is None:
        return Q()
    at, uid = read_cursor(cursor, str, str)
    if uid is None:
        raise CursorInvalid
    if at is None:
        return Q(occurred_at__isnull=True, uid__gt=uid)
    return after_instant(cursor, "occurred_at") | Q(occurred_at__isnull=True)


def after_instant(cursor: str | None, at: str, uid: str = "uid", *, oldest: bool = False) -> Q:
    """Rows after the cursor of an instant and a uid: later uids of that instant, then the others.

    `at` and `uid` are the fields; newest first, with `oldest` the oldest. Raises CursorInvalid.
    """
    if cursor is None:
        return Q()
    said, last = read_cursor(cursor, str, str)
    try:
        instant = datetime.fromisoformat(said or "")
    except ValueError as error:
        raise CursorInvalid from error
    if instant.tzinfo is None or last is None:
        raise CursorInvalid
    beyond = Q(**{f"{at}__{'gt' if oldest else 'lt'}": instant})
    return beyond | Q(**{at: instant, f"{uid}__gt": last})


def before_id(cursor: str | None) -> Q:
    """Rows with a lower id than the cursor's. Raises CursorInvalid."""
    if cursor is None:
        return Q()
    (last,) = read_cursor(cursor, int)
    if last is None:
        raise CursorInvalid
    return Q(id__lt=last)


def cursor_of(occurred_at: datetime | None, uid: str) -> str:
    """The cursor after a row in `newest_first`."""
    return write_cursor(occurred_at.isoformat() if occurred_at else None, uid)
