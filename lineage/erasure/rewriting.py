"""PostgreSQL's tables written anew, so that nothing of dead rows is left in their files.

`VACUUM FULL` copies what lives into new files, with new indexes, and gives the old ones up. It
copies as well what a transaction from before may still see: so it waits until there is none.
"""

import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

# How long it waits for who may still see rows from before, in seconds.
_PATIENCE: Final = 5.0
_LOCKED: Final = "55P03"  # lock_not_available
_CANCELLED: Final = "57014"  # query_canceled: it took longer than it may
_STATISTICS: Final = "pg_catalog.pg_statistic"
_FILE: Final = "SELECT pg_relation_filenode(to_regclass(%(table)s))"
# Whoever is at work in this database, or copies it elsewhere; vacuums keep nothing alive, and what
# decodes the log for others keeps rows of the catalogue alone.
_SEEN_BY_OTHERS: Final = """
SELECT EXISTS (
    SELECT 1 FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
      AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
      AND (age(backend_xmin) > age(%(mark)s::xid) OR age(backend_xid) > age(%(mark)s::xid))
) OR EXISTS (
    SELECT 1 FROM pg_replication_slots
    WHERE age(xmin) > age(%(mark)s::xid)
       OR %(of_catalogue)s AND age(catalog_xmin) > age(%(mark)s::xid)
) OR EXISTS (
    SELECT 1 FROM pg_prepared_xacts
    WHERE database = current_database() AND age(transaction) > age(%(mark)s::xid)
)
"""


class FilesInUse(Exception):
    """Others still read what there was before, or are at work on the table."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What writing one table anew may cost the others.

    `lock_seconds`: for how long everybody waits behind it for the table; `seconds`: for how
    long nobody reads it, 0 for as long as it takes; `most_bytes`: of a table with its indexes,
    None for any.
    """

    lock_seconds: float
    seconds: float
    most_bytes: int | None = None


class Rewriting:
    """A connection of its own to a database of PostgreSQL, for as long as it is entered."""

    def __init__(self, like: BaseDatabaseWrapper, limits: Limits) -> None:
        self._connection = like.copy()
        self._limits = limits
        self._cursor = self._connection.cursor()

    def __enter__(self) -> Self:
        self._set("lock_timeout", self._limits.lock_seconds)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._connection.is_usable():
                # It may go back to a pool.
                self._cursor.execute("RESET lock_timeout")
                self._cursor.execute("RESET statement_timeout")
        finally:
            self._connection.close()

    def write_anew(self, table: str) -> bool:
        """Write a table anew with its indexes, and sample its values.

        False where it is too large for that, takes too long, or belongs to another user: its
        dead rows are given free then. A table that is not there is done. Raises FilesInUse.
        """
        size = self._ask("SELECT pg_total_relation_size(to_regclass(%(table)s))", table=table)
        if size is None:
            return True
        most = self._limits.most_bytes
        if (most is None or size <= most) and self._written_anew(table):
            self._vacuum("ANALYZE", table, seconds=0)
            return True
        self.give_free(table)
        return False

    def give_free(self, table: str) -> None:
        """Give the place of dead rows free to others, and sample the values; readers go on."""
        if self._ask("SELECT to_regclass(%(table)s)::text", table=table) is not None:
            self._vacuum("VACUUM (ANALYZE)", table, seconds=0)

    def forget_samples(self) -> bool:
        """Write the statistics anew, in which values stood that were sampled before.

        False where this user may not: whoever owns the database may. Raises FilesInUse.
        """
        return self._written_anew(_STATISTICS)

    def _written_anew(self, table: str) -> bool:
        """Whether the table has other files now: of what it may not do, PostgreSQL only warns."""
        self._wait_for_others(of_catalogue=table == _STATISTICS)
        before = self._ask(_FILE, table=table)
        done = self._vacuum("VACUUM (FULL)", table, seconds=self._limits.seconds)
        return done and self._ask(_FILE, table=table) != before

    def _vacuum(self, how: str, table: str, *, seconds: float) -> bool:
        """Whether it was done within this time (0: any)."""
        self._set("statement_timeout", seconds)
        try:
            self._cursor.execute(f"{how} {table}")
        except DatabaseError as error:
            state = getattr(error.__cause__, "sqlstate", "")
            if state == _LOCKED:
                raise FilesInUse from error
            if state != _CANCELLED:
                raise
            return False
        return True

    def _wait_for_others(self, *, of_catalogue: bool) -> None:
        """Until no transaction goes on that began before now: what it may see would be copied."""
        mark = self._ask("SELECT xid(pg_current_xact_id())::text")
        end = time.monotonic() + _PATIENCE
        while self._ask(_SEEN_BY_OTHERS, mark=mark, of_catalogue=of_catalogue):
            if time.monotonic() > end:
                raise FilesInUse
            time.sleep(0.1)

    def _ask(self, question: str, **values: str | bool) -> Any:
        """The one value that is the answer."""
        self._cursor.execute(question, values)
        (answer,) = self._cursor.fetchone()
        return answer

    def _set(self, name: str, seconds: float) -> None:
        self._cursor.execute("SELECT set_config(%s, %s, false)", [name, str(int(seconds * 1000))])
