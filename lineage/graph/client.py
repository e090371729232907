"""The only door to the graph server: Bolt, through the official driver.

One driver per process, made at first use and again after a fork. Every
statement is named after its module; the name and a timeout travel with the
transaction, so that the server's own query log tells which question it answers
(ArcadeDB takes both and ignores them: there, statements are kept small instead).

Writes are units of work that may run more than once: a unit reads what it needs
and leaves the same graph however often it is applied. That is what makes it safe
to repeat one whose reply was lost.
"""

import atexit
import logging
import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, LiteralString, TypeVar

from django.conf import settings
from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    Driver,
    GraphDatabase,
    NotificationMinimumSeverity,
    Query,
    Session,
    Transaction,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConnectionAcquisitionTimeoutError,
    ConstraintError,
    DatabaseError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from lineage.types import GraphAway, JsonValue

logger = logging.getLogger(__name__)
T = TypeVar("T")
Row = dict[str, Any]

CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 10.0
WRITE_SECONDS: Final = 60.0
# A server that has just started compiles its first statements slowly.
MIGRATION_SECONDS: Final = 120.0
# How long one call goes on trying: at once again after a broken connection, which is what a
# restarted server looks like; longer after a conflict, which only means that another was first.
_AWAY_BUDGET: Final = 2.0
_CONFLICT_BUDGET: Final = 30.0
# A violated constraint is a conflict where two merges met (ArcadeDB) and an error where it lasts.
_CONSTRAINT_ATTEMPTS: Final = 10
_CONSTRAINT_BUDGET: Final = 10.0
_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 1.0
_SLOW_MS: Final = 1000.0
_TIMED_OUT: Final = "Neo.ClientError.Transaction.TransactionTimedOut"

_BROKEN: Final = (ServiceUnavailable, SessionExpired, ConnectionAcquisitionTimeoutError, OSError)


class QueryTimedOut(GraphAway):
    """The server ended a statement that took longer than it was given."""


@dataclass(frozen=True, slots=True)
class _Server:
    uri: str
    user: str
    password: str
    database: str


class _Drivers:
    """The drivers of this process, by server; those of a parent process are left alone."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.of_server: dict[_Server, Driver] = {}
        # Kept, never closed: their sockets belong to the parent process.
        self.inherited: list[Driver] = []
        self.pid = os.getpid()

    def forget(self) -> None:
        """In a child after a fork: the lock may be held by a thread that does not exist here."""
        self.lock = threading.Lock()
        self.inherited.extend(self.of_server.values())
        self.of_server = {}
        self.pid = os.getpid()

    def close(self) -> None:
        if self.pid == os.getpid():
            with self.lock:
                for driver in self.of_server.values():
                    driver.close()
                self.of_server = {}


_drivers: Final = _Drivers()
os.register_at_fork(after_in_child=_drivers.forget)
atexit.register(_drivers.close)


def close() -> None:
    """End this process's connections; the next call opens new ones."""
    _drivers.close()


def ping(timeout: float = 2.0) -> None:
    """Ask the server for a sign of life. Raises GraphAway."""
    read("RETURN 1 AS alive", name=f"{__name__}.ping", timeout=timeout)


def read(
    cypher: LiteralString,
    *,
    name: str,
    timeout: float = READ_SECONDS,
    **parameters: JsonValue,
) -> list[Row]:
    """The rows of one reading statement, as dicts by column.

    `name` is the asking module, `timeout` in seconds. Raises GraphAway when the
    server does not answer, QueryTimedOut when it gave up, neo4j's ClientError
    when the statement is wrong.
    """

    def ask(session: Session) -> list[Row]:
        query = Query(cypher, metadata={"query": name}, timeout=timeout)
        return session.run(query, parameters).data()

    return _attempt(ask, name=name, access=READ_ACCESS)


@dataclass(frozen=True, slots=True)
class Unit:
    """An open write transaction."""

    transaction: Transaction

    def run(self, cypher: LiteralString, **parameters: JsonValue) -> list[Row]:
        """The rows of one statement of this unit of work."""
        return self.transaction.run(cypher, parameters).data()


