"""GET /answers/UID: an answer's text, state and claims."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from citations.answer import AnswerPage, ClaimView, Opened, answer_page
from lineage.api.access import Needs, problems, viewer_of
from lineage.api.schemas import Instant, WarningOut, warning

router = Router(tags=["reading"], auth=Needs("read"))


class Reason(Schema):
    """A case that keeps the answer from being current."""

    case: str
    kind: str
    grade: str
    at: Instant


class CodePoints(Schema):
    """A half-open interval of code points."""

    start: int
    end: int


class Claim(Schema):
    """A claim of the answer. `verdict` comes from checks, `standing` from cases.

    `because`: why it stands so, a code; empty where no case reaches it.
    """

    uid: str
    text: str | None
    interval: CodePoints | None
    verdict: str
    standing: str
    because: str
    masked: bool
    citations: list[str]
    flags: list[WarningOut]


class Answer(Schema):
    """An answer; stretches that the viewer may not see are replaced by █.

    `earlier` and `later`: its other revisions, the nearest first; whoever has this answer may
    show the last of `later` instead.
    """

    uid: str
    text: str | None
    question: str | None
    state: str
    reasons: list[Reason]
    claims: list[Claim]
    context: str | None
    retrieval: str | None
    retrievals: list[str]
    occurred_at: Instant | None
    recorded_at: Instant
    resolved: bool
    abstained: bool | None
    model: str | None
    provider: str | None
    served_from: str | None
    earlier: list[str]
    later: list[str]
    flags: list[WarningOut]


@router.get(
    "/answers/{uid}",
    response=Answer,
    operation_id="get_answer",
    summary="An answer with its claims, and whether it still holds",
    openapi_extra=problems(404, 410),
)
def get_answer(request: HttpRequest, uid: str) -> dict[str, Any]:
    """`state` is current, review or stale: right from the moment a case is approved."""
    return _answer(answer_page(viewer_of(request), uid, Opened()))


def _answer(page: AnswerPage) -> dict[str, Any]:
    reasons = [
        {"case": r.case_uid, "kind": r.case_kind, "grade": r.grade, "at": r.at}
        for r in page.reasons
    ]
    return {
        "uid": page.uid,
        "text": page.text,
        "question": page.question,
        "state": page.state,
        "reasons": reasons,
        "claims": [_claim(claim) for claim in page.claims],
        "context": page.context_uid,
        "retrieval": page.retrieval_uids[0] if page.retrieval_uids else None,
        "retrievals": list(page.retrieval_uids),
        "occurred_at": page.occurred_at,
        "recorded_at": page.recorded_at,
        "resolved": page.resolved,
        "abstained": page.abstained,
        "model": page.model,
        "provider": page.provider,
        "served_from": page.served_from.uid if page.served_from else None,
        "earlier": [each.uid for each in page.earlier],
        "later": [each.uid for each in page.later],
        "flags": [warning(flag) for flag in page.flags],
    }


def _claim(claim: ClaimView) -> dict[str, Any]:
    placed = claim.start is not None and claim.end is not None
    return {
        "uid": claim.uid,
        "text": claim.text,
        "interval": {"start": claim.start, "end": claim.end} if placed else None,
        "verdict": claim.verdict,
        "standing": claim.standing,
        "because": claim.because,
        "masked": claim.masked,
        "citations": list(claim.citations),
        "flags": [warning(flag) for flag in claim.flags],
    }
