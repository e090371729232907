"""Reads obey a case from the commit of its approval on, with nothing propagated."""

from datetime import timedelta

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries as Counting

from lineage.cases import register, workflow
from lineage.models import AnswerEffect, Node, RestsOn, Withdrawal
from lineage.vocabulary import AnswerState
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import (
    answer,
    approved,
    drafted,
    node,
    record,
    row,
    send,
    states,
    undone,
    viewer,
    world,
)

pytestmark = pytest.mark.django_db

ALL_CURRENT = dict.fromkeys(("cites", "context", "drops", "other"), "current")


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def listed(workspace: Workspace) -> dict[str, str]:
    """The state of each answer as the lists' condition has it."""
    found: dict[str, str] = {}
    for state in AnswerState:
        for one in register.answers_in_state(workspace.pk, state):
            assert one.key not in found, f"{one.key} is in two states"
            found[one.key] = state.word
    return found


def test_nothing_is_touched_by_a_draft_a_dry_run_or_a_cancelled_case(loaded: Workspace) -> None:
    case = drafted(loaded, "retraction", ("source", "s1"))
    assert states(loaded) == ALL_CURRENT
    workflow.dry_run(viewer(loaded), case.uid)
    assert states(loaded) == ALL_CURRENT
    workflow.cancel(viewer(loaded), case.uid)
    assert states(loaded) == ALL_CURRENT


def test_an_approval_that_is_rolled_back_leaves_no_trace(loaded: Workspace) -> None:
    case = drafted(loaded, "retraction", ("source", "s1"))
    workflow.dry_run(viewer(loaded), case.uid)
    with transaction.atomic():
        workflow.approve(viewer(loaded), case.uid)
        transaction.set_rollback(True)
    assert states(loaded) == ALL_CURRENT
    assert row(case).state == "ready"


def test_reads_obey_each_kind_before_anything_is_propagated(loaded: Workspace) -> None:
    for kind, cites, context in (
        ("correction", "stale", "review"),
        ("supersession", "stale", "review"),
        ("retraction", "stale", "review"),
        ("concern", "review", "current"),
        ("revocation", "stale", "review"),
        ("expiry", "stale", "review"),
        ("license_change", "stale", "review"),
        ("erasure", "stale", "review"),
        ("defective_component", "stale", "review"),
    ):
        with undone():
            approved(loaded, kind, ("source", "s1"))
            assert AnswerEffect.objects.count() == 0
            expected = {"cites": cites, "context": context, "drops": "current", "other": "current"}
            assert (kind, states(loaded)) == (kind, expected)
            assert (kind, listed(loaded)) == (kind, expected)


@pytest.mark.parametrize(
    ("kind", "state"), [("defective_component", "stale"), ("correction", "review")]
)
def test_what_produced_an_answer_makes_it_stale_only_as_a_defective_component(
    loaded: Workspace, kind: str, state: str
) -> None:
    approved(loaded, kind, ("component", "model"))
    assert states(loaded) == ALL_CURRENT | {"cites": state}
    assert listed(loaded) == ALL_CURRENT | {"cites": state}


def test_a_served_answer_has_the_effect_of_its_origins_grade(loaded: Workspace) -> None:
    send(
        loaded,
        [
            record("answer", "served-cites", question="What?", text="Again.", served_from="cites"),
            record(
                "answer", "served-context", question="What?", text="Too.", served_from="context"
            ),
        ],
    )
    approved(loaded, "retraction", ("source", "s1"))
    expected = {"served-cites": "stale", "served-context": "review"}
    assert states(loaded, *expected) == expected
    assert {key: listed(loaded)[key] for key in expected} == expected
    origin = node(loaded, "answer", "served-cites").pk
    (reason,) = register.states_of(loaded.pk, [origin])[origin].reasons
    assert (reason.grade, reason.origin_grade) == ("served", "cited")


def test_the_gravest_of_two_targets_counts_and_the_strongest_grade_is_shown(
    loaded: Workspace,
) -> None:
    # The model produced `cites`, which has a passage of s2 in its context.
    approved(loaded, "defective_component", ("component", "model"), ("source", "s2"))
    pk = node(loaded, "answer", "cites").pk
    standing = register.states_of(loaded.pk, [pk])[pk]
    assert standing.state is AnswerState.STALE  # produced, by a defective component
    assert [(one.grade, one.case_kind) for one in standing.reasons] == [
        ("in_context", "defective_component")
    ]
    assert listed(loaded)["cites"] == "stale"


