"""Propagation in batches: resumed, delivered twice, overtaken, and what is born meanwhile."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from lineage.cases import lease, propagate, workflow
from lineage.cases.epoch import forget_dead
from lineage.cases.lease import LostHold
from lineage.cases.materialise import materialise
from lineage.cases.register import withdrawals_of
from lineage.cases.view import CaseView, case_view
from lineage.models import AnswerEffect, ApplyBatch, Case, Node, TaskOutbox
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import (
    answer,
    approved,
    node,
    record,
    row,
    run_to_end,
    send,
    states,
    viewer,
    work,
    world,
)

pytestmark = pytest.mark.django_db

# Without a graph server the proof cannot be had: a case goes through all batches and then waits.
MARKED = {
    "cites": ("cited", "stale"),
    "context": ("in_context", "review"),
    "drops": ("retrieved", "current"),
}


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """One answer a batch, one batch a run."""
    monkeypatch.setattr(propagate, "BATCH", 1)
    monkeypatch.setattr(propagate, "BATCHES_A_RUN", 1)


def effects(case: CaseView) -> dict[str, tuple[str, str]]:
    """Answer key → grade and state, of effects that have not ended."""
    words = {6: "cited", 5: "in_context", 4: "produced", 3: "retrieved", 2: "possible", 1: "served"}
    state = {2: "stale", 1: "review", 0: "current"}
    rows = AnswerEffect.objects.filter(case__uid=case.uid, ended_at__isnull=True)
    return {one.answer.key: (words[one.grade], state[one.state]) for one in rows}


def deliver(case: CaseView) -> None:
    propagate.propagate(row(case).pk)


def later(step: Callable[[], Any], **delta: float) -> Any:
    """Do something at another instant."""
    now = clock.now() + timedelta(**delta)
    clock.use(lambda: now)
    try:
        return step()
    finally:
        clock.use(None)


# --- batches ----------------------------------------------------------------------------


def test_every_answer_gets_its_strongest_grade_and_its_effect(loaded: Workspace) -> None:
    case = approved(loaded, "correction", ("source", "s1"), ("chunk", "c1b"))
    run_to_end(case)
    assert effects(case) == MARKED
    assert states(loaded) == {
        "cites": "stale", "context": "review", "drops": "current", "other": "current",
    }  # fmt: skip
    assert (row(case).done, row(case).total) == (3, 3)


def test_a_worker_that_dies_between_batches_leaves_a_cursor(
    loaded: Workspace, one_by_one: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    deliver(case)
    assert (len(effects(case)), row(case).done) == (1, 1)
    whole = materialise

    def dies_after_writing(*args: Any) -> set[int]:
        whole(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(propagate, "materialise", dies_after_writing)
    with pytest.raises(KeyboardInterrupt):
        deliver(case)
    # What the dead worker wrote in its batch went with its cursor.
    assert (len(effects(case)), row(case).done) == (1, 1)
    monkeypatch.setattr(propagate, "materialise", whole)
    deliver(case)
    assert len(effects(case)) == 1, "its lease holds until it runs out"
    later(lambda: deliver(case), seconds=31)
    assert (len(effects(case)), row(case).done) == (2, 2)
    run_to_end(case)
    assert effects(case) == MARKED
    assert row(case).done == 3


def test_a_task_delivered_twice_at_once_works_once(loaded: Workspace, one_by_one: None) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    hold = lease.take(row(case).pk)
    assert hold is not None
    deliver(case)
    deliver(case)
    assert (effects(case), row(case).done) == ({}, 0)
    lease.let_go(hold)
    run_to_end(case)
    run_to_end(case)
    assert (effects(case), row(case).done) == (MARKED, 3)
    assert AnswerEffect.objects.count() == 3


def test_a_worker_back_from_the_dead_writes_nothing(loaded: Workspace) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    old = lease.take(case.pk)
    new = later(lambda: lease.take(case.pk), seconds=31)
    assert old is not None
    assert new is not None
    with pytest.raises(LostHold):
        lease.keep(old, cursor=10**9)
    case.refresh_from_db()
    assert case.cursor == 0
    lease.keep(new, cursor=5)


@pytest.mark.parametrize("step", [workflow.pause, workflow.reinstate])
def test_a_batch_under_way_loses_to_a_pause_and_to_a_reinstatement(
    loaded: Workspace, step: Callable[..., CaseView]
) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    hold = lease.take(case.pk)
    assert hold is not None
    step(viewer(loaded), case.uid)
    with pytest.raises(LostHold):
        lease.keep(hold, cursor=1)


def test_each_run_asks_for_the_next_with_its_progress(loaded: Workspace, one_by_one: None) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    TaskOutbox.objects.all().delete()
    deliver(case)
    asked = TaskOutbox.objects.get(name="lineage.propagate_case")
    assert asked.arguments == {"case_id": row(case).pk}
    assert row(case).lease_until is None


def test_a_case_that_never_gets_on_is_given_up_visibly(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))

    def poisoned(*_: Any) -> set[int]:
        raise ZeroDivisionError

    monkeypatch.setattr(propagate, "materialise", poisoned)
    for _ in range(propagate.MOST_ATTEMPTS):
        with pytest.raises(ZeroDivisionError):
            deliver(case)
        Case.objects.update(lease_until=None)
    deliver(case)
    shown = case_view(viewer(loaded), case.uid)
    assert shown.state == "incomplete"
    assert shown.shortfall == {"code": "gave_up", "attempts": 20}
    assert states(loaded)["cites"] == "stale", "the register does not give up"


def test_with_the_graph_away_a_case_waits_and_does_not_wear_out(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    for _ in range(3):
        deliver(case)
        waiting = row(case)
        assert (waiting.state, waiting.attempts) == ("propagating", 0)
        assert waiting.lease_until is not None
        Case.objects.update(lease_until=None)


# --- requests under way at approval -----------------------------------------------------


def begun(workspace: Workspace, case: Case, *, minutes_ago: float = 0) -> ApplyBatch:
    """A request that read the register before the case and is still being applied."""
    return ApplyBatch.objects.create(
        workspace=workspace,
        epoch=case.epoch - 1,
        started_at=clock.now() - timedelta(minutes=minutes_ago),
    )


def test_closing_waits_for_a_request_begun_before_the_approval(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    batch = begun(loaded, row(case))
    run_to_end(case, runs=3)
    # What it commits never saw the case, on an answer that the batches have passed.
    AnswerEffect.objects.filter(answer__key="cites").delete()
    assert states(loaded)["cites"] == "stale", "reads obey all the same"
    run_to_end(case, runs=3)
    assert "cites" not in effects(case)
    batch.delete()
    run_to_end(case, runs=3)
    assert effects(case) == MARKED


def test_a_request_that_is_over_leaves_no_row_and_a_dead_one_goes_after_a_day(
    loaded: Workspace,
) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    assert not ApplyBatch.objects.exists()
    send(loaded, answer("after", retrieved=["c2"], included=["c2"], cites=["c2"]))
    assert not ApplyBatch.objects.exists()
    living, dead = (begun(loaded, case, minutes_ago=60 * hours) for hours in (23, 25))
    forget_dead()
    assert [*ApplyBatch.objects.values_list("pk", flat=True)] == [living.pk] != [dead.pk]


def test_an_answer_that_a_request_commits_behind_the_cursor_is_marked(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    begun(loaded, row(case))
    run_to_end(case, runs=2)
    send(loaded, answer("slipped", retrieved=["c1"], included=["c1"], cites=["c1"]))
    AnswerEffect.objects.filter(answer__key="slipped").delete()
    run_to_end(case, runs=2)
    assert effects(case) == MARKED | {"slipped": ("cited", "stale")}


def test_a_request_whose_process_died_does_not_hold_a_case_up_for_ever(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    begun(loaded, row(case), minutes_ago=4)
    run_to_end(case, runs=2)
    AnswerEffect.objects.filter(answer__key="context").delete()
    run_to_end(case, runs=2)
    assert effects(case) == MARKED


def test_an_effect_that_nothing_bears_out_is_ended_by_the_closing_pass(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    AnswerEffect.objects.create(
        answer=node(loaded, "answer", "other"), case=row(case), grade=6, state=2, at=clock.now()
    )
    run_to_end(case, runs=2)
    assert effects(case) == MARKED
    assert states(loaded)["other"] == "current"


# --- born under a case ------------------------------------------------------------------


def test_an_answer_that_arrives_under_a_case_is_born_stale_and_warned_of(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    outcomes = send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    assert effects(case)["late"] == ("cited", "stale")
    warned = {
        one.key: {warning.code for warning in one.warnings}
        for one in outcomes
        if one.kind == "answer"
    }
    assert warned == {"late": {"withdrawn_upstream"}}
    assert states(loaded)["late"] == "stale"


def test_an_answer_on_another_source_is_born_current_and_unwarned(loaded: Workspace) -> None:
    approved(loaded, "retraction", ("source", "s1"))
    outcomes = send(loaded, answer("fine", retrieved=["c2"], included=["c2"], cites=["c2"]))
    assert not [warning for one in outcomes for warning in one.warnings if one.kind == "answer"]
    assert states(loaded)["fine"] == "current"
    assert not AnswerEffect.objects.filter(answer__key="fine").exists()


def test_an_upstream_edge_that_arrives_late_propagates_at_once(loaded: Workspace) -> None:
    send(
        loaded,
        [
            record("chunk", "orphan", document="late-doc", interval={"start": 0, "end": 5}),
            *answer("waiting", retrieved=["orphan"], included=["orphan"], cites=["orphan"]),
        ],
    )
    case = approved(loaded, "retraction", ("source", "s1"))
    assert states(loaded)["waiting"] == "current"
    send(loaded, [record("document", "late-doc", source_version="s1@1", text="Alpha again.")])
    assert effects(case)["waiting"] == ("cited", "stale")
    assert states(loaded)["waiting"] == "stale"


def test_an_edge_that_leaves_weakens_or_ends_the_effect(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case, runs=2)
    again = {"occurred_at": "2026-04-01T10:00:00Z"}
    send(loaded, [{**record("context", "ctx-context", retrieval="ret-context",
                            items=[{"chunk": "c2", "position": 1}]), **again}])  # fmt: skip
    assert effects(case)["context"] == ("retrieved", "current")
    send(loaded, [{**record("retrieval", "ret-context",
                            candidates=[{"chunk": "c2", "rank": 1, "kept": True}]), **again}])  # fmt: skip
    assert "context" not in effects(case)
    ended = AnswerEffect.objects.get(answer__key="context")
    assert ended.ended_at is not None


def test_a_case_on_a_source_that_nobody_has_sent_yet_holds_when_it_arrives(
    workspace: Workspace,
) -> None:
    send(workspace, [record("source_version", "s9@1", source="s9")])
    case = approved(workspace, "retraction", ("source", "s9"))
    send(workspace, work("s9", "Iota is nine.", {"c9": (0, 13)}))
    send(workspace, answer("nine", retrieved=["c9"], included=["c9"], cites=["c9"]))
    assert effects(case) == {"nine": ("cited", "stale")}


# --- reinstatement ----------------------------------------------------------------------


def test_a_reinstatement_ends_the_effects_and_keeps_them(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    run_to_end(case, runs=2)
    ending = workflow.reinstate(viewer(loaded), case.uid)
    assert set(states(loaded).values()) == {"current"}, "reads are free at once"
    run_to_end(ending, runs=2)
    assert effects(case) == {}
    assert AnswerEffect.objects.filter(case__uid=case.uid, ended_at__isnull=False).count() == 4
    flags = Node.objects.get(kind="answer", key="late").flags
    assert "withdrawn_upstream" not in {flag["code"] for flag in flags}


def test_a_reinstatement_leaves_the_effects_of_an_overlapping_case(loaded: Workspace) -> None:
    first = approved(loaded, "retraction", ("source", "s1"))
    second = approved(loaded, "revocation", ("document", "s1-doc"))
    run_to_end(first, runs=2)
    run_to_end(second, runs=2)
    run_to_end(workflow.reinstate(viewer(loaded), first.uid), runs=2)
    assert effects(first) == {}
    assert effects(second) == MARKED
    assert states(loaded)["cites"] == "stale"


def test_a_case_reinstated_before_its_end_says_so(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    workflow.reinstate(viewer(loaded), case.uid)
    shown = case_view(viewer(loaded), case.uid)
    assert (shown.state, shown.shortfall) == ("incomplete", {"code": "reinstated"})
    run_to_end(case)
    assert effects(case) == {}


# --- agents -----------------------------------------------------------------------------


def by_creator(name: str, key: str) -> list[dict[str, Any]]:
    """A work by this agent, and an answer that cites it."""
    creators = [{"agent": name, "role": "creator"}]
    first = {**record("source", key, title=key), "creators": creators}
    rest = work(key, "Words of it.", {f"{key}-chunk": (0, 12)})[1:]
    chunk = [f"{key}-chunk"]
    return [first, *rest, *answer(f"on-{key}", retrieved=chunk, included=chunk, cites=chunk)]


def test_an_agent_stands_for_its_works_those_attributed_later_too(loaded: Workspace) -> None:
    send(loaded, [record("agent", "ada", name="Ada"), *by_creator("ada", "first")])
    case = approved(loaded, "retraction", ("agent", "ada"))
    named = row(case).withdrawals.filter(ended_at__isnull=True).values_list("node__key", flat=True)
    assert sorted(named) == ["ada", "first"]
    assert states(loaded, "on-first", "cites") == {"on-first": "stale", "cites": "current"}
    send(loaded, by_creator("ada", "second"))
    assert effects(case)["on-second"] == ("cited", "stale")
    assert row(case).withdrawals.filter(node__key="second", ended_at__isnull=True).exists()


def test_a_version_with_its_own_creator_is_not_its_sources(loaded: Workspace) -> None:
    own = [{"agent": "bob", "role": "creator"}]
    records = by_creator("ada", "first")
    records[1] = {**records[1], "creators": own}
    send(loaded, [record("agent", "ada", name="Ada"), record("agent", "bob", name="Bob"), *records])
    approved(loaded, "retraction", ("agent", "ada"))
    assert states(loaded, "on-first") == {"on-first": "current"}
    approved(loaded, "retraction", ("agent", "bob"))
    assert states(loaded, "on-first") == {"on-first": "stale"}


@pytest.mark.parametrize("hours", [0, 1])
def test_a_work_attributed_later_is_under_the_case_before_anybody_answers_from_it(
    loaded: Workspace, hours: int
) -> None:
    """`hours` until the case takes effect: attributions are followed meanwhile."""
    send(loaded, [record("agent", "ada", name="Ada")])
    then = clock.now() + timedelta(hours=hours)
    later = {"effective_at": then} if hours else {}
    case = approved(loaded, "revocation", ("agent", "ada"), **later)
    send(loaded, by_creator("ada", "second")[:4])
    chunk = node(loaded, "chunk", "second-chunk")
    if hours:
        assert withdrawals_of(loaded.pk, [chunk.pk]) == {}
        clock.use(lambda: then + timedelta(seconds=1))
    try:
        active = withdrawals_of(loaded.pk, [chunk.pk])[chunk.pk]
    finally:
        clock.use(None)
    assert {row.case_uid for row in active} == {case.uid}
