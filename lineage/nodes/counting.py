"""Counting up to a bound inside the database: as an expression beside each row of a query."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Func, IntegerField, QuerySet, Subquery


@dataclass(frozen=True, slots=True)
class AtLeast:
    """So many; `more`: counting stopped there, and there may be more."""

    number: int
    more: bool = False


class _CountOf(Func):
    """Rows of a subquery, which may refer to the row beside which it stands."""

    template = "(SELECT COUNT(*) FROM %(expressions)s AS counted)"
    output_field = IntegerField()


def counted(rows: "QuerySet[Any, Any]", most: int) -> Func:
    """The number of rows, at most one more than `most`: read it with `at_least`."""
    return _CountOf(Subquery(rows.order_by().values("pk")[: most + 1]))


def at_least(number: int, most: int) -> AtLeast:
    """What a `counted` expression of this bound has found."""
    return AtLeast(min(number, most), number > most)


def count_of(rows: "QuerySet[Any, Any]", most: int) -> AtLeast:
    """The number of rows of a query by itself, counted up to a bound."""
    return at_least(rows.order_by()[: most + 1].count(), most)
