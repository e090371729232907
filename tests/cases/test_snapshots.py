"""Which index snapshots hold what a case takes out of use: by every way down, and nothing else."""

import pytest

from lineage.cases.snapshots import SnapshotToRebuild, to_rebuild
from lineage.cases.view import case_view
from lineage.models import Case
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
    assert found(indexed, approved(indexed, kind, target).uid) == expected


def test_none_before_it_is_in_effect(indexed: Workspace) -> None:
    assert found(indexed, drafted(indexed, "revocation", ("source", "s1")).uid) == {}


def test_the_case_shows_them(indexed: Workspace) -> None:
    case = approved(indexed, "retraction", ("chunk", "c1"))
    (shown,) = case_view(viewer(indexed), case.uid).rebuild.snapshots
    assert shown == SnapshotToRebuild(node(indexed, "index_snapshot", "i1").uid, "one", 1)
