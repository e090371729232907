"""An erasure that is reinstated, before it begins or while it runs, takes nothing more."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from lineage import tasks
from lineage.cases import workflow
from lineage.content.keys import keys_of
from lineage.content.passages import texts_of
from lineage.erasure import begin as beginning
from lineage.erasure import essence, hold, places, run
from lineage.erasure.begin import begin
from lineage.erasure.certificate import erasure_part
from lineage.erasure.ledger import view_of
from lineage.erasure.work import Work
from lineage.models import Case, DataKey, ErasedNode, Erasure, Node
from lineage.models.turns import take_turn
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, node, record, send, viewer
from tests.erasure.world import AT, PASSAGE, TEXT, erased, made, world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]


@pytest.fixture
def source(workspace: Workspace) -> Iterator[Node]:
    made(workspace)
    yield node(workspace, "source", "s1")
    clock.use(None)


def _approved(workspace: Workspace) -> Case:
    return Case.objects.get(uid=approved(workspace, "erasure", ("source", "s1")).uid)


def _lift(case: Case) -> None:
    workflow.reinstate(viewer(case.workspace), case.uid, reason="It was the wrong one.")


def _sent_again(workspace: Workspace) -> Node:
    """The passage of a document that says the same, of the same source."""
    records = [
        record("document", "s1-again", source_version="s1@1", text=TEXT),
        record("chunk", "c1-again", document="s1-again", interval={"start": AT[0], "end": AT[1]}),
    ]
    assert [one.status for one in send(workspace, records)] == ["stored", "stored"]
    return node(workspace, "chunk", "c1-again")


def _untouched(workspace: Workspace, case: Case) -> bool:
    """Whether every text can be read, and nothing of the erasure has begun or is left behind."""
    chunk = node(workspace, "chunk", "c1")
    return (
        texts_of([chunk]) == {chunk.pk: PASSAGE}
        and not ErasedNode.objects.filter(erasure_id=case.pk).exists()
        and essence.read(case.uid) is None
    )


def test_scheduled_started_and_lifted_before_the_task_comes(
    workspace: Workspace, source: Node
) -> None:
    soon = clock.now() + timedelta(hours=1)
    case = Case.objects.get(
        uid=approved(workspace, "erasure", ("source", "s1"), effective_at=soon).uid
    )
    then = soon + timedelta(seconds=5)
    clock.use(lambda: then)
    tasks.start_scheduled()
    # Asked for, and not done yet.
    assert run.sweep() == 1
    _lift(case)
    own = DataKey.objects.filter(owner_id__lt=0).count()
    tasks.erase_case(case_id=case.pk)
    assert _untouched(workspace, case)
    assert keys_of([source.pk]).keys() == {source.pk}
    assert run.sweep() == 0
    assert DataKey.objects.filter(owner_id__lt=0).count() == own


def test_approved_again_after_it_was_lifted(workspace: Workspace, source: Node) -> None:
    case = _approved(workspace)
    _lift(case)
    workflow.approve(viewer(workspace), case.uid)
    run.begin_now(viewer(workspace), case.uid)
    assert _untouched(workspace, case)
    assert keys_of([source.pk]).keys() == {source.pk}


def test_lifted_between_the_look_and_the_turn(
    workspace: Workspace, source: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever lifts it has the turn first: it is looked at again, and the working key goes."""
    case = _approved(workspace)
    real = take_turn

    def first_the_other(workspace_id: int) -> None:
        monkeypatch.setattr(beginning, "take_turn", real)
        _lift(case)
        real(workspace_id)

    own = DataKey.objects.filter(owner_id__lt=0).count()
    monkeypatch.setattr(beginning, "take_turn", first_the_other)
    assert begin(case.pk) is None
    assert _untouched(workspace, case)
    # One of them: the words of the reinstatement.
    assert DataKey.objects.filter(owner_id__lt=0).count() <= own + 1
    assert keys_of([source.pk]).keys() == {source.pk}


