"""Which migrations has the graph seen?"""

from dataclasses import dataclass
from typing import Final

from lineage.graph import client

CYPHER: Final = """
MATCH (migration:SchemaMigration)
RETURN migration.version AS version, migration.name AS name, migration.checksum AS checksum
ORDER BY version LIMIT $limit
"""


@dataclass(frozen=True, slots=True)
class Applied:
    """A migration as the graph recorded it."""

    version: int
    name: str
    checksum: str


def applied_migrations(*, limit: int = 10_000) -> list[Applied]:
    """In the order of their versions."""
    rows = client.read(CYPHER, name=__name__, timeout=client.MIGRATION_SECONDS, limit=limit)
    return [Applied(**row) for row in rows]
