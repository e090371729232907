"""Querysets whose SQL is composed once: for the reads that every page makes.

Django composes a statement anew at each call, which takes several times as long as a short
statement runs. Here a queryset is composed at its first use on each database, with marks where
values go; a call binds the values and converts the rows exactly as Django would.

    _CHILDREN = Compiled(
        lambda given: Node.objects.filter(
            parent_id__in=given.ids("parents"), kind=given.text("kind")
        ).order_by("pk")
    )
    children = _CHILDREN.instances(parents=[1, 2], kind="claim")

Only plain rows and instances: no select_related, no prefetching, and no exclusion by a list
(an empty list matches nothing, excluded or not).
"""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar, cast

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, JSONField, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.expressions import Col

_Model = TypeVar("_Model", bound=Model)
_Mark = TypeVar("_Mark", int, str, datetime)
_Convert = Callable[[Any, Any, BaseDatabaseWrapper], Any]
Row = tuple[Any, ...]

_decode: Final = json.JSONDecoder().raw_decode
# No row has such an id: marks must not be mistaken for values that stand in the queryset itself.
# The least that every column of integers can hold: beyond it Django would find no rows at all.
_FIRST_MARK: Final = -(2**31)
# What Django writes before the values of a list.
_IN: Final = "IN ("


class Given:
    """Marks for the values that a call will bind, by name."""

    def __init__(self) -> None:
        self.names: dict[Any, str] = {}
        self.lists: set[str] = set()

    def id(self, name: str) -> int:
        """One id."""
        return self._marked(_FIRST_MARK + len(self.names), name)

    def ids(self, name: str) -> list[int]:
        """A list of ids, for `__in`; none at all match nothing."""
        self.lists.add(name)
        return [self.id(name)]

    def text(self, name: str) -> str:
        """One string."""
        return self._marked(f"\u241f{len(self.names)}", name)

    def texts(self, name: str) -> list[str]:
        """A list of strings, for `__in`."""
        self.lists.add(name)
        return [self.text(name)]

    def instant(self, name: str) -> datetime:
        """One instant."""
        return self._marked(datetime(1, 1, 1, 0, 0, len(self.names), tzinfo=UTC), name)

    def _marked(self, mark: _Mark, name: str) -> _Mark:
        self.names[mark] = name
        return mark


def by_their_ids(rows: "QuerySet[_Model, Any]", workspace: int) -> "QuerySet[_Model, Any]":
    """The rows of a workspace that are found by their other conditions, ids above all.

    Without statistics a planner may prefer an index that begins with the workspace, and read
    all of it for a handful of rows; an expression has no index.
    """
    found: Any = rows.alias(within=F("workspace_id") + 0).filter(within=workspace)
    return cast("QuerySet[_Model, Any]", found)


@dataclass(frozen=True, slots=True)
class _Statement:
    """The SQL in pieces, with what goes between them: a value, or the name of one to be bound."""

    pieces: tuple[str, ...]
    values: tuple[Any, ...]
    named: tuple[str | None, ...]
    lists: frozenset[str]
    columns: tuple[str, ...]
    converters: tuple[tuple[int, tuple[_Convert, ...], Any], ...]
    # Whether a list is one value: then the statement reads the same however long it is.
    arrays: bool


