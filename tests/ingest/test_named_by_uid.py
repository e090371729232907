"""References by uid bind whether they come before what they name or after it."""

from itertools import chain
from typing import Any

import pytest
from pytest_django import Settings

from lineage.models import Node, Reference
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import node, record, send, standing_graph

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


def named() -> list[dict[str, Any]]:
    return [
        record("source", "s", title="S"),
        record("source_version", "v", source="s"),
        record("document", "d", source_version="v", text="Alpha."),
        record("chunk", "c", document="d", interval={"start": 0, "end": 5}),
        record("context", "x", items=[{"chunk": "c", "position": 1}]),
        record("answer", "a", context="x", text="Alpha. [1]"),
        record("claim", "k", answer="a", interval={"start": 0, "end": 6}),
    ]


def naming(uids: dict[str, str]) -> list[dict[str, Any]]:
    """Records that name the others by uid: as what they tell of, and as their place."""
    return [
        record("retrieval", "r", candidates=[{"chunk": {"uid": uids["c"]}, "rank": 1}]),
        record("fact", "f", subject_of={"uid": uids["c"]}, subject="A", predicate="is", object="B"),
        record("citation", "q", claim={"uid": uids["k"]}, marker="[1]", chunk={"uid": uids["c"]}),
    ]


@pytest.fixture
def uids(workspace: Workspace) -> dict[str, str]:
    """What the uids are going to be: a twin with the same key has them already."""
    twin = Workspace.objects.create(slug="twin", name="twin", uid_key=workspace.uid_key)
    send(twin, named())
    found = dict(Node.objects.filter(workspace=twin).values_list("key", "uid"))
    twin.delete()
    return found


def test_a_uid_that_nobody_holds_is_unresolved_and_told(
    workspace: Workspace, uids: dict[str, str]
) -> None:
    outcomes = send(workspace, naming(uids))
    assert [[warned.pointer for warned in each.warnings] for each in outcomes] == [
        ["/candidates/0/chunk"], ["/subject_of"], ["/claim", "/chunk"],
    ]  # fmt: skip
    rows = Reference.objects.filter(workspace=workspace)
    assert {row.status for row in rows} == {"unresolved"}
    assert rows.count() == 4


def test_what_is_named_by_uid_may_come_later(workspace: Workspace, uids: dict[str, str]) -> None:
    send(workspace, naming(uids))
    send(workspace, named())
    late = standing_graph(workspace)
    assert node(workspace, "citation", "q").flags == []
    assert not Reference.objects.filter(workspace=workspace, status="unresolved").exists()

    Workspace.objects.filter(pk=workspace.pk).delete()
    again = Workspace.objects.create(slug="again", name="again", uid_key=workspace.uid_key)
    send(again, list(chain(named(), naming(uids))))
    assert standing_graph(again) == late
