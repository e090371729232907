"""Writers of one SQLite file wait for each other, and only as long as they were told to."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, transaction
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from provexplorer.settings import database, sqlite_url
from provexplorer.sqlite.base import DatabaseWrapper

pytestmark = pytest.mark.engine_free

_ALIAS = "waiting"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    return path


@pytest.fixture
def writer(
    file: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> Iterator[DatabaseWrapper]:
    given = database(sqlite_url(file))
    given["OPTIONS"]["timeout"] = 0.2
    handler = ConnectionHandler({"default": given, _ALIAS: given})
    connection = handler[_ALIAS]
    assert isinstance(connection, DatabaseWrapper)
    monkeypatch.setattr(transaction, "get_connection", lambda _using=None: connection)
    with django_db_blocker.unblock():
        connection.ensure_connection()
        yield connection
        connection.close()


def write(connection: DatabaseWrapper) -> None:
    with transaction.atomic(using=_ALIAS), connection.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (1)")


def rows(connection: DatabaseWrapper) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM t")
        return int(cursor.fetchone()[0])


def test_it_gives_up_after_the_time_it_has_and_can_write_later(
    file: Path, writer: DatabaseWrapper
) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(OperationalError, match="locked"):
        write(writer)
    assert time.monotonic() - began >= 0.2
    other.execute("ROLLBACK")
    write(writer)
    assert rows(writer) == 1
    # What waits otherwise waits as SQLite does.
    with writer.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone()[0] == 200
    other.close()


def test_another_error_is_told_at_once(writer: DatabaseWrapper) -> None:
    writer.settings_dict["OPTIONS"]["transaction_mode"] = "WHENEVER"
    with pytest.raises(OperationalError, match="syntax error"):
        write(writer)


def test_it_writes_when_the_other_is_done(file: Path, writer: DatabaseWrapper) -> None:
    writer.settings_dict["OPTIONS"]["timeout"] = 30
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES (0)")
    done = threading.Timer(0.1, other.execute, ["COMMIT"])
    done.start()
    write(writer)
    assert rows(writer) == 2
    done.join()
    other.close()
