"""What the clock does: scheduled cases start, stalled ones are taken up."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from lineage import tasks
from lineage.cases import schedule, workflow
from lineage.cases.errors import CaseConflict
from lineage.models import Case, TaskOutbox
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, approved, row, run_to_end, send, states, viewer, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(workspace: Workspace) -> Iterator[Workspace]:
    send(workspace, world())
    yield workspace
    clock.use(None)


def in_(**delta: float) -> None:
    """Go on in time."""
    then = clock.now() + timedelta(**delta)
    clock.use(lambda: then)


def asked() -> int:
    return TaskOutbox.objects.filter(name="lineage.propagate_case").count()


def test_a_case_is_not_started_before_its_time(loaded: Workspace) -> None:
    case = approved(
        loaded, "expiry", ("source", "s1"), effective_at=clock.now() + timedelta(hours=1)
    )
    tasks.start_scheduled()
    assert (row(case).state, asked()) == ("scheduled", 0)


def test_a_case_whose_time_has_come_is_in_effect_and_not_cancelled_any_more(
    loaded: Workspace,
) -> None:
    soon = clock.now().replace(tzinfo=None) + timedelta(hours=1)  # no zone: UTC
    case = approved(loaded, "expiry", ("source", "s1"), effective_at=soon)
    in_(hours=1, minutes=1)
    with pytest.raises(CaseConflict) as conflict:
        workflow.cancel(viewer(loaded), case.uid)
    assert conflict.value.code == "in_effect"
    assert states(loaded, "cites") == {"cites": "stale"}


def test_a_case_whose_time_has_come_is_reinstated_before_anybody_starts_it(
    loaded: Workspace,
) -> None:
    soon = clock.now() + timedelta(hours=1)
    case = approved(loaded, "expiry", ("source", "s1"), effective_at=soon)
    with pytest.raises(CaseConflict):
        workflow.reinstate(viewer(loaded), case.uid)
    in_(hours=1, minutes=1)
    workflow.reinstate(viewer(loaded), case.uid)
    assert states(loaded, "cites") == {"cites": "current"}
    schedule.start_due()
    assert row(case).state == "incomplete"


def test_a_case_starts_once_when_its_time_has_come(loaded: Workspace) -> None:
    case = approved(
        loaded, "expiry", ("source", "s1"), effective_at=clock.now() + timedelta(hours=1)
    )
    epoch = row(case).epoch
    in_(hours=1, minutes=1)
    assert (schedule.start_due(), schedule.start_due()) == (1, 0)
    assert (row(case).state, row(case).epoch, asked()) == ("propagating", epoch + 1, 1)
    run_to_end(case, runs=2)
    assert states(loaded, "cites", "context") == {"cites": "stale", "context": "review"}
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    assert states(loaded, "late") == {"late": "stale"}


def test_an_effective_instant_in_the_past_takes_effect_at_once(loaded: Workspace) -> None:
    case = approved(
        loaded, "expiry", ("source", "s1"), effective_at=clock.now() - timedelta(days=9)
    )
    assert case.state == "propagating"
    assert states(loaded, "cites") == {"cites": "stale"}


def test_a_case_whose_message_was_lost_is_taken_up(loaded: Workspace) -> None:
    approved(loaded, "retraction", ("source", "s1"))
    assert schedule.take_up_stalled() == 0, "its own message may be on its way"
    in_(seconds=30)
    assert schedule.take_up_stalled() == 1
    assert asked() == 2


def test_a_case_whose_worker_died_is_taken_up_when_its_lease_has_run_out(loaded: Workspace) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    in_(seconds=30)
    Case.objects.filter(pk=case.pk).update(lease_until=clock.now() + timedelta(seconds=60))
    assert schedule.take_up_stalled() == 0
    in_(seconds=90)
    assert schedule.take_up_stalled() == 1


def test_a_paused_case_is_left_alone(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    workflow.pause(viewer(loaded), case.uid)
    in_(hours=1)
    tasks.start_scheduled()
    assert asked() == 1


def test_tasks_take_arguments_that_a_newer_sender_adds(loaded: Workspace) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    tasks.propagate_case(case_id=case.pk, workspace_id=loaded.pk, hint="later")
    tasks.propagate_case(case_id=case.pk + 1_000)
    tasks.compare_again(case_id=case.pk + 1_000, source_id=1, after=0, more=1)
    tasks.send_outbox(more=1)
    case.refresh_from_db()
    assert case.done == 3
