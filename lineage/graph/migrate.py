"""Brings the graph's schema up to date: numbered files, applied once, recorded in the graph.

A file is `V0001__what_it_does.cypher`: statements ended by a semicolon at the end
of a line, each safe to run twice (IF NOT EXISTS). A process that dies in the middle
leaves a migration unrecorded, and the next start runs it again.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lineage.graph import client
from lineage.graph.properties import instant
from lineage.graph.reads.applied_migrations import applied_migrations
from lineage.graph.writes.record_migration import record_migration
from provexplorer import clock

FOLDER: Final = Path(__file__).parent / "migrations"
_NAME: Final = re.compile(r"V(\d{4})__(\w+)\.cypher")


class MigrationMismatch(Exception):
    """The graph was migrated by files that are not these: altered, missing, or of a newer release."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its words, the digest of its text, its statements."""

    version: int
    name: str
    checksum: str
    statements: tuple[str, ...]


def migrate(folder: Path = FOLDER) -> list[int]:
    """Apply what the graph has not seen, in order; gives the versions applied now.

    Raises MigrationMismatch when an applied migration was altered or is unknown
    here, ValueError when the files are misnamed or misnumbered, GraphAway.
    """
    known = migrations_in(folder)
    seen = {applied.version: applied for applied in applied_migrations()}
    for version, applied in seen.items():
        migration = known.get(version)
        if migration is None:
            message = f"the graph has migration {version} ({applied.name}), unknown to this release"
            raise MigrationMismatch(message)
        if migration.checksum != applied.checksum:
            message = f"migration {version} ({migration.name}) was altered after it was applied"
            raise MigrationMismatch(message)
    fresh = [migration for version, migration in known.items() if version not in seen]
    for migration in fresh:
        for statement in migration.statements:
            client.execute(statement, name=f"{__name__}.V{migration.version:04}")
        record_migration(
            version=migration.version,
            name=migration.name,
            checksum=migration.checksum,
            at=instant(clock.now()),
        )
    return [migration.version for migration in fresh]


def migrations_in(folder: Path) -> dict[int, Migration]:
    """The migrations of a folder by version, from 1 without a gap. Raises ValueError."""
    found = sorted((_read(path) for path in folder.glob("*.cypher")), key=lambda one: one.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        message = f"migrations in {folder.name} are not numbered 1, 2, 3…"
        raise ValueError(message)
    return {migration.version: migration for migration in found}


def _read(path: Path) -> Migration:
    match = _NAME.fullmatch(path.name)
    if not match:
        message = f"not the name of a migration: {path.name}"
        raise ValueError(message)
    lines = path.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if line.strip() and not line.startswith("//"))
    statements = tuple(part.strip() for part in re.split(r";\s*(?:\n|$)", text) if part.strip())
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return Migration(int(match[1]), match[2], checksum, statements)
