"""Tables without their indexes and constraints while very many rows are written into them.

Kept row by row, the indexes of a large table cost several times what the rows do. They are made
again at the end, from their own definitions, so that the database refuses what does not fit.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from django.db import connection
from django.db.models import Model

# Of one table: a statement that drops, and the one that makes the same again. Foreign keys last:
# they are checked by the indexes.
_INDEXES: Final = """
SELECT format('DROP INDEX %%s', indexrelid::regclass), pg_get_indexdef(indexrelid)
FROM pg_index WHERE indrelid = %s::regclass
  AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
"""
_CONSTRAINTS: Final = """
SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname),
       format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname,
              pg_get_constraintdef(oid))
FROM pg_constraint WHERE conrelid = %s::regclass AND contype IN ('u', 'f')
ORDER BY contype DESC
"""
_SQLITE: Final = """
SELECT 'DROP INDEX "' || name || '"', sql FROM sqlite_master
WHERE type = 'index' AND tbl_name = %s AND sql IS NOT NULL
"""


@contextmanager
def unindexed(models: Sequence[type[Model]]) -> Iterator[None]:
    """The tables of these models as heaps, within the block; afterwards as they were, and analysed."""
    tables = [model._meta.db_table for model in models]  # noqa: SLF001 - Django's documented API
    postgres = connection.vendor == "postgresql"
    statements = (_INDEXES, _CONSTRAINTS) if postgres else (_SQLITE,)
    with connection.cursor() as cursor:
        pairs: list[tuple[str, str]] = []
        for statement in statements:
            for table in tables:
                cursor.execute(statement, [table])
                pairs += cursor.fetchall()
        if connection.in_atomic_block:
            # No table is altered while its rows wait to be checked.
            connection.check_constraints()
        if postgres:
            cursor.execute("SET maintenance_work_mem = '256MB'")
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
        for drop, _ in reversed(pairs):
            cursor.execute(drop)
        yield
        for _, make in pairs:
            cursor.execute(make)
        for table in tables:
            if postgres:
                cursor.execute(f"ALTER TABLE {table} RESET (autovacuum_enabled)")
                # As a living database is: counts read the index alone. Not within a transaction.
                vacuum = "" if connection.in_atomic_block else "VACUUM "
                cursor.execute(f"{vacuum}ANALYZE {table}")
        cursor.execute("ANALYZE")