def test_reasons_are_a_set_and_one_reinstated_leaves_the_others(loaded: Workspace) -> None:
    first = approved(loaded, "retraction", ("source", "s1"))
    second = approved(loaded, "revocation", ("document", "s1-doc"))
    pk = node(loaded, "answer", "cites").pk
    standing = register.states_of(loaded.pk, [pk])[pk]
    assert {(one.case_uid, one.case_kind) for one in standing.reasons} == {
        (first.uid, "retraction"),
        (second.uid, "revocation"),
    }
    workflow.reinstate(viewer(loaded), first.uid)
    standing = register.states_of(loaded.pk, [pk])[pk]
    assert standing.state is AnswerState.STALE
    assert [one.case_uid for one in standing.reasons] == [second.uid]
    workflow.reinstate(viewer(loaded), second.uid)
    assert states(loaded) == ALL_CURRENT
    assert listed(loaded) == ALL_CURRENT


def test_a_scheduled_case_is_obeyed_from_its_instant_on_even_if_nobody_starts_it(
    loaded: Workspace,
) -> None:
    now = clock.now()
    case = approved(loaded, "expiry", ("source", "s1"), effective_at=now + timedelta(hours=1))
    assert case.state == "scheduled"
    assert states(loaded) == ALL_CURRENT
    clock.use(lambda: now + timedelta(hours=2))
    try:
        assert states(loaded, "cites", "context") == {"cites": "stale", "context": "review"}
        assert listed(loaded)["cites"] == "stale"
    finally:
        clock.use(None)


def test_a_case_holds_on_a_machine_whose_clock_is_behind(loaded: Workspace) -> None:
    approved(loaded, "retraction", ("source", "s1"))
    yesterday = clock.now() - timedelta(days=1)
    chunk = node(loaded, "chunk", "c1").pk
    clock.use(lambda: yesterday)
    try:
        assert states(loaded, "cites", "context") == {"cites": "stale", "context": "review"}
        assert listed(loaded)["cites"] == "stale"
        assert register.withdrawals_of(loaded.pk, [chunk])
        # What arrives there is born stale.
        send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
        assert states(loaded, "late") == {"late": "stale"}
    finally:
        clock.use(None)


def test_another_workspaces_case_touches_nothing_here(loaded: Workspace) -> None:
    there = Workspace.objects.create(slug="cases-elsewhere", name="elsewhere")
    send(there, world())
    approved(there, "retraction", ("source", "s1"))
    assert states(loaded) == ALL_CURRENT
    assert states(there)["cites"] == "stale"
    foreign = node(there, "answer", "cites").pk
    assert register.states_of(loaded.pk, [foreign])[foreign].state is AnswerState.CURRENT
    assert register.withdrawals_of(loaded.pk, [node(there, "source", "s1").pk]) == {}


def test_withdrawals_reach_everything_made_from_the_target_and_nothing_else(
    loaded: Workspace,
) -> None:
    case = approved(loaded, "revocation", ("source_version", "s1@1"))
    reached = {}
    for kind, key in (
        ("source", "s1"), ("source_version", "s1@1"), ("document", "s1-doc"), ("chunk", "c1"),
        ("chunk", "c1b"), ("citation", "cit-cites-c1"), ("claim", "claim-cites"),
        ("answer", "drops"), ("chunk", "c2"), ("document", "s2-doc"), ("answer", "other"),
        ("claim", "claim-context"),
    ):  # fmt: skip
        one = node(loaded, kind, key)
        reached[key] = register.withdrawals_of(loaded.pk, [one.pk]).get(one.pk)
    assert {key for key, found in reached.items() if found} == {
        "s1@1", "s1-doc", "c1", "c1b", "cit-cites-c1", "claim-cites", "drops",
    }  # fmt: skip
    (active,) = reached["c1"] or []
    assert (active.case_uid, active.case_kind) == (case.uid, "revocation")
    assert active.node_uid == node(loaded, "source_version", "s1@1").uid


