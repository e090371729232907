"""Writes many rows of one model past the ORM's work on every single value.

Ingestion writes some ten rows for each record. Django's bulk_create and bulk_update
prepare each value through four calls and each row as an instance; here the kinds of the
columns are looked at once, and rows are plain tuples. What is written is the same.

Signals, defaults and computed columns are not honoured: rows hold every column that
has no default in the database. All functions write in the caller's transaction.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from typing import Any, Final, TypeVar

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField, Field, JSONField, Model
from django.db.models.base import ModelState

from lineage.written_together import to_be_written, written_together

Row = tuple[Any, ...]
_Item = TypeVar("_Item")
_Model = TypeVar("_Model", bound=Model)

# Below SQLite's limit of 32,766 variables in a statement.
_MOST_VARIABLES: Final = 30_000


def insert(
    model: type[Model], names: Sequence[str], rows: Sequence[Row], *, unless_there: bool = False
) -> None:
    """Insert rows whose values stand in the order of `names` (fields; of relations, their ids).

    `unless_there`: a row that would violate a unique constraint is passed over.
    """
    if not rows:
        return
    connection = connections[router.db_for_write(model)]
    prepared = _prepared(connection, model, names, rows)
    if connection.vendor == "postgresql" and not unless_there:
        every = list(prepared)
        if not to_be_written(connection, model, names, every):
            _copy(connection, model, names, every)
        return
    head = _insert_into(connection, model, names)
    tail = " ON CONFLICT DO NOTHING" if unless_there else ""
    one = f"({', '.join(['%s'] * len(names))})"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # No round trip to save, and one short statement to parse instead of a long one.
            cursor.executemany(f"{head} {one}{tail}", list(prepared))
            return
        for some in slices(prepared, _MOST_VARIABLES // len(names)):
            cursor.execute(f"{head} {', '.join([one] * len(some))}{tail}", _flat(some))


def together(model: type[Model]) -> AbstractContextManager[None]:
    """Rows inserted in the block wait for those that follow, where that spares messages: on PostgreSQL.

    Of the database that has the model; see lineage.written_together.
    """
    connection = connections[router.db_for_write(model)]
    if connection.vendor != "postgresql":
        return nullcontext()
    return written_together(connection, partial(_copy, connection))


def instance(model: type[_Model], **columns: Any) -> _Model:
    """A new instance by its columns (of relations, their ids), as its constructor would make it.

    In a tenth of the time; the signals of its making are not sent.
    """
    plain, made = _defaults(model)
    values = plain | columns
    for name, make in made:
        if name not in columns:
            values[name] = make()
    new = model.__new__(model)
    new.__dict__.update(values, _state=ModelState())
    return new


@cache
def _defaults(model: type[Model]) -> tuple[dict[str, Any], list[tuple[str, Callable[[], Any]]]]:
    """The defaults of every column, in their order; and those that are to be made anew each time."""
    fields = model._meta.concrete_fields  # noqa: SLF001 - Django's documented API
    plain = {field.attname: field.get_default() for field in fields}
    return plain, [
        (field.attname, field.get_default) for field in fields if callable(field.default)
    ]


def reserve(model: type[Model], count: int) -> list[int]:
    """Primary keys for so many rows to come, which nobody else will be given; ascending.

    For rows that name themselves or each other. To be called in the transaction that inserts
    them: on SQLite it has the only writer.
    """
    if not count:
        return []
    connection = connections[router.db_for_write(model)]
    table = model._meta.db_table  # noqa: SLF001 - Django's documented API
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
                [connection.ops.quote_name(table), _field(model, "pk").column, count],
            )
            return [pk for (pk,) in cursor.fetchall()]
        # Where SQLite keeps the last key of a table whose keys are never used again.
        sequence = "UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s RETURNING seq"
        cursor.execute(sequence, [count, table])
        moved = cursor.fetchall()
        if not moved:
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, 0)", [table])
            cursor.execute(sequence, [count, table])
            moved = cursor.fetchall()
    last: int = moved[0][0]
    return list(range(last - count + 1, last + 1))


def insert_numbered(model: type[Model], names: Sequence[str], rows: Sequence[Row]) -> list[int]:
    """Insert rows as `insert` does; gives the primary key of each, in their order."""
    numbers = reserve(model, len(rows))
    numbered = [(pk, *row) for pk, row in zip(numbers, rows, strict=True)]
    insert(model, ("pk", *names), numbered)
    return numbers


def update(model: type[Model], names: Sequence[str], rows: Iterable[Row]) -> None:
    """Set the fields `names` of rows given as their values in that order, then the primary key."""
    connection = connections[router.db_for_write(model)]
    every = [*names, "pk"]
    prepared = list(_prepared(connection, model, every, rows))
    if not prepared:
        return
    table, columns = _table(connection, model), [_column(connection, model, n) for n in every]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            sets = ", ".join(f"{column} = %s" for column in columns[:-1])
            cursor.executemany(f"UPDATE {table} SET {sets} WHERE {columns[-1]} = %s", prepared)  # noqa: S608 - our own names
            return
        # One statement instead of a round trip a row; it has to be told what its literals are.
        sets = ", ".join(f"{column} = given.{column}" for column in columns[:-1])
        types = [_field(model, name).cast_db_type(connection) for name in every]
        one = f"({', '.join(f'%s::{kind}' for kind in types)})"
        for some in slices(prepared, _MOST_VARIABLES // len(every)):
            cursor.execute(
                f"UPDATE {table} SET {sets} FROM (VALUES {', '.join([one] * len(some))}) "  # noqa: S608 - our own names
                f"AS given ({', '.join(columns)}) WHERE {table}.{columns[-1]} = given.{columns[-1]}",
                _flat(some),
            )


def _copy(
    connection: BaseDatabaseWrapper,
    model: type[Model],
    names: Sequence[str],
    prepared: Iterable[Sequence[Any]],
) -> None:
    """PostgreSQL's own way in, a third of the work of an INSERT with its values written out."""
    columns = ", ".join(_column(connection, model, name) for name in names)
    statement = f"COPY {_table(connection, model)} ({columns}) FROM STDIN"
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(statement) as copy,
    ):
        for row in prepared:
            copy.write_row(row)


