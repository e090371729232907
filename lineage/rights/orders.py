"""The orders of the list of sources, and where a page of it goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db.models import F, Q, QuerySet
from django.db.models.expressions import OrderBy

from lineage.models import SourceRights
from lineage.nodes.paging import CursorInvalid, read_cursor, write_cursor


@dataclass(frozen=True, slots=True)
class Order:
    """An order by one column, of equal ones by id; a cursor is a column's value and an id.

    `among`: the rows that have a place in it at all. `nothing_first`: rows without a value come
    first, else they are not among them.
    """

    column: str
    descending: bool
    among: Q = field(default_factory=Q)
    nothing_first: bool = False

    def after(self, rows: "QuerySet[SourceRights]", cursor: str | None) -> "QuerySet[SourceRights]":
        place = F(self.column)
        by: OrderBy = place.desc() if self.descending else place.asc(nulls_first=True)
        ordered = rows.annotate(place=place).order_by(by, "source_id")
        if cursor is None:
            return ordered
        return ordered.filter(self._beyond(cursor))

    def _beyond(self, cursor: str) -> Q:
        moment = self.column not in _NUMBERS
        value, last = read_cursor(cursor, str if moment else int, int)
        if last is None:
            raise CursorInvalid
        if value is None:
            if not self.nothing_first:
                raise CursorInvalid
            return Q(place__isnull=False) | Q(place__isnull=True, source_id__gt=last)
        if moment:
            try:
                value = datetime.fromisoformat(value)
            except ValueError as error:
                raise CursorInvalid from error
            if value.tzinfo is None:
                raise CursorInvalid
        step = "lt" if self.descending else "gt"
        return Q(**{f"place__{step}": value}) | Q(place=value, source_id__gt=last)

    def cursor(self, row: SourceRights) -> str:
        value: Any = row.place  # type: ignore[attr-defined]
        return write_cursor(
            value.isoformat() if isinstance(value, datetime) else value, row.source_id
        )


_NUMBERS: Final = frozenset({"answers", "source__watch__drifted"})
ORDERS: Final[Mapping[str, Order]] = {
    "grounded": Order("answers", descending=True),
    "drifting": Order(
        "source__watch__drifted", descending=True, among=Q(source__watch__drifted__gt=0)
    ),
    "ending": Order("ends_at", descending=False, among=Q(ends_at__isnull=False)),
    "unchecked": Order("source__watch__checked_at", descending=False, nothing_first=True),
}