class Compiled(Generic[_Model]):
    """A queryset composed at its first use on each database; see the module."""

    __slots__ = ("_model", "_queryset", "_statements")

    def __init__(self, queryset: Callable[[Given], "QuerySet[_Model, Any]"]) -> None:
        self._queryset = queryset
        self._model: type[_Model] | None = None
        self._statements: dict[str, _Statement] = {}

    def rows(self, **values: Any) -> list[Row]:
        """The rows as tuples of converted values, in the order of the columns."""
        alias, statement = self._statement()
        return _rows(connections[alias], statement, values)

    def instances(self, **values: Any) -> list[_Model]:
        """The rows as instances of the queryset's model; deferred fields stay deferred.

        They are made as a copy of an instance is: neither `__init__` nor its signals run.
        """
        alias, statement = self._statement()
        assert self._model is not None
        made = []
        for row in _rows(connections[alias], statement, values):
            instance = self._model.__new__(self._model)
            state = ModelState()
            state.adding, state.db = False, alias
            instance._state = state  # noqa: SLF001 - Django's documented API
            instance.__dict__.update(zip(statement.columns, row, strict=True))
            made.append(instance)
        return made

    def _statement(self) -> tuple[str, _Statement]:
        if self._model is None:
            self._model = self._queryset(Given()).model
        alias = router.db_for_read(self._model)
        found = self._statements.get(alias)
        if found is None:
            given = Given()
            found = _composed(connections[alias], self._queryset(given), given)
            self._statements[alias] = found
        return alias, found


def _composed(
    connection: BaseDatabaseWrapper, queryset: "QuerySet[Any, Any]", given: Given
) -> _Statement:
    compiler = queryset.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    adapted = {
        connection.ops.adapt_datetimefield_value(mark) if isinstance(mark, datetime) else mark: name
        for mark, name in given.names.items()
    }
    pieces = sql.split("%s")
    assert len(pieces) == len(parameters) + 1
    named = tuple(
        adapted.get(value) if isinstance(value, int | str | datetime) else None
        for value in parameters
    )
    arrays = connection.vendor == "postgresql"
    for at, name in enumerate(named) if arrays else ():
        if name in given.lists:
            assert pieces[at].endswith(_IN)
            pieces[at] = f"{pieces[at].removesuffix(_IN)}= ANY("
    selected = [expression for expression, _, _ in compiler.select]
    found = compiler.get_converters(selected)
    return _Statement(
        pieces=tuple(pieces),
        values=tuple(parameters),
        named=named,
        lists=frozenset(given.lists),
        columns=tuple(each.target.attname if hasattr(each, "target") else "" for each in selected),
        converters=tuple(
            (at, (_from_json,) if _plain_json(expression) else tuple(some), expression)
            for at, (some, expression) in found.items()
        ),
        arrays=arrays,
    )


def _plain_json(expression: Any) -> bool:
    """Whether it is a column of JSON as a whole, read by Python's own decoder."""
    field = getattr(expression, "target", None)
    return isinstance(expression, Col) and isinstance(field, JSONField) and field.decoder is None


def _from_json(value: Any, _expression: Any, _connection: BaseDatabaseWrapper) -> Any:
    """What json.loads gives, without its look for white space around: databases put none there."""
    try:
        return _decode(value)[0]
    except (ValueError, TypeError):
        return json.loads(value) if isinstance(value, str | bytes) else value


def _rows(
    connection: BaseDatabaseWrapper, statement: _Statement, values: dict[str, Any]
) -> list[Row]:
    bound: list[Any] = []
    pieces = [statement.pieces[0]]
    for piece, value, name in zip(
        statement.pieces[1:], statement.values, statement.named, strict=True
    ):
        if name is None:
            bound.append(value)
            pieces.append("%s")
        elif name in statement.lists and statement.arrays:
            bound.append(list(values[name]))
            pieces.append("%s")
        elif name in statement.lists:
            some: Collection[Any] = values[name]
            bound.extend(some)
            pieces.append(", ".join(["%s"] * len(some)) or "NULL")
        else:
            one = values[name]
            if isinstance(one, datetime):
                one = connection.ops.adapt_datetimefield_value(one)
            bound.append(one)
            pieces.append("%s")
        pieces.append(piece)
    with connection.cursor() as cursor:
        cursor.execute("".join(pieces), bound)
        rows: list[Row] = cursor.fetchall()
    if not rows or not statement.converters:
        return rows
    columns = list(zip(*rows, strict=True))
    for at, some, expression in statement.converters:
        for convert in some:
            columns[at] = tuple(
                None if value is None else convert(value, expression, connection)
                for value in columns[at]
            )
    return list(zip(*columns, strict=True))