def test_a_defective_parser_reaches_the_passages_that_it_made(loaded: Workspace) -> None:
    case = approved(loaded, "defective_component", ("component", "parser"))
    pk = node(loaded, "chunk", "c2").pk
    assert [one.case_uid for one in register.withdrawals_of(loaded.pk, [pk])[pk]] == [case.uid]
    assert register.passage_hidden(register.withdrawals_of(loaded.pk, [pk])[pk]) is None


def test_a_cycle_of_derivations_ends(loaded: Workspace) -> None:
    send(
        loaded,
        [
            record("chunk", "x", document="s1-doc", parent={"kind": "chunk", "key": "y"},
                   interval={"start": 0, "end": 5}),
            record("chunk", "y", document="s1-doc", parent={"kind": "chunk", "key": "x"},
                   interval={"start": 5, "end": 9}),
        ],
    )  # fmt: skip
    approved(loaded, "retraction", ("source", "s1"))
    ids = [node(loaded, "chunk", key).pk for key in ("x", "y")]
    assert register.withdrawals_of(loaded.pk, ids).keys() == set(ids)


def test_revocation_and_erasure_hide_a_passage(loaded: Workspace) -> None:
    pk = node(loaded, "chunk", "c1").pk
    hidden_by = []
    for kind in ("retraction", "revocation", "erasure"):
        approved(loaded, kind, ("source", "s1"))
        hiding = register.passage_hidden(register.withdrawals_of(loaded.pk, [pk])[pk])
        hidden_by.append(hiding.case_kind if hiding else None)
    assert hidden_by == [None, "revocation", "erasure"]


def test_without_a_case_one_query_is_enough(
    loaded: Workspace, django_assert_num_queries: Counting
) -> None:
    answers = list(Node.objects.filter(kind="answer").values_list("pk", flat=True))
    with django_assert_num_queries(1):
        register.states_of(loaded.pk, answers)
    with django_assert_num_queries(1):
        register.withdrawals_of(loaded.pk, answers)


def test_the_queries_of_a_page_do_not_grow_with_it(
    loaded: Workspace,
    django_assert_num_queries: Counting,
) -> None:
    for number in range(5):
        send(loaded, answer(f"more-{number}", retrieved=["c1"], included=["c1"], cites=["c1"]))
    approved(loaded, "retraction", ("source", "s1"))
    answers = list(Node.objects.filter(kind="answer").values_list("pk", flat=True))
    chunks = list(Node.objects.filter(kind="chunk").values_list("pk", flat=True))
    for some in (answers[:1], answers):
        with django_assert_num_queries(3):
            register.states_of(loaded.pk, some)
    # Any row? Four levels: chunk, document, version and run, source and component. Rows. Answers.
    for some in (chunks[:1], chunks):
        with django_assert_num_queries(7):
            register.withdrawals_of(loaded.pk, some)


def test_lists_agree_with_pages_when_effects_lag_behind_a_stronger_grade(loaded: Workspace) -> None:
    """A half-written propagation: the effect says `in_context`, the closure says `cited` by now."""
    case = row(approved(loaded, "correction", ("source", "s1")))
    cites = node(loaded, "answer", "cites")
    AnswerEffect.objects.create(
        answer=cites, case=case, grade=5, state=AnswerState.REVIEW, at=clock.now()
    )
    assert states(loaded)["cites"] == listed(loaded)["cites"] == "stale"
    AnswerEffect.objects.update(grade=6)
    # Now the effect has compared the claims of a citing answer, and found that they all stand.
    assert states(loaded)["cites"] == listed(loaded)["cites"] == "review"
    Withdrawal.objects.update(ended_at=clock.now())
    assert states(loaded)["cites"] == listed(loaded)["cites"] == "current"


def test_the_condition_serves_rows_of_the_closure_too(loaded: Workspace) -> None:
    approved(loaded, "retraction", ("source", "s1"))
    rows = RestsOn.objects.filter(
        register.in_state(AnswerState.STALE, answer="answer_id"), target__key="s1"
    )
    assert [one.answer.key for one in rows] == ["cites"]
