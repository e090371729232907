"""What is left of a claim: by kind of case, by independent sources, by a corrected text."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries as Counting

from lineage.cases import late, workflow
from lineage.cases.standing import claim_standings, explained_claims
from lineage.models import Node, TaskOutbox
from provexplorer.workspaces.models import Workspace
from tests.cases.world import (
    OTHER_TEXT,
    TEXT,
    answer,
    approved,
    drafted,
    node,
    record,
    row,
    run_to_end,
    send,
    states,
    undone,
    viewer,
    work,
    world,
)

pytestmark = pytest.mark.django_db

V2 = "Alpha is one. Beta is two and a half. Gamma is three."


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def standing(workspace: Workspace, key: str) -> str:
    pk = node(workspace, "claim", f"claim-{key}").pk
    return claim_standings(workspace.pk, [pk])[pk]


def edition(name: str, text: str, **fields: Any) -> list[dict[str, Any]]:
    """A later version of s1 with its document; not dated unless `fields` say so."""
    return [
        {**record("source_version", f"s1@{name}", source="s1", **fields), "occurred_at": None},
        record("document", f"s1-doc-{name}", source_version=f"s1@{name}", text=text),
    ]


def test_nothing_stands_in_doubt_without_a_case(
    loaded: Workspace, django_assert_num_queries: Counting
) -> None:
    pk = node(loaded, "claim", "claim-cites").pk
    with django_assert_num_queries(1):
        assert claim_standings(loaded.pk, [pk]) == {pk: "stands"}


def test_each_kind_of_case_has_its_standing(loaded: Workspace) -> None:
    for kind, expected in {
        "correction": "check",
        "supersession": "check",
        "retraction": "fallen",
        "concern": "check",
        "revocation": "fallen",
        "expiry": "stands",
        "license_change": "stands",
        "erasure": "fallen",
        "defective_component": "check",
    }.items():
        with undone():
            approved(loaded, kind, ("source", "s1"))
            assert (kind, standing(loaded, "cites")) == (kind, expected)
            # It has a passage of s1 in its context, and cites s2.
            assert standing(loaded, "context") == "stands"


# --- independent sources ----------------------------------------------------------------


def because(workspace: Workspace, key: str) -> str:
    pk = node(workspace, "claim", f"claim-{key}").pk
    return explained_claims(workspace.pk, [pk])[pk].because


def test_each_standing_says_why(loaded: Workspace) -> None:
    assert because(loaded, "cites") == ""
    for kind, expected in {
        "correction": "uncompared",
        "retraction": "no_source",
        "concern": "concern",
        "expiry": "rights",
        "erasure": "erased",
    }.items():
        with undone():
            approved(loaded, kind, ("source", "s1"))
            assert (kind, because(loaded, "cites")) == (kind, expected)
            assert because(loaded, "other") == ""
    approved(loaded, "correction", ("source_version", "s1@1"))
    for text, expected in ((TEXT, "unchanged"), (OTHER_TEXT, "changed")):
        with undone():
            send(loaded, edition("2", text, published_at="2025-06-01"))
            assert because(loaded, "cites") == expected
    send(loaded, answer("both", retrieved=["c1", "c2"], included=["c1", "c2"], cites=["c1", "c2"]))
    approved(loaded, "retraction", ("source", "s1"))
    assert (because(loaded, "both"), because(loaded, "cites")) == ("independent", "no_source")


def test_an_independent_source_carries_a_claim_on(loaded: Workspace) -> None:
    send(loaded, answer("both", retrieved=["c1", "c2"], included=["c1", "c2"], cites=["c1", "c2"]))
    for kind, expected in {
        "retraction": "weakened",
        "revocation": "weakened",
        "erasure": "fallen",
        "correction": "check",
    }.items():
        with undone():
            approved(loaded, kind, ("source", "s1"))
            assert (kind, standing(loaded, "both")) == (kind, expected)


def test_another_passage_of_the_same_work_is_not_independent(loaded: Workspace) -> None:
    send(
        loaded,
        answer("twice", retrieved=["c1", "c1b"], included=["c1", "c1b"], cites=["c1", "c1b"]),
    )
    approved(loaded, "retraction", ("chunk", "c1"))
    assert standing(loaded, "twice") == "fallen"


def test_another_version_of_the_same_work_is_not_independent(loaded: Workspace) -> None:
    send(loaded, [
        *edition("2", "Quite other words."),
        record("chunk", "c1-2", document="s1-doc-2", interval={"start": 0, "end": 11}),
        *answer("editions", retrieved=["c1", "c1-2"], included=["c1", "c1-2"], cites=["c1", "c1-2"]),
    ])  # fmt: skip
    approved(loaded, "retraction", ("source_version", "s1@1"))
    assert standing(loaded, "editions") == "fallen"


def test_a_copy_of_the_same_text_under_another_title_is_not_independent(loaded: Workspace) -> None:
    send(loaded, [
        *work("copy", TEXT, {"copied": (0, 13)}),
        *answer("copies", retrieved=["c1", "copied"], included=["c1", "copied"], cites=["c1", "copied"]),
    ])  # fmt: skip
    approved(loaded, "retraction", ("source", "s1"))
    assert standing(loaded, "copies") == "fallen"


def test_a_source_that_is_itself_in_doubt_carries_nothing(loaded: Workspace) -> None:
    send(loaded, answer("both", retrieved=["c1", "c2"], included=["c1", "c2"], cites=["c1", "c2"]))
    approved(loaded, "retraction", ("source", "s1"))
    concern = approved(loaded, "concern", ("source", "s2"))
    assert standing(loaded, "both") == "fallen"
    workflow.reinstate(viewer(loaded), concern.uid)
    assert standing(loaded, "both") == "weakened"


def test_a_source_that_nobody_has_described_is_not_known_to_be_independent(
    loaded: Workspace,
) -> None:
    send(loaded, [
        record("chunk", "stray", document="unknown-doc", interval={"start": 0, "end": 5}),
        *answer("stray", retrieved=["c1", "stray"], included=["c1", "stray"], cites=["c1", "stray"]),
    ])  # fmt: skip
    approved(loaded, "retraction", ("source", "s1"))
    assert standing(loaded, "stray") == "fallen"


# --- a corrected text -------------------------------------------------------------------


def test_a_newer_version_beside_a_case_on_the_old_one_is_the_corrected_text(
    loaded: Workspace,
) -> None:
    send(loaded, [
        *edition("2", V2, published_at="2025-06-01"),
        *answer("beta", retrieved=["c1b"], included=["c1b"], cites=["c1b"], sentence="Beta is two."),
    ])  # fmt: skip
    case = approved(loaded, "correction", ("source_version", "s1@1"))
    assert (standing(loaded, "cites"), standing(loaded, "beta")) == ("stands", "fallen")
    assert states(loaded, "cites", "beta") == {"cites": "stale", "beta": "stale"}
    run_to_end(case, runs=2)
    assert states(loaded, "cites", "beta") == {"cites": "review", "beta": "stale"}


def test_white_space_alone_is_no_change(loaded: Workspace) -> None:
    send(loaded, edition("2", "Alpha\n  is\tone. Beta is two.", published_at="2025-06-01"))
    approved(loaded, "correction", ("source_version", "s1@1"))
    assert standing(loaded, "cites") == "stands"


def test_an_older_version_corrects_nothing(loaded: Workspace) -> None:
    send(loaded, edition("0", "Before all.", published_at="2024-06-01"))
    approved(loaded, "correction", ("source_version", "s1@1"))
    assert standing(loaded, "cites") == "check"


def test_a_stated_revision_is_newer_whatever_its_dates_say(loaded: Workspace) -> None:
    send(loaded, edition("2", "All other words.", published_at="2024-06-01", revision_of="s1@1"))
    approved(loaded, "correction", ("source_version", "s1@1"))
    assert standing(loaded, "cites") == "fallen"


def test_a_newer_version_that_the_case_names_too_corrects_nothing(loaded: Workspace) -> None:
    send(loaded, edition("2", V2, published_at="2025-06-01"))
    approved(loaded, "correction", ("source_version", "s1@1"), ("source_version", "s1@2"))
    assert standing(loaded, "cites") == "check"


def test_a_version_that_was_there_before_a_case_on_the_whole_work_corrects_nothing(
    loaded: Workspace,
) -> None:
    send(loaded, edition("2", V2, published_at="2025-06-01"))
    approved(loaded, "correction", ("source", "s1"))
    assert standing(loaded, "cites") == "check"


def test_a_version_dated_from_the_effective_instant_on_was_made_for_the_case(
    loaded: Workspace,
) -> None:
    send(loaded, edition("2", V2, published_at="2025-06-01"))
    since = datetime(2025, 6, 1, tzinfo=UTC)
    approved(loaded, "correction", ("source", "s1"), effective_at=since)
    assert standing(loaded, "cites") == "stands"


def test_a_version_that_the_evidence_names_was_made_for_the_case(loaded: Workspace) -> None:
    send(loaded, edition("2", "All other words.", published_at="2025-06-01"))
    named = {"corrected": node(loaded, "source_version", "s1@2").uid}
    approved(loaded, "correction", ("source", "s1"), evidence=[named])
    assert standing(loaded, "cites") == "fallen"


def test_a_version_dated_in_the_future_was_not_made_for_the_case(loaded: Workspace) -> None:
    send(loaded, edition("2", V2, published_at="2999-01-01"))
    approved(loaded, "correction", ("source", "s1"))
    assert standing(loaded, "cites") == "check"


def test_an_old_version_that_is_only_loaded_after_the_case_corrects_nothing(
    workspace: Workspace,
) -> None:
    send(workspace, [record("source", "s1", title="Known by name")])
    approved(workspace, "correction", ("source", "s1"))
    send(workspace, world())
    assert standing(workspace, "cites") == "check"
    assert states(workspace, "cites") == {"cites": "stale"}


def test_a_corrected_version_without_text_leaves_the_check(loaded: Workspace) -> None:
    send(loaded, [record("source_version", "s1@2", source="s1", published_at="2025-06-01")])
    approved(loaded, "correction", ("source_version", "s1@1"))
    assert standing(loaded, "cites") == "check"


def test_a_version_may_carry_the_corrected_text_itself(loaded: Workspace) -> None:
    send(
        loaded, [record("source_version", "s1@2", source="s1", published_at="2025-06-01", text=V2)]
    )
    approved(loaded, "correction", ("source_version", "s1@1"))
    assert standing(loaded, "cites") == "stands"


def test_a_document_made_without_the_defective_component_is_the_corrected_text(
    loaded: Workspace,
) -> None:
    again = {"occurred_at": "2026-05-01T10:00:00Z"}
    send(loaded, [
        record("component", "parser-2", component_kind="parser", name="parser", version="2"),
        record("run", "parse-2", run_kind="parse", component="parser-2"),
        {**record("document", "s1-again", source_version="s1@1", text=V2, run="parse-2"), **again},
        *answer("beta", retrieved=["c1b"], included=["c1b"], cites=["c1b"], sentence="Beta is two."),
    ])  # fmt: skip
    case = approved(loaded, "defective_component", ("component", "parser"))
    assert (standing(loaded, "cites"), standing(loaded, "beta")) == ("stands", "fallen")
    assert standing(loaded, "context") == "check"  # of s2 there is no other document
    run_to_end(case, runs=2)
    assert states(loaded, "cites", "beta", "other") == {
        "cites": "review", "beta": "stale", "other": "stale",
    }  # fmt: skip


def test_a_newer_document_of_the_same_parser_corrects_nothing(loaded: Workspace) -> None:
    again = {"occurred_at": "2026-05-01T10:00:00Z"}
    send(
        loaded,
        [{**record("document", "s1-again", source_version="s1@1", text=V2, run="parse"), **again}],
    )
    approved(loaded, "defective_component", ("component", "parser"))
    assert standing(loaded, "cites") == "check"


def test_one_claim_that_does_not_stand_keeps_the_answer_stale(loaded: Workspace) -> None:
    send(loaded, [
        *edition("2", V2, published_at="2025-06-01"),
        *answer("two", retrieved=["c1", "c1b"], included=["c1", "c1b"], cites=["c1"]),
        record("claim", "claim-two-b", answer="two", text="[1]"),
        record("citation", "cit-two-b", claim="claim-two-b", marker="[1]", chunk="c1b"),
    ])  # fmt: skip
    case = approved(loaded, "correction", ("source_version", "s1@1"))
    run_to_end(case, runs=2)
    assert states(loaded, "cites", "two") == {"cites": "review", "two": "stale"}


def test_a_served_answer_speaks_through_the_claims_of_its_origin(loaded: Workspace) -> None:
    served = [record("answer", f"served-{key}", question="?", text="Again.", served_from=key)
              for key in ("cites", "beta")]  # fmt: skip
    send(loaded, [
        *edition("2", V2, published_at="2025-06-01"),
        *answer("beta", retrieved=["c1b"], included=["c1b"], cites=["c1b"], sentence="Beta is two."),
        *served,
    ])  # fmt: skip
    case = approved(loaded, "correction", ("source_version", "s1@1"))
    run_to_end(case, runs=2)
    assert states(loaded, "served-cites", "served-beta") == {
        "served-cites": "review", "served-beta": "stale",
    }  # fmt: skip


def test_a_dry_run_compares_as_propagation_will(loaded: Workspace) -> None:
    send(loaded, [
        *edition("2", V2, published_at="2025-06-01"),
        *answer("beta", retrieved=["c1b"], included=["c1b"], cites=["c1b"], sentence="Beta is two."),
    ])  # fmt: skip
    case = workflow.dry_run(
        viewer(loaded), drafted(loaded, "correction", ("source_version", "s1@1")).uid
    )
    assert case.claims == {"fallen": 1, "weakened": 0, "check": 0, "stands": 1}
    assert case.states == {"stale": 1, "review": 2, "current": 1}
    workflow.approve(viewer(loaded), case.uid)
    run_to_end(case, runs=2)
    stale = {key for key, state in states(loaded).items() if state == "stale"}
    assert stale == {"beta"}


def test_a_corrected_text_that_arrives_after_the_case_is_compared_then(loaded: Workspace) -> None:
    case = approved(loaded, "correction", ("source_version", "s1@1"))
    run_to_end(case, runs=2)
    assert states(loaded, "cites") == {"cites": "stale"}
    send(loaded, edition("2", V2, published_at="2025-06-01"))
    arrived = Node.objects.filter(key__in=("s1@2", "s1-doc-2")).values_list("pk", flat=True)
    TaskOutbox.objects.all().delete()
    late.text_arrived(loaded.pk, list(arrived))
    asked = TaskOutbox.objects.get(name="lineage.compare_again")
    late.compare_again(asked.arguments["case_id"], asked.arguments["source_id"], 0)
    assert standing(loaded, "cites") == "stands"
    assert states(loaded, "cites") == {"cites": "review"}
    assert row(case).state == "propagating"


def test_text_of_another_work_wakes_nobody(loaded: Workspace) -> None:
    approved(loaded, "correction", ("source_version", "s1@1"))
    TaskOutbox.objects.all().delete()
    late.text_arrived(loaded.pk, [node(loaded, "document", "s2-doc").pk])
    assert TaskOutbox.objects.count() == 0


def test_the_queries_do_not_grow_with_the_claims(loaded: Workspace) -> None:
    send(loaded, edition("2", V2 + OTHER_TEXT, published_at="2025-06-01"))
    for number in range(4):
        send(loaded, answer(f"more-{number}", retrieved=["c1"], included=["c1"], cites=["c1"]))
    approved(loaded, "correction", ("source_version", "s1@1"))
    claims = list(Node.objects.filter(kind="claim").values_list("pk", flat=True))
    numbers = []
    for some in ([node(loaded, "claim", "claim-cites").pk], claims):
        with CaptureQueriesContext(connection) as queries:
            claim_standings(loaded.pk, some)
        numbers.append(len(queries))
    assert len(claims) == 8
    assert numbers[0] == numbers[1]
