"""The end of a propagation, proved on a real graph."""

import threading
import time
from unittest.mock import Mock

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from lineage.cases import proof, workflow
from lineage.cases.finish import digest_of
from lineage.cases.proof import prove
from lineage.cases.view import CaseView, case_view
from lineage.graph.client import QueryTimedOut
from lineage.graph.dump import dump
from lineage.models import AnswerEffect, Case, Node, RestsOn, TaskOutbox
from lineage.tasks import project_case
from lineage.types import GraphAway
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.cases.world import (
    answer,
    approved,
    drafted,
    node,
    record,
    row,
    run_to_end,
    send,
    states,
    viewer,
    world,
)

pytestmark = pytest.mark.django_db

WAS = {"cites": "current", "context": "current", "drops": "current", "other": "current"}
NOW = {"cites": "stale", "context": "review", "drops": "current", "other": "current"}


@pytest.fixture
def loaded(graph: GraphAddress, workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def shown(workspace: Workspace, case: CaseView) -> CaseView:
    return case_view(viewer(workspace), case.uid)


def case_edges(workspace: Workspace) -> set[tuple[str, str, bool]]:
    """(type, key of the node it leaves, whether it has ended) of the graph's case edges."""
    keys = dict(Node.objects.filter(workspace=workspace).values_list("uid", "key"))
    _, edges = dump(workspace.pk)
    return {
        (kind, keys[from_uid], "ended_at" in dict(properties))
        for from_uid, kind, _, properties in edges
        if kind in ("AFFECTED_BY", "WAS_INVALIDATED_BY")
    }


def test_closure_and_graph_that_differ_end_incomplete_with_numbers(loaded: Workspace) -> None:
    RestsOn.objects.filter(answer__key="context", target__key="s1").delete()
    case = approved(loaded, "retraction", ("source", "s1"))
    assert run_to_end(case).state == "incomplete"
    ended = shown(loaded, case)
    assert ended.shortfall == {
        "code": "proof_differs",
        "answers": 3, "missing": 1, "surplus": 0, "differing": 0, "truncated": False,
    }  # fmt: skip
    assert (ended.verified, ended.certificate) == (False, None)


def test_a_grade_that_differs_and_an_answer_too_many_are_counted(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case)
    AnswerEffect.objects.filter(answer__key="cites").update(grade=5)
    AnswerEffect.objects.create(
        answer=node(loaded, "answer", "other"), case=row(case), grade=3, state=0,
        at=row(case).created_at,
    )  # fmt: skip
    found = prove(row(case))
    assert (found.missing, found.surplus, found.differing, found.holds) == (0, 1, 1, False)


def test_a_walk_that_fails_fails_the_proof_and_what_was_done_meanwhile_stays_so(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case)
    done: list[str] = []
    monkeypatch.setattr(proof, "answers_below", Mock(side_effect=GraphAway("away")))
    with pytest.raises(GraphAway):
        prove(row(case), meanwhile=lambda: done.append("edges"))
    assert done == ["edges"]


def test_a_proof_that_always_takes_too_long_is_told_after_three(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    asked: list[str] = []

    def too_long(_workspace: str, uid: str, *, limit: int) -> None:
        del limit
        asked.append(uid)
        raise QueryTimedOut

    with monkeypatch.context() as patch:
        patch.setattr(proof, "answers_below", too_long)
        assert run_to_end(case, runs=2).state == "propagating"
        assert run_to_end(case).state == "incomplete"
    assert len(asked) == 3
    assert shown(loaded, case).shortfall == {"code": "proof_out_of_time"}
    # What it was to prove has been done.
    assert states(loaded) == NOW


def test_a_proof_that_took_too_long_once_is_made_up_for(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    with monkeypatch.context() as patch:
        patch.setattr(proof, "answers_below", Mock(side_effect=QueryTimedOut))
        run_to_end(case, runs=1)
    assert run_to_end(case).state == "verified"


@pytest.mark.parametrize(("most", "ended"), [(2, "incomplete"), (3, "verified")])
def test_more_answers_than_one_proof_walks_are_told(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch, most: int, ended: str
) -> None:
    monkeypatch.setattr(proof, "MOST_ANSWERS", most)
    case = approved(loaded, "retraction", ("source", "s1"))
    assert run_to_end(case).state == ended
    short = shown(loaded, case).shortfall or {}
    assert short.get("code") == ("proof_truncated" if ended == "incomplete" else None)


def test_whoever_is_told_to_stop_does_not_wait_for_the_walk(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    goes_on = threading.Event()
    monkeypatch.setattr(proof, "answers_below", lambda *_, **__: goes_on.wait(30))

    def out_of_time() -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr("lineage.cases.closing.project_case", lambda _: out_of_time())
    began = time.monotonic()
    try:
        assert run_to_end(case).state == "incomplete"
    finally:
        goes_on.set()
    assert time.monotonic() - began < 20
    assert shown(loaded, case).shortfall == {"code": "proof_out_of_time"}


def test_an_erasure_hides_passages_and_ends_incomplete(loaded: Workspace) -> None:
    case = approved(loaded, "erasure", ("source", "s1"))
    assert run_to_end(case).state == "incomplete"
    assert shown(loaded, case).shortfall == {"code": "text_not_erased"}
    assert states(loaded) == NOW


def test_a_case_ends_verified_with_a_certificate(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    assert run_to_end(case).state == "verified"
    ended = shown(loaded, case)
    assert ended.verified
    assert (ended.progress.done, ended.progress.total, ended.progress.share) == (3, 3, 100)
    certificate = dict(ended.certificate or {})
    uids = sorted(node(loaded, "answer", key).uid for key in ("cites", "context", "drops"))
    instants = {
        name: certificate.pop(name) for name in ("approved_at", "effective_at", "verified_at")
    }
    assert sorted(instants.values()) == list(instants.values())
    assert certificate == {
        "format": 1,
        "case": case.uid,
        "kind": "retraction",
        "reinstates": None,
        "targets": [node(loaded, "source", "s1").uid],
        "epoch": row(case).epoch,
        "answers": 3,
        "answers_digest": digest_of(loaded.hash_key, uids),
        "counts": {
            "grades": {
                "cited": 1, "in_context": 1, "produced": 0, "retrieved": 1, "possible": 0, "served": 0,
            },
            "states": {"stale": 1, "review": 1, "current": 1},
        },
        "proof": {"answers": 3, "missing": 0, "surplus": 0, "differing": 0, "truncated": False},
    }  # fmt: skip


def test_the_digest_can_be_recomputed_by_anyone_who_has_the_key() -> None:
    # printf 'certificate\nans_a\nans_b\n' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00…00
    assert digest_of(bytes(32), ["ans_a", "ans_b"]) == (
        "hmac-sha256:fc85fe0f8cf89232fa6349b153afb6a11edfc1676e5a6eb58d345f29cddae9ea"
    )


def test_the_graph_shows_the_case_and_its_end(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case)
    assert case_edges(loaded) == {
        ("WAS_INVALIDATED_BY", "s1", False),
        ("AFFECTED_BY", "cites", False),
        ("AFFECTED_BY", "context", False),
        ("AFFECTED_BY", "drops", False),
    }
    ending = workflow.reinstate(viewer(loaded), case.uid)
    assert run_to_end(ending).state == "verified"
    assert case_edges(loaded) == {
        ("AFFECTED_BY", "cites", True),
        ("AFFECTED_BY", "context", True),
        ("AFFECTED_BY", "drops", True),
    }


def test_a_correction_and_its_reinstatement_leave_everything_as_before(loaded: Workspace) -> None:
    assert states(loaded) == WAS
    case = approved(loaded, "correction", ("source", "s1"))
    assert run_to_end(case).state == "verified"
    assert states(loaded) == NOW
    ending = workflow.reinstate(viewer(loaded), case.uid)
    assert run_to_end(ending).state == "verified"
    assert states(loaded) == WAS
    ended = shown(loaded, ending)
    assert ended.counts["cited"] == ended.counts["in_context"] == ended.counts["retrieved"] == 1
    assert (ended.certificate or {})["reinstates"] == case.uid
    assert shown(loaded, case).reinstated_by == ending.uid


@pytest.mark.parametrize(
    ("kind", "key", "reached"),
    [
        ("component", "parser", {"cites", "context", "drops", "other"}),
        ("component", "model", {"cites"}),
        ("run", "generate", {"cites"}),
        ("document", "s1-doc", {"cites", "context", "drops"}),
        ("chunk", "c1b", set()),
    ],
)
def test_every_kind_of_target_is_proved(
    loaded: Workspace, kind: str, key: str, reached: set[str]
) -> None:
    case = approved(loaded, "defective_component", (kind, key))
    assert run_to_end(case).state == "verified"
    effects = AnswerEffect.objects.filter(case__uid=case.uid)
    assert {one.answer.key for one in effects} == reached


def test_an_agent_and_overlapping_targets_are_proved_as_one(loaded: Workspace) -> None:
    send(loaded, [
        record("agent", "ada", name="Ada"),
        record("source", "s2", title="Work s2", creators=[{"agent": "ada", "role": "creator"}]),
        record("answer", "served", question="What?", text="Again.", served_from="cites"),
    ])  # fmt: skip
    case = approved(loaded, "concern", ("agent", "ada"), ("source", "s1"), ("chunk", "c1"))
    assert run_to_end(case).state == "verified"
    assert shown(loaded, case).counts == {
        "cited": 4, "in_context": 0, "produced": 0, "retrieved": 0, "possible": 0, "served": 1,
    }  # fmt: skip


def test_answers_born_after_the_proof_reach_the_graph_by_the_case_task(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case)
    TaskOutbox.objects.all().delete()
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    asked = TaskOutbox.objects.get(name="lineage.project_case")
    project_case(**asked.arguments)
    assert ("AFFECTED_BY", "late", False) in case_edges(loaded)
    assert row(case).state == Case.State.VERIFIED


def test_a_draft_leaves_no_trace_in_the_graph(loaded: Workspace) -> None:
    drafted(loaded, "retraction", ("source", "s1"))
    assert case_edges(loaded) == set()
