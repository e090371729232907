"""Clocks that are a day off, each machine its own, and put back by an hour: nothing waits for them, nothing is missed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import pytest

from lineage import liveness, outbox, tasks
from lineage.cases import lease, propagate, schedule, workflow
from lineage.cases.epoch import open_batches
from lineage.models import AnswerEffect, ApplyBatch, Case, CaseEvent, TaskOutbox
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, approved, row, run_to_end, send, states, viewer, world
from tests.faults.invariants import Filed, assert_invariants

pytestmark = pytest.mark.django_db

# How far the clocks of those who approve, write and propagate are off; the hour is the end of summer.
OFF: Final = [
    (timedelta(days=1), timedelta(0), timedelta(days=-1)),
    (timedelta(days=-1), timedelta(days=1), timedelta(0)),
    (timedelta(0), timedelta(hours=-1), timedelta(days=1)),
]


@contextmanager
def clock_off_by(off: timedelta) -> Iterator[None]:
    now = clock.now
    true = now()
    clock.use(lambda: true + off)
    try:
        yield
    finally:
        clock.use(None)


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


@pytest.mark.one_pair
@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize(("approver", "writer", "worker"), OFF)
def test_states_do_not_depend_on_whose_clock_is_off(
    loaded: Workspace, approver: timedelta, writer: timedelta, worker: timedelta
) -> None:
    def late(name: str) -> list[dict[str, Any]]:
        return answer(name, retrieved=["c1"], included=["c1"], cites=["c1"])

    with clock_off_by(writer):
        send(loaded, late("before"))
    with clock_off_by(approver):
        case = approved(loaded, "retraction", ("source", "s1"))
    for off in (approver, writer, worker):
        with clock_off_by(off):
            assert states(loaded, "cites", "before") == {"cites": "stale", "before": "stale"}
    with clock_off_by(writer):
        send(loaded, late("after"))
    with clock_off_by(worker):
        run_to_end(case, runs=3)
    effects = AnswerEffect.objects.filter(case__uid=case.uid, ended_at__isnull=True)
    assert {one.answer.key for one in effects} == {"cites", "context", "drops", "before", "after"}
    with clock_off_by(approver):
        ending = workflow.reinstate(viewer(loaded), case.uid)
    with clock_off_by(worker):
        run_to_end(ending, runs=3)
        assert set(states(loaded).values()) == {"current"}
    filed = Filed(case.uid, "retraction", (("source", "s1"),), holds=False)
    assert_invariants(loaded, [*world(), *late("before"), *late("after")], [filed])


@pytest.mark.parametrize("off", [timedelta(days=1), timedelta(days=-1)])
def test_a_lease_of_a_clock_that_is_off_is_not_waited_for(
    loaded: Workspace, off: timedelta
) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    with clock_off_by(off):
        dead = lease.take(case.pk)
    assert dead is not None
    assert schedule.take_up_stalled() == 1
    propagate.propagate(case.pk)
    assert AnswerEffect.objects.filter(case=case).count() == 3
    with pytest.raises(lease.LostHold):
        lease.keep(dead)


def test_a_case_approved_tomorrow_is_taken_up_today(loaded: Workspace) -> None:
    with clock_off_by(timedelta(days=1)):
        approved(loaded, "retraction", ("source", "s1"))
    assert schedule.take_up_stalled() == 1


def test_a_request_begun_tomorrow_is_not_waited_for(loaded: Workspace) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    with clock_off_by(timedelta(days=1)):
        ApplyBatch.objects.create(workspace=loaded, epoch=case.epoch - 1, started_at=clock.now())
    assert open_batches(loaded.pk, case.epoch) == 0
    ApplyBatch.objects.create(workspace=loaded, epoch=case.epoch - 1, started_at=clock.now())
    assert open_batches(loaded.pk, case.epoch) == 1


@pytest.mark.parametrize("column", ["created_at", "again_at"])
def test_a_task_asked_for_tomorrow_is_sent_today(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    TaskOutbox.objects.all().delete()
    sent: list[str] = []

    def send_task(row: TaskOutbox, *_: object) -> bool:
        sent.append(row.name)
        return True

    monkeypatch.setattr(outbox, "_send", send_task)
    tomorrow, now = clock.now() + timedelta(days=1), clock.now()
    given = {"created_at": now, "sent_at": now} | {column: tomorrow}
    if column == "created_at":
        given["sent_at"] = None  # type: ignore[assignment]
    TaskOutbox.objects.create(name="lineage.x", **given)
    assert outbox.send_outbox() == 1
    assert sent == ["lineage.x"]


def test_one_leads_until_it_has_been_silent_whatever_the_clocks_say() -> None:
    second = timedelta(seconds=1)

    def leads(who: str, off: timedelta = timedelta(0)) -> bool:
        with clock_off_by(off):
            return liveness.lead("tests", who, lease=10 * second)

    steps: list[tuple[Callable[[], bool], bool]] = [
        (lambda: leads("a"), True),
        (lambda: leads("b"), False),
        (lambda: leads("b", 9 * second), False),
        (lambda: leads("b", 11 * second), True),
        (lambda: leads("a", 12 * second), False),
        # One that signs for tomorrow holds nobody up today.
        (lambda: leads("b", timedelta(days=1)), True),
        (lambda: leads("a"), True),
    ]
    for place, (step, expected) in enumerate(steps):
        assert step() is expected, place
    liveness.give_up("tests", "a")
    assert leads("c")


@pytest.mark.one_pair
@pytest.mark.usefixtures("graph")
def test_what_two_beats_ask_for_begins_once(loaded: Workspace) -> None:
    at = clock.now() + timedelta(hours=1)
    case = approved(loaded, "retraction", ("source", "s1"), effective_at=at)
    filed = Filed(case.uid, "retraction", (("source", "s1"),), at=at)
    assert_invariants(loaded, world(), [filed])
    with clock_off_by(timedelta(hours=2)):
        for _ in range(2):
            tasks.start_scheduled()
        assert CaseEvent.objects.filter(what=CaseEvent.What.STARTED).count() == 1
        run_to_end(case)
        assert_invariants(loaded, world(), [filed])


def test_work_is_delayed_when_workers_or_messages_are(loaded: Workspace) -> None:
    TaskOutbox.objects.all().delete()
    assert not liveness.delayed(), "nobody has signed yet: it is only starting"
    liveness.sign(liveness.WORKER)
    assert not liveness.delayed()
    with clock_off_by(timedelta(seconds=61)):
        assert liveness.delayed()
        liveness.sign(liveness.WORKER)
        assert not liveness.delayed()
    TaskOutbox.objects.create(name="lineage.x", created_at=clock.now())
    with clock_off_by(timedelta(seconds=61)):
        assert liveness.delayed()
    assert Case.objects.count() == 0
