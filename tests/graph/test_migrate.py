"""Migrations of the graph: once, in order, and never altered."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import ConstraintError

from lineage.graph import client
from lineage.graph.migrate import FOLDER, MigrationMismatch, migrate, migrations_in
from lineage.graph.reads.applied_migrations import applied_migrations
from lineage.vocabulary import KINDS
from provexplorer.embedded.graph_server import GraphAddress


@pytest.fixture
def folder(tmp_path: Path, graph: GraphAddress) -> Iterator[Path]:
    """A copy of the migrations to play with; what the graph notes beyond the real ones goes again."""
    copy = tmp_path / "migrations"
    shutil.copytree(FOLDER, copy)
    yield copy
    client.execute("DROP CONSTRAINT only_for_a_test IF EXISTS", name=__name__)
    client.execute(
        "MATCH (migration:SchemaMigration) WHERE migration.version > 1 DETACH DELETE migration",
        name=__name__,
    )


def test_altered_migration_is_refused(folder: Path) -> None:
    file = folder / "V0001__unique_uids.cypher"
    file.write_text(file.read_text(encoding="utf-8") + "RETURN 1;\n", encoding="utf-8")
    with pytest.raises(MigrationMismatch, match="altered"):
        migrate(folder)


def test_graph_of_a_newer_release_is_refused(folder: Path) -> None:
    (folder / "V0001__unique_uids.cypher").unlink()
    with pytest.raises(MigrationMismatch, match="unknown"):
        migrate(folder)


@pytest.mark.parametrize("name", ["V0003__gap.cypher", "V2__short.cypher", "V0002-dash.cypher"])
def test_misnumbered_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text("RETURN 1;\n", encoding="utf-8")
    with pytest.raises(ValueError, match="migration"):
        migrations_in(folder)


def test_second_time_does_nothing(graph: GraphAddress) -> None:
    assert migrate() == []
    assert [applied.version for applied in applied_migrations()] == [1]


def test_new_migration_is_applied_once_and_after_a_failure_again(folder: Path) -> None:
    file = folder / "V0002__for_a_test.cypher"
    constraint = "CREATE CONSTRAINT only_for_a_test IF NOT EXISTS FOR (n:OnlyForATest) REQUIRE n.uid IS UNIQUE;\n"
    file.write_text(constraint + "NOT A STATEMENT;\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"(?i)syntax|invalid"):
        migrate(folder)
    assert [applied.version for applied in applied_migrations()] == [1]
    file.write_text("// A comment does not change the migration.\n" + constraint, encoding="utf-8")
    assert migrate(folder) == [2]
    file.write_text(constraint, encoding="utf-8")
    assert migrate(folder) == []


def test_every_kind_has_one_node_for_a_uid(graph: GraphAddress) -> None:
    refused = []
    with GraphDatabase.driver(graph.uri, auth=(graph.user, graph.password)) as driver:
        for kind in KINDS.values():
            twice = (
                f"CREATE (:{kind.label} {{uid: 'twice'}}) CREATE (:{kind.label} {{uid: 'twice'}})"
            )
            try:
                driver.execute_query(twice, database_=graph.database)
            except ConstraintError:
                refused.append(kind.name)
    assert refused == list(KINDS)
