"""A workspace that is deleted while tasks for it are under way: they end quietly and write nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from lineage import tasks
from lineage.cases import closing, propagate
from lineage.content.apart import new_owner
from lineage.erasure import begin as beginning
from lineage.erasure import places
from lineage.models import (
    AnswerEffect,
    Blob,
    Case,
    CaseTarget,
    DataKey,
    ErasedNode,
    Erasure,
    ErasurePlace,
    GraphDirty,
    Node,
    RegisterEpoch,
    TaskOutbox,
    Withdrawal,
)
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, row, run_to_end, send, world
from tests.faults.invariants import Filed, assert_invariants

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]


@pytest.fixture
def files_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a test's transaction no log of the database can be emptied."""
    monkeypatch.setitem(places.WORK, "files", lambda _work: 0)


def delete(workspace: Workspace) -> None:
    """All of it, what protects other rows first."""
    for model in (CaseTarget, Withdrawal):
        model._default_manager.filter(case__workspace=workspace).delete()
    Node.objects.filter(workspace=workspace).update(parent=None, owner=None, version=None)
    Case.objects.filter(workspace=workspace).update(reinstates=None)
    workspace.delete()


@pytest.mark.parametrize(
    ("module", "step"),
    [(propagate, "reached_after"), (propagate, "materialise"), (closing, "out_of_line"),
     (closing, "project_case"), (closing, "prove")],
)  # fmt: skip
def test_it_may_go_at_any_step(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, module: Any, step: str
) -> None:
    send(workspace, world())
    case_id = row(approved(workspace, "retraction", ("source", "s1"))).pk
    real: Callable[..., Any] = getattr(module, step)
    gone: list[int] = []

    def meanwhile(*arguments: Any, **named: Any) -> Any:
        found = real(*arguments, **named)
        if not gone:
            gone.append(workspace.pk)
            delete(workspace)
        return found

    monkeypatch.setattr(module, step, meanwhile)
    workspace_id = workspace.pk
    for _ in range(4):
        Case.objects.update(lease_until=None)
        tasks.propagate_case(case_id=case_id)
    assert gone == [workspace_id]
    # And what was asked for before comes after.
    for task in TaskOutbox.objects.filter(
        name__in=("lineage.project_case", "lineage.propagate_case")
    ):
        getattr(tasks, task.name.removeprefix("lineage."))(**task.arguments)
    tasks.compare_again(case_id=case_id, source_id=1)
    tasks.start_scheduled()
    assert not AnswerEffect.objects.exists()
    assert not Case.objects.exists()
    assert not GraphDirty.objects.exists()


@pytest.mark.usefixtures("files_left_alone")
@pytest.mark.parametrize("step", ["begin", "key", "answers", "probes"])
def test_it_may_go_at_any_step_of_an_erasure(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    send(workspace, world())
    case_id = row(approved(workspace, "erasure", ("source", "s1"))).pk
    own = _keys_of_no_node()
    # Before the turn is taken, else when a place has been cleared.
    real: Callable[..., Any] = new_owner if step == "begin" else places.WORK[step]
    workspace_id = workspace.pk
    gone: list[int] = []

    def meanwhile(*given: Any) -> Any:
        found = real(*given)
        gone.append(workspace_id)
        delete(workspace)
        return found

    if step == "begin":
        monkeypatch.setattr(beginning, "new_owner", meanwhile)
    else:
        monkeypatch.setitem(places.WORK, step, meanwhile)
    # And once more, as a message that comes late.
    for _ in range(2):
        tasks.erase_case(case_id=case_id)
    assert gone == [workspace_id]
    tasks.erase_due()
    for model in (Erasure, ErasedNode, ErasurePlace, Case, GraphDirty, RegisterEpoch):
        assert not model._default_manager.exists()
    # What it worked with has gone, too.
    left = _keys_of_no_node() - own
    assert not Blob.objects.filter(owner_id__in=left).exists()
    assert left == set()


def _keys_of_no_node() -> set[int]:
    return set(DataKey.objects.filter(owner_id__lt=0).values_list("owner_id", flat=True))


def test_another_workspaces_case_is_untouched(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    for one in (workspace, other):
        send(one, world())
    gone = row(approved(workspace, "retraction", ("source", "s1"))).pk
    case = approved(other, "retraction", ("source", "s1"))
    run_to_end(case, runs=1)
    delete(workspace)
    tasks.propagate_case(case_id=gone)
    assert run_to_end(case).state == Case.State.VERIFIED
    assert_invariants(other, world(), [Filed(case.uid, "retraction", (("source", "s1"),))])
