"""What other systems got wrong, told as whole stories: takedown, stale cache, redelivery, markers into nothing."""

from typing import Any

import pytest

from citations.answer import answer_page
from lineage.cases import workflow
from lineage.cases.history import history
from lineage.cases.propagate import propagate
from lineage.cases.register import states_of
from lineage.cases.view import case_view
from lineage.models import AnswerEffect, Case, CaseEvent
from provexplorer.workspaces.audit.models import AuditEntry
from provexplorer.workspaces.models import Workspace
from tests.cases.world import (
    TEXT,
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
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
CHUNKS = {"c1": (0, 13), "c2": (14, 26), "c3": (27, 42)}


def flags_of(workspace: Workspace, key: str) -> set[str]:
    return {flag["code"] for flag in node(workspace, "answer", key).flags}


def test_a_work_taken_down_stays_down_for_what_retrieves_it_later(workspace: Workspace) -> None:
    send(workspace, [
        *work("s", TEXT, CHUNKS), record("index_snapshot", "i1", collection="i", chunks=[*CHUNKS]),
        *answer("a1", retrieved=["c2"], included=["c2"], cites=["c2"]),
    ])  # fmt: skip
    case = approved(workspace, "erasure", ("source", "s"))
    assert [one.members for one in case_view(viewer(workspace), case.uid).rebuild.snapshots] == [3]
    # The old index still finds the passage: what comes of it is taken, and flagged.
    later = answer("a2", retrieved=["c2"], included=["c2"], cites=["c2"])
    assert {one.status for one in send(workspace, later)} <= {"created", "accepted", "stored"}
    assert states(workspace) == {"a1": "stale", "a2": "stale"}
    assert flags_of(workspace, "a2") >= {"withdrawn_upstream"}
    for name in ("a1", "a2"):
        page = answer_page(viewer(workspace), node(workspace, "answer", name).uid)
        assert [card.passage and card.passage.text for card in page.cards] == [None]
        assert {claim.because for claim in page.claims} == {"erased"}


def test_a_cache_that_serves_an_answer_of_before_a_correction_serves_it_stale(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *work("s", TEXT, CHUNKS),
        *answer("changed", retrieved=["c2"], included=["c2"], cites=["c2"], sentence="Beta is two."),
        *answer("same", retrieved=["c1"], included=["c1"], cites=["c1"]),
    ])  # fmt: skip
    corrected = TEXT.replace("Beta is two.", "Beta is 2.5.")
    send(workspace, [
        {**record("source_version", "s@2", source="s", published_at="2025-06-01"), "occurred_at": None},
        record("document", "s-doc-2", source_version="s@2", text=corrected),
    ])  # fmt: skip
    case = approved(workspace, "correction", ("source_version", "s@1"))
    hit = record("answer", "hit", served_from="changed", question="What?", text="Beta is two. [1]")
    send(workspace, [hit])
    run_to_end(case, runs=2)
    assert states(workspace) == {"changed": "stale", "same": "review", "hit": "stale"}
    ids = {key: node(workspace, "answer", key).pk for key in ("changed", "hit")}
    told = states_of(workspace.pk, ids.values())
    assert {(r.case_kind, r.grade) for r in told[ids["changed"]].reasons} == {
        ("correction", "cited")
    }
    assert {(r.case_kind, r.grade) for r in told[ids["hit"]].reasons} == {("correction", "served")}
    because = {
        key: {
            c.because
            for c in answer_page(viewer(workspace), node(workspace, "answer", key).uid).claims
        }
        for key in ("changed", "same")
    }
    assert because == {"changed": {"changed"}, "same": {"unchanged"}}


@pytest.mark.usefixtures("graph")
def test_a_takedown_whose_task_is_delivered_again_and_again_is_done_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage.cases.propagate.BATCH", 5)
    monkeypatch.setattr("lineage.cases.propagate.BATCHES_A_RUN", 1)
    records: list[dict[str, Any]] = work("s", TEXT, CHUNKS)
    for number in range(12):
        records += answer(f"a{number}", retrieved=["c1"], included=["c1"], cites=["c1"])
    send(workspace, records)
    case = approved(workspace, "revocation", ("source", "s"))
    propagate(row(case).pk)
    # The worker died with the lease in its hand: whoever is asked meanwhile does nothing.
    half = AnswerEffect.objects.filter(case__uid=case.uid).count()
    assert 0 < half < 12
    Case.objects.filter(uid=case.uid).update(lease_until=None)
    for _ in range(3):
        propagate(row(case).pk)
    ended = run_to_end(case)
    assert ended.state == Case.State.VERIFIED
    effects = AnswerEffect.objects.filter(case=ended).order_by("pk")
    before = list(effects.values())
    for _ in range(2):
        propagate(ended.pk)
    assert list(effects.values()) == before
    assert len(before) == len({effect["answer_id"] for effect in before}) == 12
    whats = ["drafted", "tried", "approved", "verified"]
    rows = CaseEvent.objects.filter(case=ended).order_by("pk")
    assert list(rows.values_list("what", flat=True)) == whats
    audited = AuditEntry.objects.filter(workspace_id=workspace.pk, object_uid=case.uid)
    verbs = audited.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == [f"case.{what}" for what in whats]
    assert workflow.approve(viewer(workspace), case.uid).state == "verified"
    assert history(viewer(workspace), case.uid).total == 4


def test_markers_that_lead_to_nothing_the_model_was_given_support_nothing(
    workspace: Workspace,
) -> None:
    text = "Revenue grew 8% [999]. Costs fell [2]. Cash rose [k2]."
    spans = [(0, 22), (23, 38), (39, 54)]
    cited: list[dict[str, Any]] = [
        {"marker": "[999]", "position": 999}, {"marker": "[2]", "position": 2},
        {"marker": "[k2]", "chunk": "c2"},
    ]  # fmt: skip
    sent = send(workspace, [
        *work("s", TEXT, CHUNKS),
        record("retrieval", "r", candidates=[{"chunk": "c1", "rank": 1}, {"chunk": "c2", "rank": 2}]),
        record("context", "x", retrieval="r", items=[{"chunk": "c1", "position": 1}]),
        record("answer", "a", context="x", question="How?", text=text),
        *[record("claim", f"k{n}", answer="a", interval={"start": start, "end": end})
          for n, (start, end) in enumerate(spans)],
        *[record("citation", f"t{n}", claim=f"k{n}", **how) for n, how in enumerate(cited)],
    ])  # fmt: skip
    assert all(one.problem is None for one in sent)
    page = answer_page(viewer(workspace), node(workspace, "answer", "a").uid)
    # Two lead to nothing at all, the third to a passage that was retrieved and then left out.
    assert [card.reason for card in page.cards] == ["citation_outside_context"] * 2 + [None]
    flagged = [
        {flag["code"] for flag in node(workspace, "citation", f"t{n}").flags} for n in range(3)
    ]
    assert all("citation_outside_context" in flags for flags in flagged)
    assert page.cards[2].flags
    assert {claim.verdict for claim in page.claims} & {"supported"} == set()