def test_another_process_was_faster(
    workspace: Workspace, source: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = _approved(workspace)
    real = take_turn

    def first_the_other(workspace_id: int) -> None:
        monkeypatch.setattr(beginning, "take_turn", real)
        begin(case.pk)
        real(workspace_id)

    own = DataKey.objects.filter(owner_id__lt=0).count()
    monkeypatch.setattr(beginning, "take_turn", first_the_other)
    begun = begin(case.pk)
    assert begun is not None
    assert begun.state == Erasure.State.RUNNING
    # The one that the erasure works with.
    assert DataKey.objects.filter(owner_id__lt=0).count() == own + 1
    assert keys_of([source.pk]).keys() == {source.pk}


@pytest.mark.parametrize(("during", "done"), [("key", []), ("blobs", ["key"])])
def test_lifted_during_a_run(
    workspace: Workspace,
    source: Node,
    monkeypatch: pytest.MonkeyPatch,
    during: str,
    done: list[str],
) -> None:
    """The run stops before its next step; the sweeper waits for it, and ends the erasure then."""
    case = _approved(workspace)
    real: Callable[[Work], int] = places.WORK[during]

    def work(one: Work) -> int:
        _lift(case)
        assert run.sweep() == 0
        return real(one)

    monkeypatch.setitem(places.WORK, during, work)
    assert not run.erase(case.pk)
    states = {one.name: one.state for one in view_of(case).places}
    assert [name for name, state in states.items() if state != "pending"] == done
    assert (keys_of([source.pk]).keys() == {source.pk}) is (not done)
    assert run.sweep() == 1
    view = view_of(case)
    assert (view.state, view.lifted_at is None) == ("done", False)
    # Ended, and not as one that has cleared everything.
    part = erasure_part(case)
    assert part is not None
    assert not part.complete
    working = Erasure.objects.get(pk=case.pk).working_owner
    assert working is not None
    assert keys_of([working]) == {}
    assert not run.erase(case.pk)


def test_what_is_sent_after_the_lift_survives_who_comes_back_from_the_dead(
    workspace: Workspace, source: Node
) -> None:
    case = _approved(workspace)
    begin(case.pk)
    dead = hold.take(case.pk)
    assert dead is not None
    later = clock.now() + 2 * hold.LEASE
    clock.use(lambda: later)
    assert run.erase(case.pk, only=("key",)) is False
    assert keys_of([source.pk]) == {}
    _lift(case)
    assert run.sweep() == 1
    again = _sent_again(workspace)
    assert texts_of([again]) == {again.pk: PASSAGE}
    with pytest.raises(hold.LostErasure):
        places.WORK["key"](Work(dead, dead.places.get(name="key")))
    with pytest.raises(hold.LostErasure):
        places.WORK["blobs"](Work(dead, dead.places.get(name="blobs")))
    hold.let_go(dead)
    assert texts_of([again]) == {again.pk: PASSAGE}


@pytest.mark.parametrize("until", ["key", "blobs", "records", None])
def test_what_is_sent_again_can_be_read_however_far_it_had_come(
    workspace: Workspace, source: Node, until: str | None
) -> None:
    case = _approved(workspace)
    names = list(places.WORK)
    run.erase(case.pk, only=tuple(names[: names.index(until) + 1] if until else ()))
    assert texts_of([node(workspace, "chunk", "c1")]) == {}
    _lift(case)
    assert run.sweep() == 1
    again = _sent_again(workspace)
    assert texts_of([again]) == {again.pk: PASSAGE}


def test_another_erasure_of_the_same_keeps_its_key_destroyed(
    workspace: Workspace, source: Node
) -> None:
    first = erased(workspace, ("source", "s1"))
    second = erased(workspace, ("source", "s1"))
    _lift(first)
    assert run.sweep() == 1
    key = DataKey.objects.get(owner_id=source.pk)
    assert key.destroyed_at is not None
    assert {one.status for one in send(workspace, world()[:1])} == {"rejected"}
    _lift(second)
    assert run.sweep() == 1
    assert not DataKey.objects.filter(owner_id=source.pk).exists()
