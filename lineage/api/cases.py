"""/cases: drafting, trying out, approving and undoing corrections and takedowns."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router, Schema, Status

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.case_schemas import CaseListed, CaseOut, CaseState, case_out, listed_out
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Page
from lineage.cases import workflow
from lineage.cases.proving_again import prove_again
from lineage.cases.queue import queue
from lineage.cases.view import case_view
from lineage.erasure.run import begin_now
from lineage.formats.storable import storable_json, storable_string

router = Router(tags=["cases"])

CaseStates = Annotated[list[CaseState], Query(description="Keep these.", max_length=20)]
CaseKinds = Annotated[list[str], Query(description="Keep these kinds.", max_length=20)]
WhoseCases = Annotated[
    Literal["", "nobody", "feed"],
    Query(description="Those that nobody has, or that a feed has drafted."),
]
CaseOrder = Annotated[
    Literal["newest", "damage"],
    Query(description="`damage`: answers stale, then to review, then readers, the most first."),
]
DraftKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=255,
        description="The same key and body again: the same case, as long as there is one.",
    ),
]


class Draft(Schema):
    """A case to be. A target is `{"uid"}`, or `{"kind", "key", "namespace"?, "digest"?}`."""

    kind: str
    targets: list[Any]
    reason: str = ""
    evidence: list[Any] = []
    effective_at: datetime | None = None


class Reinstatement(Schema):
    """Why a case is undone."""

    reason: str = ""


class Approval(Schema):
    """Which numbers are approved: `seen` is `dry_runs` of the case as it was looked at."""

    seen: int | None = None


@router.get(
    "/cases",
    auth=Needs("read"),
    response=Page[CaseListed],
    operation_id="list_cases",
    summary="Cases, newest first or by their damage",
    openapi_extra=problems(400, 422),
)
def list_cases(
    request: HttpRequest,
    state: CaseStates = [],  # noqa: B006 - read as a declaration, never changed
    kind: CaseKinds = [],  # noqa: B006
    whose: WhoseCases = "",
    order: CaseOrder = "newest",
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """`state` and `kind` may stand several times. A cursor is of one order."""
    found = queue(
        viewer_of(request),
        states=state,
        kinds=kind,
        whose=whose,
        order=order,
        limit=limit,
        cursor=cursor,
    )
    items = [listed_out(row) for row in found.items]
    return {"items": items, "next": found.next, "total": found.total}


@router.post(
    "/cases",
    auth=Needs("operate"),
    response={200: CaseOut, 201: CaseOut},
    operation_id="draft_case",
    summary="Draft a case; nothing takes effect yet",
    openapi_extra=problems(400, 422),
)
def draft_case(
    request: HttpRequest, response: HttpResponse, payload: Draft, idempotency_key: DraftKey = ""
) -> Status[dict[str, Any]]:
    """Targets are bound now: what the key means at this instant is what the case is about.

    With an `Idempotency-Key` that came before, 200 and the case that it drafted then, as it stands.
    """
    viewer = viewer_of(request)
    wanted = workflow.NewCase(
        kind=payload.kind,
        targets=payload.targets,
        reason=storable_string(payload.reason, "/reason", _unwarned),
        evidence=storable_json(payload.evidence, "/evidence", _unwarned),
        effective_at=payload.effective_at,
    )
    if not idempotency_key:
        return Status(201, case_out(workflow.draft(viewer, wanted)))
    case, new = workflow.draft_once(viewer, idempotency_key, wanted)
    if not new:
        response.headers["Idempotency-Replayed"] = "true"
    return Status(201 if new else 200, case_out(case))


@router.get(
    "/cases/{uid}",
    auth=Needs("read"),
    response=CaseOut,
    operation_id="get_case",
    summary="A case: its state, counts and progress",
    openapi_extra=problems(404),
)
def get_case(request: HttpRequest, uid: str) -> dict[str, Any]:
    """`verified` once an independent query has found every answer that it reaches."""
    return case_out(case_view(viewer_of(request), uid))


@router.post(
    "/cases/{uid}/dry-run",
    auth=Needs("operate"),
    response=CaseOut,
    operation_id="dry_run_case",
    summary="Count what the case would do",
    openapi_extra=problems(404, 409),
)
def dry_run_case(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Changes nothing but the case, which can be approved then."""
    return case_out(workflow.dry_run(viewer_of(request), uid))


@router.post(
    "/cases/{uid}/approve",
    auth=Needs("edit"),
    response=CaseOut,
    operation_id="approve_case",
    summary="Put the case into effect",
    openapi_extra=problems(400, 404, 409, 422),
)
def approve_case(request: HttpRequest, uid: str, payload: Approval | None = None) -> dict[str, Any]:
    """When this returns, every read obeys the case. Approving twice is approving once.

    Counts of an older dry run are taken again first; 409 `numbers_changed` where they differ.
    409 `another_person` and `a_person` where the workspace has another person decide.
    """
    viewer = viewer_of(request)
    approved = workflow.approve(viewer, uid, seen=payload.seen if payload else None)
    begin_now(viewer, uid)
    return case_out(approved)


@router.post(
    "/cases/{uid}/cancel",
    auth=Needs("operate"),
    response=CaseOut,
    operation_id="cancel_case",
    summary="Close a case that has not taken effect",
    openapi_extra=problems(404, 409),
)
def cancel_case(request: HttpRequest, uid: str) -> dict[str, Any]:
    """A scheduled case needs the scope `edit`."""
    return case_out(workflow.cancel(viewer_of(request), uid))


@router.post(
    "/cases/{uid}/pause",
    auth=Needs("edit"),
    response=CaseOut,
    operation_id="pause_case",
    summary="Stop materialising; reads go on obeying the case",
    openapi_extra=problems(404, 409),
)
def pause_case(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Only while it is propagating."""
    return case_out(workflow.pause(viewer_of(request), uid))


@router.post(
    "/cases/{uid}/resume",
    auth=Needs("edit"),
    response=CaseOut,
    operation_id="resume_case",
    summary="Go on where a paused case stopped",
    openapi_extra=problems(404, 409),
)
def resume_case(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Only while it is paused."""
    return case_out(workflow.resume(viewer_of(request), uid))


@router.post(
    "/cases/{uid}/prove-again",
    auth=Needs("edit"),
    response=CaseOut,
    operation_id="prove_case_again",
    summary="Prove a case again whose proof fell short",
    openapi_extra=problems(404, 409),
)
def prove_case_again(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Only while it is incomplete by its proof: once the graph has been written anew."""
    return case_out(prove_again(viewer_of(request), uid))


@router.post(
    "/cases/{uid}/reinstate",
    auth=Needs("edit"),
    response={201: CaseOut},
    operation_id="reinstate_case",
    summary="End a case by a new one that undoes it",
    openapi_extra=problems(400, 404, 409, 422),
)
def reinstate_case(
    request: HttpRequest, uid: str, payload: Reinstatement | None = None
) -> Status[dict[str, Any]]:
    """The new case; reads are free of the old one when this returns."""
    reason = storable_string(payload.reason if payload else "", "/reason", _unwarned)
    return Status(201, case_out(workflow.reinstate(viewer_of(request), uid, reason=reason)))


def _unwarned(_code: str, _pointer: str, _detail: str) -> None:
    """NUL and half surrogates in a reason are shown as marks; nobody needs to be told."""