def write(work: Callable[[Unit], T], *, name: str, timeout: float = WRITE_SECONDS) -> T:
    """Do the work in one transaction and commit it; do it again if it met another or lost its reply.

    `work` must read all that it depends on itself: at a second attempt the world
    may have changed. Raises as `read` does.
    """

    def attempt(session: Session) -> T:
        with session.begin_transaction(metadata={"query": name}, timeout=timeout) as transaction:
            result = work(Unit(transaction))
            _commit(transaction, name)
        return result

    return _attempt(attempt, name=name, access=WRITE_ACCESS)


def _commit(transaction: Transaction, name: str) -> None:
    """Commit. Raises GraphAway where the server cannot: no statement is left that could be wrong.

    Its disk may be full, which ArcadeDB tells as a mistake of the client's.
    """
    try:
        transaction.commit()
    except (*_BROKEN, TransientError, ConstraintError):
        raise
    except Neo4jError as error:
        raise GraphAway(f"the graph server does not commit ({name})") from error


def execute(cypher: LiteralString, *, name: str, timeout: float = MIGRATION_SECONDS) -> None:
    """Run one statement on its own, as changes of the schema must be. Raises as `read` does."""

    def ask(session: Session) -> None:
        session.run(Query(cypher, metadata={"query": name}, timeout=timeout)).consume()

    _attempt(ask, name=name, access=WRITE_ACCESS)


def _attempt(ask: Callable[[Session], T], *, name: str, access: str) -> T:
    """Ask until it succeeds, is refused for good, or a budget is spent."""
    started = time.monotonic()
    broken = conflicts = 0
    while True:
        try:
            driver, database = _driver()
            with driver.session(database=database, default_access_mode=access) as session:
                result = ask(session)
        except _BROKEN as error:
            broken += 1
            if broken > 3 or time.monotonic() - started > _AWAY_BUDGET:
                raise GraphAway(f"the graph server does not answer ({name})") from error
            _pause(broken)
        except AuthError as error:
            raise GraphAway(f"the graph server refuses the credentials ({name})") from error
        except DatabaseError as error:
            raise GraphAway(f"the graph server fails by itself ({name})") from error
        except (TransientError, ConstraintError) as error:
            conflicts += 1
            spent = time.monotonic() - started
            lasts = conflicts >= _CONSTRAINT_ATTEMPTS and spent > _CONSTRAINT_BUDGET
            if isinstance(error, ConstraintError) and lasts:
                raise
            if spent > _CONFLICT_BUDGET:
                raise GraphAway(f"the graph server is too busy ({name})") from error
            _pause(conflicts)
        except ClientError as error:
            if (error.code or "").startswith(_TIMED_OUT):
                raise QueryTimedOut(f"the graph server gave up ({name})") from error
            raise
        else:
            took = (time.monotonic() - started) * 1000
            if took > _SLOW_MS:
                logger.warning("slow graph query", extra={"query": name, "ms": round(took)})
            return result


def _pause(attempt: int) -> None:
    """Full jitter: contenders that met once should not meet again."""
    time.sleep(random.uniform(0, min(_LONGEST_PAUSE, _PAUSE * 2**attempt)))  # noqa: S311 - timing


def _driver() -> tuple[Driver, str]:
    """The driver of the configured server, and the name of the database there."""
    server = _Server(
        settings.NEO4J_URI, settings.NEO4J_USER, settings.NEO4J_PASSWORD, settings.NEO4J_DATABASE
    )
    if not server.uri:
        message = "no graph server is configured (NEO4J_URI)"
        raise GraphAway(message)
    driver = _drivers.of_server.get(server)
    if driver is None:
        with _drivers.lock:
            driver = _drivers.of_server.get(server)
            if driver is None:
                driver = _drivers.of_server[server] = GraphDatabase.driver(
                    server.uri, auth=(server.user, server.password), **_OPTIONS
                )
    return driver, server.database


_OPTIONS: Final[Mapping[str, Any]] = {
    "connection_timeout": CONNECT_SECONDS,
    "connection_acquisition_timeout": CONNECT_SECONDS + 2.0,
    # A connection idle for longer than this many seconds is tried before it is used.
    "liveness_check_timeout": 30.0,
    "max_connection_pool_size": 32,
    # Our names are known to be right; a label without nodes yet is no reason for a warning.
    "notifications_min_severity": NotificationMinimumSeverity.OFF,
    "telemetry_disabled": True,
    "user_agent": "provexplorer",
}
