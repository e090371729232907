"""Hundreds of tasks while the graph is away: a few connections are tried, whatever the number of tasks."""

from collections.abc import Iterator

import pytest

from lineage.graph import away, client
from lineage.graph.away import unless_away
from lineage.graph.client import QueryTimedOut
from lineage.types import GraphAway
from tests.servers.refusing import Refusing

pytestmark = pytest.mark.engine_free


@pytest.fixture
def refusing(settings: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusing]:
    server = Refusing()
    settings.NEO4J_URI = f"bolt://127.0.0.1:{server.port}"  # type: ignore[attr-defined]
    monkeypatch.setattr(away, "_closed_until", 0.0)
    yield server
    client.close()
    server.close()


def ask() -> None:
    with unless_away():
        client.ping()


def test_connections_do_not_grow_with_the_tasks_that_wait(
    refusing: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(500):
        with pytest.raises(GraphAway):
            ask()
    # One task asked, and tried a few times.
    once = refusing.calls
    assert 0 < once <= 10
    # Five seconds later one asks again.
    monkeypatch.setattr(away, "_closed_until", 0.0)
    for _ in range(500):
        with pytest.raises(GraphAway):
            ask()
    assert once < refusing.calls <= 20


def test_a_statement_that_takes_too_long_closes_nothing(refusing: Refusing) -> None:
    for _ in range(2):
        with pytest.raises(QueryTimedOut), unless_away():
            raise QueryTimedOut
    with unless_away():
        pass


def test_pauses_differ_and_are_bounded(refusing: Refusing, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = []
    for _ in range(40):
        monkeypatch.setattr(away, "_closed_until", 0.0)
        monkeypatch.setattr("lineage.graph.away.time.monotonic", lambda: 100.0)
        with pytest.raises(GraphAway), unless_away():
            raise GraphAway
        pauses.append(away._closed_until - 100)
    assert 1 <= min(pauses) < 2
    assert 4 < max(pauses) <= 5
