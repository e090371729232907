"""kill -9 of the graph server between a unit's last statement and its commit: rolled back, done again, once.

The server is one of the test's own, on either kind; requests and the task of every five seconds
are the product's. What comes of it is compared with a graph that was never killed.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pytest_django import Settings

from lineage import tasks
from lineage.graph import away, client, projection
from lineage.graph.client import Unit
from lineage.graph.dump import DumpedEdge, DumpedNode, dump
from lineage.graph.migrate import migrate
from lineage.graph.rebuild import rebuild
from lineage.graph.scope import Scope, scope_of
from lineage.graph.turn import in_turn
from lineage.models import GraphDirty, Node
from lineage.types import GraphAway
from provexplorer.beat_schedule import SCHEDULE
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, record, send, world
from tests.servers.graphs import Mortal, mortal
from tests.thorough import long_only

# Starts of servers cost a quarter of a minute of a processor and more.
pytestmark = long_only

# From the server's death to the last row in the graph, in seconds: what the fault may cost.
BUDGET: Final = 120.0
_EVERY: Final = float(SCHEDULE["project what is pending"]["schedule"])
_A_REQUEST: Final = 500


@pytest.fixture
def own(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Mortal]:
    """A server of this test alone, empty and migrated; it is the graph of the settings' choice."""
    kind = request.config.getoption("--graph")
    # What another test has found away must not be thought away here.
    monkeypatch.setattr(away, "_closed_until", 0.0)
    with mortal(tmp_path, kind) as server:
        yield server


class Units:
    """The units of projection as they run; those of `fatal` numbers (from 1) kill the server once they have written."""

    def __init__(self, server: Mortal, workspace: Workspace, fatal: set[int]) -> None:
        self.server, self.workspace, self.fatal = server, workspace, fatal
        self.ran: list[int] = []  # the batch of each
        self.killed: list[int] = []
        self.died_at = 0.0
        self._before: tuple[list[DumpedNode], list[DumpedEdge]] | None = None

    def in_turn(self, scope: Scope, work: Callable[[Unit, int], Any], *, name: str) -> Any:
        """As lineage.graph.turn has it."""

        def unit_of_work(unit: Unit, batch: int) -> Any:
            self.ran.append(batch)
            if self._before is not None:
                # Nothing that was half written is there after the restart.
                assert dump(self.workspace.pk) == self._before
                self._before = None
            if len(self.ran) not in self.fatal:
                return work(unit, batch)
            self._before = dump(self.workspace.pk)
            written = work(unit, batch)
            self.server.kill()
            self.killed.append(batch)
            self.died_at = time.monotonic()
            return written

        return in_turn(scope, unit_of_work, name=name)


def catch_up(units: Units) -> None:
    """The task of every few seconds, until nothing is behind; within the fault's budget."""
    while True:
        if not units.server.alive:
            units.server.launch()
        try:
            tasks.project_pending()
        except GraphAway:
            assert time.monotonic() - units.died_at < BUDGET
            time.sleep(_EVERY)
        else:
            break
    assert not GraphDirty.objects.filter(workspace=units.workspace).exists()
    assert time.monotonic() - units.died_at < BUDGET


def batch_of(workspace: Workspace) -> int:
    """How many units of the workspace the graph has had."""
    cypher = "MATCH (turn:Projection {uid: $uid}) RETURN turn.batch AS batch"
    (row,) = client.read(cypher, name="test", uid=scope_of(workspace.pk).code)
    return int(row["batch"])


def pointing_at(settings: Settings, address: GraphAddress) -> None:
    for name, value in address.environment().items():
        setattr(settings, name, value)


def assert_once(settings: Settings, graph: GraphAddress, units: Units) -> None:
    """Every row is there once, and all is as in a graph that is written from nothing."""
    workspace = units.workspace
    found = dump(workspace.pk)
    uids = sorted(uid for _, uid, _ in found[0])
    assert uids == sorted(Node.objects.filter(workspace=workspace).values_list("uid", flat=True))
    # Each unit was committed once: one that died has left its number to the next.
    assert Counter(units.ran) == Counter(set(units.ran)) + Counter(units.killed)
    assert batch_of(workspace) == max(units.ran)
    client.close()
    pointing_at(settings, graph)
    rebuild(workspace.pk)
    assert dump(workspace.pk) == found


def test_a_unit_that_dies_before_its_commit_is_done_again_once(
    graph: GraphAddress,
    own: Mortal,
    workspace: Workspace,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pointing_at(settings, own.server.address)
    migrate()
    units = Units(own, workspace, fatal={2})
    monkeypatch.setattr(projection, "in_turn", units.in_turn)
    send(workspace, world())
    # New nodes, and one that was there: an edge of it goes, and another comes.
    sent = [
        record("chunk", "c1b", document="s2-doc", interval={"start": 0, "end": 16}),
        *answer("new", retrieved=["c1", "c1b"], included=["c1b"], cites=["c1b"]),
    ]
    outcomes = send(workspace, sent)
    assert {one.status for one in outcomes} == {"accepted"}
    assert len(units.killed) == 1
    catch_up(units)
    assert_once(settings, graph, units)


def test_ten_thousand_rows_in_many_units_of_which_some_die(
    graph: GraphAddress,
    own: Mortal,
    workspace: Workspace,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One dies in a request, one in what makes up for it, one in a later request."""
    pointing_at(settings, own.server.address)
    migrate()
    units = Units(own, workspace, fatal={4, 5, 12})
    monkeypatch.setattr(projection, "in_turn", units.in_turn)
    rows = [*world()]
    name = 0
    while len(rows) < 10_000:
        rows += answer(f"n{name}", retrieved=["c1", "c2"], included=["c1"], cites=["c1"])
        name += 1
    for start in range(0, len(rows), _A_REQUEST):
        send(workspace, rows[start : start + _A_REQUEST])
        # The next request comes while it is away.
        if not own.alive and start // _A_REQUEST % 2 == 0:
            catch_up(units)
    catch_up(units)
    assert len(units.killed) == 3
    assert_once(settings, graph, units)
