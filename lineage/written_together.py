"""Rows that are written with the next ones: on PostgreSQL, where each COPY is a few messages to and fro.

Ingestion inserts nodes kind by kind, and asks for nothing in between. Within `written_together`
what `bulk_rows.insert` would copy waits here until something else is asked of the database, or
the block ends; rows of one table are then written at once. Foreign keys are checked at the
commit, so that the order of the tables does not matter. A violated constraint is told by
whatever statement comes next, in the same transaction.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

Rows = list[Sequence[Any]]
Write = Callable[[type[Model], tuple[str, ...], Rows], None]

# The connections that are within the block.
_WAITING: Final[dict[BaseDatabaseWrapper, "_Waiting"]] = {}


class _Waiting:
    """Rows to be written, by table and columns."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._rows: dict[tuple[type[Model], tuple[str, ...]], Rows] = {}

    def add(self, model: type[Model], names: Sequence[str], rows: Rows) -> None:
        self._rows.setdefault((model, tuple(names)), []).extend(rows)

    def write(self) -> None:
        # What is written now must not be found again by the statements that write it.
        waiting, self._rows = self._rows, {}
        for (model, names), rows in waiting.items():
            self._write(model, names, rows)

    def before(self, execute: Callable[..., Any], *statement: Any) -> Any:
        """A statement runs: what it may look for has to be there."""
        self.write()
        return execute(*statement)


@contextmanager
def written_together(connection: BaseDatabaseWrapper, write: Write) -> Iterator[None]:
    """Let rows of this connection wait for each other; within a transaction, and not nested.

    `write`: how rows of one table are written.
    """
    waiting = _WAITING[connection] = _Waiting(write)
    try:
        with connection.execute_wrapper(waiting.before):
            yield
            waiting.write()
    finally:
        del _WAITING[connection]


def to_be_written(
    connection: BaseDatabaseWrapper, model: type[Model], names: Sequence[str], rows: Rows
) -> bool:
    """Let the rows wait; false where none do, so that the caller writes them."""
    waiting = _WAITING.get(connection)
    if waiting is None:
        return False
    waiting.add(model, names, rows)
    return True
