"""Tables of PostgreSQL that are written anew: what keeps that from being done, and what is told then."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import DjangoDbBlocker

from lineage.erasure import places
from lineage.erasure.certificate import erasure_part
from lineage.erasure.files import clear_files
from lineage.erasure.ledger import view_of
from lineage.erasure.rewriting import FilesInUse, Limits, Rewriting
from provexplorer.workspaces.models import Workspace
from tests.erasure.world import erased, made
from tests.servers.postgres_files import words_in_files

pytestmark = [
    pytest.mark.one_pair,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="of PostgreSQL"),
]

WORD = "zxqvscratch"
TABLE = "lineage_scratch"
_QUICK = Limits(lock_seconds=0.2, seconds=5)


@pytest.fixture
def url(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The database, with a table of which a row was deleted."""
    with django_db_blocker.unblock():
        address = dict(connection.get_connection_params())
        told = {name: address[name] for name in ("host", "port", "user", "password", "dbname")}
        where = psycopg.conninfo.make_conninfo("", **told)
        with closing(psycopg.connect(where, autocommit=True)) as ours:
            ours.execute(f"CREATE TABLE {TABLE} (word text)")
            ours.execute(f"INSERT INTO {TABLE} VALUES ('other'), ('{WORD}')")
            ours.execute(f"ANALYZE {TABLE}")
            ours.execute(f"DELETE FROM {TABLE} WHERE word = '{WORD}'")
            try:
                yield where
            finally:
                ours.execute(f"DROP TABLE {TABLE}")


@contextmanager
def other(url: str, *statements: str) -> Iterator[None]:
    """Somebody else in a transaction that goes on."""
    with closing(psycopg.connect(url)) as theirs:
        for statement in statements:
            theirs.execute(statement)
        yield


def left(url: str) -> set[str]:
    return {where for _, where in words_in_files(url, [WORD]) if where != "log"}


def test_a_table_written_anew_has_nothing_of_a_deleted_row_and_a_vacuumed_one_has(url: str) -> None:
    assert left(url) == {TABLE, "pg_statistic"}
    with Rewriting(connection, _QUICK) as rewriting:
        rewriting.give_free(TABLE)
        assert left(url) == {TABLE, "pg_statistic"}
        assert rewriting.write_anew(TABLE)
        assert TABLE not in left(url)
        assert rewriting.forget_samples()
        assert rewriting.write_anew("lineage_not_there")
    assert left(url) == set()


def test_not_while_somebody_may_see_the_row(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lineage.erasure.rewriting._PATIENCE", 0.3)
    with Rewriting(connection, _QUICK) as rewriting:
        # From before it goes on until after; without looking at the table.
        with other(url, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT 1"):
            with closing(psycopg.connect(url, autocommit=True)) as ours:
                ours.execute(f"INSERT INTO {TABLE} VALUES ('{WORD}')")
                ours.execute(f"DELETE FROM {TABLE} WHERE word = '{WORD}'")
            with pytest.raises(FilesInUse):
                rewriting.write_anew(TABLE)
        assert TABLE in left(url)
        assert rewriting.write_anew(TABLE)


def test_not_while_somebody_is_at_work_on_the_table(url: str) -> None:
    with Rewriting(connection, _QUICK) as rewriting:
        with other(url, f"LOCK TABLE {TABLE} IN ACCESS SHARE MODE"), pytest.raises(FilesInUse):
            rewriting.write_anew(TABLE)
        assert rewriting.write_anew(TABLE)


@pytest.mark.parametrize(
    "limits", [Limits(1, 5, most_bytes=1), Limits(1, 0.001)], ids=["large", "slow"]
)
def test_what_is_too_large_or_takes_too_long_is_told(url: str, limits: Limits) -> None:
    with closing(psycopg.connect(url, autocommit=True)) as ours:
        ours.execute(f"INSERT INTO {TABLE} SELECT repeat('x', 900) FROM generate_series(1, 5000)")
    with Rewriting(connection, limits) as rewriting:
        assert not rewriting.write_anew(TABLE)


@pytest.mark.usefixtures("graph")
@pytest.mark.django_db(transaction=True)
def test_the_certificate_tells_of_tables_left_until_they_are_written_anew(
    workspace: Workspace, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(places.WORK, "files", clear_files)
    settings.ERASURE_REWRITE_MB = 0
    made(workspace)
    case = erased(workspace, ("source", "s1"))
    found = {one.name: (one.looked_at, one.found) for one in view_of(case).probes}
    looked, old = found["by_table"]
    # All but the statistics of the two databases.
    assert old == looked - 2 > 5
    part = erasure_part(case)
    assert part is not None
    assert part.complete
    assert "old_rows" in {one.what for one in part.remains}

    call_command("rewrite_tables")
    found = {one.name: (one.looked_at, one.found) for one in view_of(case).probes}
    assert found["by_table"] == (looked, 0)
    after = erasure_part(case)
    assert after is not None
    assert "old_rows" not in {one.what for one in after.remains}


def test_the_command_says_when_it_cannot(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lineage.erasure.files._UNHURRIED_SECONDS", 0.2)
    with (
        other(url, "LOCK TABLE lineage_node IN ACCESS SHARE MODE"),
        pytest.raises(CommandError, match="run it again"),
    ):
        call_command("rewrite_tables")
    assert "written anew" not in capsys.readouterr().out
