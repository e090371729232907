"""Which index snapshots hold what a case takes out of use: by every way down, and nothing else."""

from datetime import timedelta

import pytest

from lineage.cases import workflow
from lineage.cases.snapshots import SnapshotToRebuild, to_rebuild
from lineage.cases.view import case_view
from lineage.models import Case, Node
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, drafted, node, record, send, viewer, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def indexed(workspace: Workspace) -> Workspace:
    """`one` holds embeddings of both chunks of s1, `two` chunk c1b itself, `three` only s2's."""
    send(
        workspace,
        [
            *world(),
            record("embedding", "e1", chunk="c1", model="m"),
            record("embedding", "e1b", chunk="c1b", model="m"),
            record("embedding", "e2", chunk="c2", model="m"),
            record("index_snapshot", "i1", collection="one", embeddings=["e1", "e1b", "e2"]),
            record("index_snapshot", "i2", collection="two", chunks=["c1b", "c2"]),
            record("index_snapshot", "i3", collection="three", embeddings=["e2"]),
        ],
    )
    return workspace


def found(workspace: Workspace, uid: str) -> dict[str, int]:
    rebuild = to_rebuild(Case.objects.get(workspace=workspace, uid=uid))
    assert not rebuild.truncated
    uids = [one.uid for one in rebuild.snapshots]
    assert uids == sorted(uids)
    return {one.label: one.members for one in rebuild.snapshots}


@pytest.mark.parametrize(
    ("kind", "target", "expected"),
    [
        ("revocation", ("source", "s1"), {"one": 2, "two": 1}),
        ("correction", ("document", "s1-doc"), {"one": 2, "two": 1}),
        ("retraction", ("chunk", "c1"), {"one": 1}),
        ("erasure", ("embedding", "e2"), {"one": 1, "three": 1}),
        # The parser made both documents; its runs are known by what they made.
        ("defective_component", ("component", "parser"), {"one": 3, "two": 2, "three": 1}),
        ("defective_component", ("run", "parse"), {"one": 3, "two": 2, "three": 1}),
        # Nothing is taken out of use, or nothing of it is indexed.
        ("concern", ("source", "s1"), {}),
        ("license_change", ("source", "s1"), {}),
        ("defective_component", ("component", "model"), {}),
    ],
)
def test_snapshots_that_hold_something_under_the_case(
    indexed: Workspace, kind: str, target: tuple[str, str], expected: dict[str, int]
) -> None:
    uid = drafted(indexed, kind, target).uid
    assert found(indexed, uid) == {}
    # The dry run tells the numbers that the approval will.
    workflow.dry_run(viewer(indexed), uid)
    assert found(indexed, uid) == expected
    workflow.approve(viewer(indexed), uid)
    assert found(indexed, uid) == expected
    workflow.reinstate(viewer(indexed), uid)
    assert found(indexed, uid) == {}


def test_a_scheduled_and_a_closed_case(indexed: Workspace) -> None:
    later = clock.now() + timedelta(days=1)
    uid = approved(indexed, "revocation", ("source", "s1"), effective_at=later).uid
    assert found(indexed, uid) == {"one": 2, "two": 1}
    workflow.cancel(viewer(indexed), uid)
    assert found(indexed, uid) == {}


def test_an_agent_stands_for_its_works_before_the_approval_too(indexed: Workspace) -> None:
    made = record("source", "s1", title="Work s1", creators=[{"name": "Ada"}])
    send(indexed, [made])
    (agent,) = Node.objects.filter(workspace=indexed, kind="agent")
    uid = workflow.draft(
        viewer(indexed), workflow.NewCase(kind="revocation", targets=[{"uid": agent.uid}])
    ).uid
    workflow.dry_run(viewer(indexed), uid)
    assert found(indexed, uid) == {"one": 2, "two": 1}


def test_the_case_shows_them(indexed: Workspace) -> None:
    case = approved(indexed, "retraction", ("chunk", "c1"))
    (shown,) = case_view(viewer(indexed), case.uid).rebuild.snapshots
    assert shown == SnapshotToRebuild(node(indexed, "index_snapshot", "i1").uid, "one", 1)
