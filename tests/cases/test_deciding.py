"""Who decides a case and on what: another person where demanded, numbers that still hold, a reason for a no."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from lineage.cases import rules, workflow
from lineage.cases.errors import CaseConflict, CaseNotFound, DraftRefused, ScopeMissing
from lineage.cases.history import history
from lineage.cases.reach import counted, uids_and_grades
from lineage.cases.schedule import start_due
from lineage.cases.view import CaseView, case_view
from lineage.impact.question import Question
from lineage.impact.report import report
from lineage.models import Case, CaseEvent, TaskOutbox
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from tests.cases.world import (
    answer,
    drafted,
    node,
    row,
    run_to_end,
    send,
    states,
    undone,
    viewer,
    world,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
SOURCE = [{"kind": "source", "key": "s1"}]


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def person(workspace: Workspace, name: str, role: str = Role.EDITOR) -> Viewer:
    """A member who is somebody."""
    user = User.objects.create(username=f"{workspace.slug}-{name}", email=f"{name}@example.org")
    Membership.objects.create(user=user, workspace=workspace, role=role)
    scopes = ("read", "operate", "edit") if role != Role.READER else ("read",)
    return replace(viewer(workspace, *scopes), user_id=user.pk)


def demand_another(workspace: Workspace) -> None:
    rules.set_another_person(viewer(workspace, "admin"), demanded=True)


def ready(who: Viewer, effective_at: datetime | None = None) -> CaseView:
    wanted = workflow.NewCase("retraction", SOURCE, "x", effective_at=effective_at)
    case = workflow.draft(who, wanted)
    return workflow.dry_run(who, case.uid)


def code_of(step: object, *args: object, **more: object) -> str:
    with pytest.raises(CaseConflict) as refused:
        step(*args, **more)  # type: ignore[operator]
    return refused.value.code


def what(case: CaseView) -> list[str]:
    rows = CaseEvent.objects.filter(case__uid=case.uid).order_by("pk")
    return list(rows.values_list("what", flat=True))


@contextmanager
def later(**by: int) -> Iterator[None]:
    then = clock.now() + timedelta(**by)
    clock.use(lambda: then)
    try:
        yield
    finally:
        clock.use(None)


# --- another person ---------------------------------------------------------------------


def test_whoever_drafted_a_case_does_not_approve_it_where_another_person_is_demanded(
    loaded: Workspace,
) -> None:
    ann, bob = person(loaded, "ann"), person(loaded, "bob")
    case = ready(ann)
    assert ("approve" in case.may, case.barred) == (True, "")
    demand_another(loaded)
    seen = case_view(ann, case.uid)
    assert ("approve" in seen.may, seen.barred) == (False, "another_person")
    assert code_of(workflow.approve, ann, case.uid) == "another_person"
    key = replace(viewer(loaded), key_id=None, user_id=None)
    keyed = replace(key, key_id=1)
    assert code_of(workflow.approve, keyed, case.uid) == "a_person"
    assert states(loaded)["cites"] == "current"
    assert case_view(bob, case.uid).barred == ""
    assert workflow.approve(bob, case.uid).state == "propagating"
    # Approved by another it is approved for all.
    assert workflow.approve(ann, case.uid).state == "propagating"
    with pytest.raises(ScopeMissing):
        rules.set_another_person(bob, demanded=False)


@pytest.mark.usefixtures("graph")
def test_a_case_is_lifted_by_two_people_where_another_person_is_demanded(loaded: Workspace) -> None:
    ann, bob = person(loaded, "ann"), person(loaded, "bob")
    case = workflow.approve(ann, ready(ann).uid)
    demand_another(loaded)
    waiting = workflow.reinstate(ann, case.uid, reason="by mistake")
    assert (waiting.state, waiting.reinstates, waiting.barred) == (
        "ready",
        case.uid,
        "another_person",
    )
    assert workflow.reinstate(bob, case.uid).uid == waiting.uid
    assert case_view(ann, case.uid).reinstated_by is None
    assert states(loaded)["cites"] == "stale"
    assert code_of(workflow.approve, ann, waiting.uid) == "another_person"
    assert code_of(workflow.dry_run, ann, waiting.uid) == "is_reinstatement"
    lifted = workflow.approve(bob, waiting.uid)
    assert (lifted.state, lifted.reinstates) == ("propagating", case.uid)
    assert workflow.approve(bob, waiting.uid).state == "propagating"
    assert case_view(ann, case.uid).reinstated_by == waiting.uid
    assert states(loaded)["cites"] == "current"
    assert run_to_end(lifted).state == Case.State.VERIFIED
    assert what(case)[-1] == "lifted"
    assert what(waiting) == ["drafted", "tried", "approved", "verified"]


def test_of_two_reinstatements_that_wait_one_lifts(loaded: Workspace) -> None:
    ann, bob = person(loaded, "ann"), person(loaded, "bob")
    case = workflow.approve(ann, ready(ann).uid)
    demand_another(loaded)
    turned_down = workflow.reinstate(ann, case.uid)
    assert workflow.reject(bob, turned_down.uid, reason="It stays.").state == "rejected"
    assert states(loaded)["cites"] == "stale"
    again = workflow.reinstate(ann, case.uid)
    assert again.uid != turned_down.uid
    rules.set_another_person(viewer(loaded, "admin"), demanded=False)
    # The rule has gone: who lifts it now lifts it at once, and what waits can no longer.
    workflow.reinstate(bob, case.uid)
    assert code_of(workflow.approve, bob, again.uid) == "lifted_already"


# --- a no ---------------------------------------------------------------------------------


def test_a_case_is_rejected_with_a_reason_and_only_before_its_approval(loaded: Workspace) -> None:
    ann, bob, reader = (person(loaded, n, r) for n, r in (
        ("ann", Role.OPERATOR), ("bob", Role.EDITOR), ("rea", Role.READER)))  # fmt: skip
    case = ready(ann)
    with pytest.raises(ScopeMissing):
        workflow.reject(replace(ann, scopes=frozenset({"read", "operate"})), case.uid, reason="No.")
    for reason in ("", "  \n", "n" * 10_001):
        with pytest.raises(DraftRefused) as refused:
            workflow.reject(bob, case.uid, reason=reason)
        assert refused.value.pointer == "/reason"
    assert (
        workflow.reject(bob, case.uid, reason="The notice is about another work.").state
        == "rejected"
    )
    assert workflow.reject(bob, case.uid, reason="Twice.").state == "rejected"
    assert what(case) == ["drafted", "tried", "rejected"]
    assert history(reader, case.uid).items[0].text == "The notice is about another work."
    for step in (workflow.approve, workflow.cancel, workflow.dry_run, workflow.reinstate):
        with pytest.raises(CaseConflict):
            step(bob, case.uid)
    in_effect = workflow.approve(bob, ready(ann).uid)
    assert code_of(workflow.reject, bob, in_effect.uid, reason="Late.") == "approved"
    with pytest.raises(CaseNotFound):
        workflow.reject(bob, "cas_" + "c" * 26, reason="No.")


def test_the_words_of_a_rejection_lie_encrypted_alone(loaded: Workspace) -> None:
    ann = person(loaded, "ann")
    case = ready(ann)
    workflow.reject(ann, case.uid, reason="A sentence of its own.")
    told = [*CaseEvent.objects.values(), *Case.objects.values(), *TaskOutbox.objects.values()]
    assert "A sentence of its own" not in str(told)
    assert row(case).owner_id is not None


# --- the numbers that are approved ---------------------------------------------------------


def test_an_approval_is_of_the_numbers_that_were_seen(loaded: Workspace) -> None:
    ann = person(loaded, "ann")
    case = ready(ann)
    assert (case.dry_runs, case.reached and case.reached.readers) == (1, 0)
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    with later(minutes=3):
        assert code_of(workflow.approve, ann, case.uid, seen=1) == "numbers_changed"
        again = case_view(ann, case.uid)
        assert (again.state, again.dry_runs, again.counts["cited"]) == ("ready", 2, 2)
        assert again.changed is not None
        assert (again.changed.added, again.changed.left) == (1, 0)
        assert (again.changed.states, again.changed.grades) == ({"stale": 1}, {"cited": 1})
        assert states(loaded)["late"] == "current"
        assert code_of(workflow.approve, ann, case.uid, seen=1) == "numbers_changed"
        # Counted a moment ago: seen as they are, they are approved.
        assert workflow.approve(ann, case.uid, seen=2).state == "propagating"
    assert what(case) == ["drafted", "tried", "tried", "approved"]


def test_old_numbers_that_still_hold_are_approved(loaded: Workspace) -> None:
    ann = person(loaded, "ann")
    retraction = ready(ann)
    correction = workflow.dry_run(
        ann,
        workflow.draft(ann, workflow.NewCase(kind="correction", targets=SOURCE, reason="x")).uid,
    )
    with later(hours=5):
        # Of a correction the texts may have come meanwhile: it is counted anew, and is the same.
        assert workflow.approve(ann, correction.uid, seen=1).state == "propagating"
        assert code_of(workflow.approve, ann, retraction.uid, seen=0) == "numbers_changed"
        assert workflow.approve(ann, retraction.uid).state == "propagating"


def test_a_dry_run_says_what_has_changed_since_the_last_one(loaded: Workspace) -> None:
    ann = person(loaded, "ann")
    case = ready(ann)
    assert case.changed is None
    same = workflow.dry_run(ann, case.uid)
    assert same.changed is not None
    assert not same.changed.any
    assert (same.dry_runs, what(case)) == (1, ["drafted", "tried"])
    told = [
        {**one, **({"user": "u-1", "unit": "north"} if one["kind"] == "answer" else {})}
        for one in answer("late", retrieved=["c1"], included=["c1"], cites=["c1"])
    ]
    send(loaded, told)
    # `drops` retrieves the other work alone from now on.
    moved = [{**one, "occurred_at": "2026-04-01T10:00:00Z"} for one in answer(
        "drops", retrieved=["c2"], included=["c2"], cites=["c2"])]  # fmt: skip
    send(loaded, moved)
    after = workflow.dry_run(ann, case.uid)
    assert after.changed is not None
    assert after.changed.added == 1
    assert (after.changed.readers, after.changed.units) == (1, 1)
    assert after.reached is not None
    total = sum(after.counts.values())
    assert (after.reached.readers, after.reached.units, after.reached.unstated) == (1, 1, total - 1)
    assert after.changed.left == 3 + 1 - total
    assert after.changed.states["stale"] == 1


def test_what_a_dry_run_counts_is_what_is_marked_then_and_what_the_report_says(
    loaded: Workspace,
) -> None:
    source, chunk = ("source", "s1"), ("chunk", "c2")
    for kind, targets in (
        ("retraction", [source]),
        ("concern", [source, chunk]),
        ("defective_component", [("component", "model"), chunk]),
        ("correction", [source, chunk, ("component", "parser")]),
    ):
        with undone():
            case = workflow.dry_run(viewer(loaded), drafted(loaded, kind, *targets).uid)
            nodes = tuple(target.uid for target in case.targets)
            assert case.counts == report(viewer(loaded), Question(nodes=nodes)).counts, kind
            run_to_end(workflow.approve(viewer(loaded), case.uid), runs=2)
            marked = counted(row(case))
            assert (marked["grades"], marked["states"]) == (case.counts, case.states), kind
            gravest = [(one.state, one.uid) for one in case.sample]
            assert {uid for _, uid in gravest} == {uid for uid, _ in uids_and_grades(row(case))}, (
                kind
            )
            order = ("stale", "review", "current")
            assert [state for state, _ in gravest] == sorted(
                (state for state, _ in gravest), key=order.index
            )


@pytest.mark.usefixtures("graph")
def test_every_step_is_a_row_once_and_a_reinstatement_is_linked_both_ways(
    loaded: Workspace,
) -> None:
    ann = person(loaded, "ann")
    case = ready(ann)
    for step in (
        workflow.approve,
        workflow.approve,
        workflow.pause,
        workflow.pause,
        workflow.resume,
    ):
        step(ann, case.uid)
    ended = run_to_end(case)
    assert ended.state == Case.State.VERIFIED
    lifted = workflow.reinstate(ann, case.uid)
    workflow.reinstate(ann, case.uid)
    assert what(case) == ["drafted", "tried", "approved", "paused", "resumed", "verified", "lifted"]
    newest, verified = history(ann, case.uid).items[:2]
    assert (newest.other, newest.author, newest.role) == (
        lifted.uid,
        f"{loaded.slug}-ann",
        "editor",
    )
    assert (verified.by, verified.author) == ("product", None)
    assert verified.numbers["stale"] == 1
    assert case_view(ann, lifted.uid).reinstates == case.uid
    first = history(ann, case.uid, limit=4)
    assert first.next is not None
    rest = history(ann, case.uid, limit=4, cursor=first.next)
    assert [one.what for one in (*first.items, *rest.items)] == what(case)[::-1]
    # Readers read the steps by roles.
    told = history(viewer(loaded, "read"), case.uid)
    assert {(one.author, one.role) for one in told.items} == {(None, "editor"), (None, "")}


def test_a_scheduled_case_tells_when_its_time_came(loaded: Workspace) -> None:
    ann = person(loaded, "ann")
    case = ready(ann, effective_at=clock.now() + timedelta(hours=1))
    assert workflow.approve(ann, case.uid).state == "scheduled"
    with later(hours=2):
        assert start_due() == 1
        assert start_due() == 0
    assert what(case) == ["drafted", "tried", "approved", "started"]


def test_a_draft_of_a_feed_is_one_and_says_so(loaded: Workspace) -> None:
    feed = viewer(loaded, "read", "operate")
    first = workflow.draft(
        feed, workflow.NewCase(kind="retraction", targets=SOURCE), key="10.1/notice"
    )
    second = workflow.draft(
        feed, workflow.NewCase(kind="retraction", targets=SOURCE), key="10.1/notice"
    )
    assert (first.uid, first.origin) == (second.uid, "feed")
    assert what(first) == ["drafted"]
    assert drafted(loaded, "retraction", ("source", "s1")).origin == "member"
    assert node(loaded, "source", "s1").uid == first.targets[0].uid
