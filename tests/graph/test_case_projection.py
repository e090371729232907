"""Cases in the graph: what they invalidate and affect, from the first word to the reinstatement."""

from datetime import UTC, datetime

import pytest

from lineage.graph import case_projection
from lineage.graph.dump import dump
from lineage.graph.projection import project, project_case
from lineage.graph.rebuild import rebuild
from lineage.graph.walk import answers_downstream, downstream, upstream
from lineage.identifiers import keyed_hash
from lineage.models import AnswerEffect, Case, Node, Withdrawal
from lineage.vocabulary import AnswerState, Grade
from tests.graph.builder import RECORDED_AT, Lineage

AT = datetime(2026, 4, 1, tzinfo=UTC)
ENDED_AT = datetime(2026, 5, 1, tzinfo=UTC)


def file_case(lineage: Lineage, kind: str, targets: list[Node]) -> Case:
    case = Case.objects.create(
        workspace=lineage.workspace,
        uid=f"cas_{keyed_hash(lineage.workspace.hash_key, kind)}",
        kind=kind,
        state=Case.State.APPROVED,
        reason="A reason in words",
        created_at=RECORDED_AT,
        effective_at=AT,
    )
    for target in targets:
        Withdrawal.objects.create(workspace=lineage.workspace, case=case, node=target, at=AT)
    return case


def affect(case: Case, answer: Node, grade: Grade) -> AnswerEffect:
    return AnswerEffect.objects.create(
        answer=answer, case=case, grade=grade, state=AnswerState.STALE, at=AT
    )


def case_edges(lineage: Lineage) -> list[tuple[str, str, str, dict[str, object]]]:
    _, edges = dump(lineage.workspace.pk)
    return [
        (from_uid, edge, to_uid, dict(properties))
        for from_uid, edge, to_uid, properties in edges
        if edge in ("WAS_INVALIDATED_BY", "AFFECTED_BY")
    ]


def test_unknown_case_is_passed_over(lineage: Lineage) -> None:
    project_case(10**9)
    assert dump(lineage.workspace.pk) == ([], [])


def test_retraction_and_its_end(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    answer = lineage.answer("q", retrieved=[chain["chunk"]], included=[chain["chunk"]])["answer"]
    project(lineage.workspace.pk)
    before = dump(lineage.workspace.pk)
    case = file_case(lineage, "retraction", [chain["source"]])
    effect = affect(case, answer, Grade.IN_CONTEXT)
    at, ended_at = "2026-04-01T00:00:00.000000Z", "2026-05-01T00:00:00.000000Z"
    for _ in range(2):
        project_case(case.pk)
        assert case_edges(lineage) == [
            (answer.uid, "AFFECTED_BY", case.uid, {"at": at, "grade": "in_context"}),
            (chain["source"].uid, "WAS_INVALIDATED_BY", case.uid, {"at": at}),
        ]
    ((_, _, properties),) = [node for node in dump(lineage.workspace.pk)[0] if node[0] == "case"]
    assert dict(properties) == {
        "case_kind": "retraction",
        "effective_at": at,
        "resolved": True,
        "state": "approved",
        "workspace": keyed_hash(lineage.workspace.hash_key, "workspace"),
    }
    # Projecting the nodes again leaves the edges of the case alone.
    lineage.mark(*lineage.nodes.values())
    project(lineage.workspace.pk)
    assert len(case_edges(lineage)) == 2
    # Nothing walks along them.
    assert case.uid not in upstream(lineage.workspace.pk, answer.uid).uids
    assert case.uid not in downstream(lineage.workspace.pk, chain["source"].uid).uids
    assert answers_downstream(lineage.workspace.pk, case.uid).grades == {}
    # Reinstated: no longer invalidated; that it was affected stays, with its end.
    Withdrawal.objects.update(ended_at=ENDED_AT)
    effect.ended_at = ENDED_AT
    effect.save()
    project_case(case.pk)
    assert case_edges(lineage) == [
        (
            answer.uid,
            "AFFECTED_BY",
            case.uid,
            {"at": at, "ended_at": ended_at, "grade": "in_context"},
        )
    ]
    assert {uid for _, uid, _ in before[0]} | {case.uid} == {
        uid for _, uid, _ in dump(lineage.workspace.pk)[0]
    }


def test_correction_invalidates_nothing(lineage: Lineage) -> None:
    case = file_case(lineage, "correction", [lineage.node("source", "s")])
    project(lineage.workspace.pk)
    project_case(case.pk)
    assert case_edges(lineage) == []


def test_more_rows_than_a_batch(lineage: Lineage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_projection, "ROWS_A_BATCH", 2)
    chunks = [lineage.node("chunk", f"c{number}") for number in range(5)]
    case = file_case(lineage, "erasure", chunks)
    # The targets are not in the graph yet.
    project_case(case.pk)
    assert {from_uid for from_uid, *_ in case_edges(lineage)} == {chunk.uid for chunk in chunks}
    project(lineage.workspace.pk)
    assert len(case_edges(lineage)) == 5


def test_case_edges_follow_a_settled_uid(lineage: Lineage) -> None:
    answer = lineage.node("answer", "q")
    document = lineage.node("document", "d")
    case = file_case(lineage, "revocation", [document])
    affect(case, answer, Grade.CITED)
    project(lineage.workspace.pk)
    project_case(case.pk)
    lineage.settle(answer, "answer-settled")
    lineage.settle(document, "document-settled")
    project(lineage.workspace.pk)
    assert [(from_uid, edge) for from_uid, edge, *_ in case_edges(lineage)] == [
        (answer.uid, "AFFECTED_BY"),
        (document.uid, "WAS_INVALIDATED_BY"),
    ]
    found = dump(lineage.workspace.pk)
    assert rebuild(lineage.workspace.pk) == 2
    assert dump(lineage.workspace.pk) == found
