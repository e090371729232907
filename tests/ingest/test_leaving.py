"""What leaves the relational store leaves the graph, too: the graph away, the process dead, or neither."""

import pytest
from pytest_django import Settings

from lineage.graph import projection
from lineage.graph.dump import dump
from lineage.ingest.leaving import Leaving
from lineage.models import Node, TaskOutbox
from lineage.tasks import retire_nodes
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record, send

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """The process is no more."""


def in_graph(workspace: Workspace) -> set[str]:
    nodes, _ = dump(workspace.pk)
    return {uid for _, uid, _ in nodes}


def in_store(workspace: Workspace) -> set[str]:
    return set(Node.objects.filter(workspace=workspace).values_list("uid", flat=True))


@pytest.fixture
def named(graph: object, workspace: Workspace) -> Workspace:
    """A retrieval names a chunk that nobody has sent: the chunk is a placeholder, in the graph as well."""
    send(
        workspace,
        [
            record("source", "s", title="S"),
            record("source_version", "v", source="s"),
            record("document", "d", source_version="v", text="Alpha."),
            record("chunk", "c", document="d", interval={"start": 0, "end": 5}),
            record("retrieval", "r", candidates=[{"chunk": "ghost", "rank": 1}]),
        ],
    )
    assert in_graph(workspace) == in_store(workspace)
    assert len(in_graph(workspace)) == 6
    return workspace


def correct(workspace: Workspace) -> None:
    """The retrieval is sent again and names another chunk: nothing names the placeholder any more."""
    send(workspace, [record("retrieval", "r", at=LATER, candidates=[{"chunk": "c", "rank": 1}])])


def test_with_the_graph_away_the_promise_stands_and_can_be_kept_twice(
    named: Workspace, settings: Settings
) -> None:
    there = settings.NEO4J_URI
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    correct(named)
    settings.NEO4J_URI = there
    projection.project(named.pk)
    assert len(in_graph(named) - in_store(named)) == 1
    assert_promise_is_kept(named)


def test_a_process_that_dies_after_its_commit_leaves_the_promise(
    named: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: Leaving) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Leaving, "take_out", killed)
        with pytest.raises(Killed):
            correct(named)
    assert_promise_is_kept(named)


def assert_promise_is_kept(workspace: Workspace) -> None:
    (promise,) = TaskOutbox.objects.filter(name="lineage.retire_nodes", sent_at__isnull=True)
    for _ in range(2):
        retire_nodes(**promise.arguments)
        assert in_graph(workspace) == in_store(workspace)
    assert len(in_store(workspace)) == 5


def test_a_promise_that_was_kept_is_forgotten(named: Workspace) -> None:
    correct(named)
    assert in_graph(named) == in_store(named)
    assert len(in_graph(named)) == 5
    assert not TaskOutbox.objects.filter(name="lineage.retire_nodes").exists()


def test_a_uid_that_has_come_back_is_spared(named: Workspace, settings: Settings) -> None:
    there = settings.NEO4J_URI
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    correct(named)
    settings.NEO4J_URI = there
    again = record("retrieval", "r2", candidates=[{"chunk": "ghost", "rank": 1}])
    send(named, [again])
    (promise,) = TaskOutbox.objects.filter(name="lineage.retire_nodes")
    retire_nodes(**promise.arguments)
    projection.project(named.pk)
    assert in_graph(named) == in_store(named)
    assert len(in_graph(named)) == 7