def _insert_into(connection: BaseDatabaseWrapper, model: type[Model], names: Sequence[str]) -> str:
    columns = ", ".join(_column(connection, model, name) for name in names)
    return f"INSERT INTO {_table(connection, model)} ({columns}) VALUES"


def _table(connection: BaseDatabaseWrapper, model: type[Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)  # noqa: SLF001 - Django's documented API


def _field(model: type[Model], name: str) -> "Field[Any, Any]":
    """A field by its name, of a relation also by that of its id ("node_id"), of the key by "pk"."""
    meta = model._meta  # noqa: SLF001 - Django's documented API
    found = meta.pk if name == "pk" else meta.get_field(name)
    assert isinstance(found, Field)
    return found


def _column(connection: BaseDatabaseWrapper, model: type[Model], name: str) -> str:
    return connection.ops.quote_name(str(_field(model, name).column))


def _prepared(
    connection: BaseDatabaseWrapper, model: type[Model], names: Sequence[str], rows: Iterable[Row]
) -> Iterable[Sequence[Any]]:
    """The rows as the database driver takes them: only JSON and instants need a hand."""
    converters = [
        (place, converter)
        for place, name in enumerate(names)
        if (converter := _converter(connection, model, name)) is not None
    ]
    if not converters:
        return rows
    return _converted(rows, converters)


def _converted(
    rows: Iterable[Row], converters: Sequence[tuple[int, Callable[[Any], Any]]]
) -> Iterator[Sequence[Any]]:
    for row in rows:
        values = list(row)
        for place, convert in converters:
            values[place] = convert(values[place])
        yield values


def _converter(
    connection: BaseDatabaseWrapper, model: type[Model], name: str
) -> Callable[[Any], Any] | None:
    field = _field(model, name)
    if isinstance(field, JSONField):
        return _json
    if isinstance(field, DateTimeField):
        # The rows of one request share a handful of instants.
        return cache(connection.ops.adapt_datetimefield_value)
    return None


def _json(value: Any) -> str:
    """As both databases take JSON. Most columns of it are empty most of the time."""
    return _EMPTY[type(value)] if not value and type(value) in _EMPTY else _encode(value)


_EMPTY: Final[dict[type, str]] = {dict: "{}", list: "[]"}
# Rows are trees: looking for circles in each of them takes a sixth of the time.
_encode: Final = json.JSONEncoder(check_circular=False).encode


def slices(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """The items in lists of at most `size`, each short enough for one statement."""
    every = list(items)
    for start in range(0, len(every), size):
        yield every[start : start + size]


def _flat(rows: Iterable[Sequence[Any]]) -> list[Any]:
    return [value for row in rows for value in row]
