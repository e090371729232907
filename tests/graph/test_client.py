"""The graph server as it fails: away, slow, wrong, cut off in the middle of a commit."""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import ConstraintError, CypherSyntaxError
from pytest_django import Settings

from lineage.graph import client
from lineage.graph.client import QueryTimedOut, Unit
from lineage.types import GraphAway
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, run_to_end, send, world
from tests.faults.invariants import Filed, assert_invariants

# A Bolt message COMMIT in a chunk of its own, and the marker that ends it.
COMMIT = b"\x00\x02\xb0\x12\x00\x00"


def test_no_server_configured(settings: Settings) -> None:
    settings.NEO4J_URI = ""
    with pytest.raises(GraphAway, match="configured"):
        client.ping()


def test_nobody_listens(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    started = time.monotonic()
    with pytest.raises(GraphAway, match="does not answer"):
        client.read("RETURN 1 AS one", name="test")
    assert time.monotonic() - started < 3


def test_somebody_listens_and_says_nothing(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.NEO4J_URI = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(GraphAway):
            client.ping()
    assert time.monotonic() - started < 12


def test_wrong_password(graph: GraphAddress, settings: Settings) -> None:
    """The throw-away Neo4j of the tests takes any password; ArcadeDB does not."""
    settings.NEO4J_PASSWORD = "not-" + graph.password
    if graph.password == "unchecked":
        client.ping()
    else:
        with pytest.raises(GraphAway, match="credentials"):
            client.ping()


def test_wrong_statement_is_an_error_at_once(graph: GraphAddress) -> None:
    with pytest.raises(CypherSyntaxError):
        client.read("MATCH (n RETURN n", name="test")


def test_lasting_violation_of_a_constraint_is_an_error(
    graph: GraphAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_CONSTRAINT_BUDGET", 0.5)

    def twice(unit: Unit) -> None:
        unit.run("CREATE (:Source {uid: 'same'}) CREATE (:Source {uid: 'same'})")

    with pytest.raises(ConstraintError):
        client.write(twice, name="test")


def test_statement_that_takes_too_long(graph: GraphAddress) -> None:
    """Neo4j ends it. ArcadeDB takes no timeout: it must at least answer."""
    with GraphDatabase.driver(graph.uri, auth=(graph.user, graph.password)) as driver:
        enforced = "ArcadeDB" not in driver.get_server_info().agent
    size = 20_000 if enforced else 200
    try:
        rows = client.read(
            "UNWIND range(1, $n) AS a UNWIND range(1, $n) AS b RETURN sum(a * b) AS total",
            name="test",
            timeout=0.5,
            n=size,
        )
    except QueryTimedOut:
        assert enforced
    else:
        assert not enforced
        assert rows == [{"total": 404_010_000}]


def test_failed_work_leaves_nothing(graph: GraphAddress) -> None:
    uid = secrets.token_hex(8)

    def fail(unit: Unit) -> None:
        unit.run("CREATE (:Term {uid: $uid})", uid=uid)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        client.write(fail, name="test")
    assert client.read("MATCH (t:Term {uid: $uid}) RETURN t.uid AS uid", name="test", uid=uid) == []


def test_lost_reply_to_commit_is_repeated(graph: GraphAddress, settings: Settings) -> None:
    uid = secrets.token_hex(8)
    attempts = []

    def work(unit: Unit) -> int:
        attempts.append(unit)
        (row,) = unit.run(
            "MERGE (t:Term {uid: $uid}) SET t.times = coalesce(t.times, 0) + 1"
            " RETURN t.times AS times",
            uid=uid,
        )
        return int(row["times"])

    with _cutting_proxy(graph.uri, at=COMMIT) as uri:
        settings.NEO4J_URI = uri
        times = client.write(work, name="test")
        client.close()
    settings.NEO4J_URI = graph.uri
    # The first attempt was committed, its reply lost; the second found what it had left.
    assert (len(attempts), times) == (2, 2)
    found = client.read("MATCH (t:Term {uid: $uid}) RETURN t.times AS times", name="test", uid=uid)
    assert found == [{"times": 2}]


@pytest.mark.django_db
def test_lost_reply_under_a_case_changes_nothing(
    workspace: Workspace, graph: GraphAddress, settings: Settings
) -> None:
    send(workspace, world())
    case = approved(workspace, "retraction", ("source", "s1"))
    with _cutting_proxy(graph.uri, at=COMMIT) as uri:
        settings.NEO4J_URI = uri
        run_to_end(case)
        client.close()
    settings.NEO4J_URI = graph.uri
    assert_invariants(workspace, world(), [Filed(case.uid, "retraction", (("source", "s1"),))])


@pytest.mark.parametrize(
    "code",
    ["Neo.ClientError.Transaction.TransactionCommitFailed", "Neo.DatabaseError.General.Unknown"],
)
def test_server_that_cannot_commit_is_away(
    graph: GraphAddress, settings: Settings, code: str
) -> None:
    """As one whose disk is full: ArcadeDB calls it the client's mistake, Neo4j its own."""
    attempts: list[Unit] = []
    with _cutting_proxy(graph.uri, at=COMMIT, reply=_failure(code)) as uri:
        settings.NEO4J_URI = uri
        with pytest.raises(GraphAway, match="does not commit"):
            client.write(attempts.append, name="test")
        client.close()
    assert len(attempts) == 1


def test_server_that_fails_by_itself_is_away(graph: GraphAddress, settings: Settings) -> None:
    failure = _failure("Neo.DatabaseError.General.UnknownError")
    with _cutting_proxy(graph.uri, at=b"RETURN 1", reply=failure) as uri:
        settings.NEO4J_URI = uri
        with pytest.raises(GraphAway, match="by itself"):
            client.ping()
        client.close()


def test_forked_process_has_its_own_connection(graph: GraphAddress) -> None:
    client.ping()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            client.ping()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    client.ping()


def _failure(code: str) -> bytes:
    """Bolt's message FAILURE with this code, in a chunk."""
    told = {"code": code, "neo4j_code": code, "message": "told by a test"}
    packed = b"".join(
        b"\xd0" + bytes((len(word),)) + word.encode() for pair in told.items() for word in pair
    )
    message = b"\xb1\x7f" + bytes((0xA0 + len(told),)) + packed
    return len(message).to_bytes(2, "big") + message + b"\x00\x00"


@contextmanager
def _cutting_proxy(uri: str, *, at: bytes, reply: bytes = b"") -> Iterator[str]:
    """A proxy that hands the first message with `at` to the server, takes the reply and cuts the line.

    With a `reply` it gives that one instead, before it cuts it.
    """
    address = urlsplit(uri)
    assert address.hostname
    assert address.port
    server = (address.hostname, address.port)
    cut = threading.Event()

    def serve(near: socket.socket) -> None:
        with near, socket.create_connection(server) as far:
            back = threading.Thread(target=_pump, args=(far, near), daemon=True)
            back.start()
            while data := _receive(near):
                if at in data and not cut.is_set():
                    cut.set()
                    # Nothing else comes back to the client.
                    near.sendall(reply)
                    near.shutdown(socket.SHUT_WR)
                    far.sendall(data)
                    time.sleep(1)
                    break
                far.sendall(data)

    def accept() -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(near,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"
        assert cut.is_set()


def _receive(source: socket.socket) -> bytes:
    try:
        return source.recv(65_536)
    except OSError:
        return b""


def _pump(source: socket.socket, target: socket.socket) -> None:
    while data := _receive(source):
        try:
            target.sendall(data)
        except OSError:
            return
