"""Notes in the graph that a migration was applied; the first note of a version stays."""

from typing import Final

from lineage.graph import client

CYPHER: Final = """
MERGE (migration:SchemaMigration {version: $version})
ON CREATE SET migration.name = $name, migration.checksum = $checksum, migration.applied_at = $at
"""


def record_migration(*, version: int, name: str, checksum: str, at: str) -> None:
    """`at`: an instant in graph form."""
    client.write(
        lambda unit: unit.run(CYPHER, version=version, name=name, checksum=checksum, at=at),
        name=__name__,
    )
