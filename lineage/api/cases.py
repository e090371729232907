"""/cases: drafting, trying out, approving and undoing corrections and takedowns."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import FreeJson, Instant, Page
from lineage.cases import workflow
from lineage.cases.queue import CaseRow, queue
from lineage.cases.view import CaseView, case_view
from lineage.erasure.run import begin_now
from lineage.formats.storable import storable_json, storable_string

router = Router(tags=["cases"])

CaseState = Literal[
    "draft", "ready", "approved", "scheduled", "propagating", "paused", "verified", "incomplete",
    "rejected", "cancelled",
]  # fmt: skip
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


class TargetOut(Schema):
    """What a case is about; hidden ones have neither key nor label."""

    uid: str
    kind: str
    key: str | None
    namespace: str | None
    label: str | None
    hidden: bool


class Approval(Schema):
    """Which numbers are approved: `seen` is `dry_runs` of the case as it was looked at."""

    seen: int | None = None


class ReachedOut(Schema):
    """Different users and tenants that the answers name; `unstated`: answers that name no user.

    `external`: systems outside that are told of an erasure.
    """

    readers: int
    unstated: int
    units: int
    external: int


class ChangedOut(Schema):
    """What a dry run found otherwise than the one at `since`; by word, those alone that differ."""

    since: str
    added: int
    left: int
    states: dict[str, int]
    grades: dict[str, int]
    claims: dict[str, int]
    readers: int
    units: int


class DamageOut(Schema):
    """Answers stale and to review, and different readers, as they were last counted."""

    stale: int
    review: int
    readers: int


class ProgressOut(Schema):
    """Answers done, of those that the case reaches."""

    done: int
    total: int


class SnapshotOut(Schema):
    """An index snapshot that holds what a case takes out of use, and how many such members it has."""

    uid: str
    label: str
    members: int


class CaseOut(Schema):
    """A case. `counts`: answers by grade; empty before the dry run, as `states` and `claims` are.

    `rebuild`: index snapshots to build anew, from the dry run until it is lifted; at most 50.
    `dry_runs`: the number of the last dry run whose counts differed, which an approval names;
    `reached` and `changed` are null before the first and the second. `barred`: why this key
    may not approve it, though its scope would allow it: a code. `reinstates`: the case that it
    lifts, or would once somebody else has approved it. `assignee` is null without `operate`.
    """

    uid: str
    kind: str
    state: CaseState
    reason: str
    evidence: list[Any]
    effective_at: Instant | None
    targets: list[TargetOut]
    counts: dict[str, int]
    states: dict[str, int]
    claims: dict[str, int]
    reached: ReachedOut | None
    changed: ChangedOut | None
    dry_runs: int
    tried_at: Instant | None
    origin: Literal["member", "key", "feed"]
    assignee: str | None
    barred: str
    progress: ProgressOut
    verified: bool
    certificate: FreeJson | None
    shortfall: FreeJson | None
    rebuild: list[SnapshotOut]
    reinstates: str | None
    reinstated_by: str | None
    created_at: Instant
    approved_at: Instant | None
    verified_at: Instant | None


class CaseListed(Schema):
    """A case in a list; `targets` is their number."""

    uid: str
    kind: str
    state: CaseState
    reason: str
    targets: int
    counts: dict[str, int]
    damage: DamageOut | None
    origin: Literal["member", "key", "feed"]
    assignee: str
    progress: ProgressOut
    reinstates: str | None
    reinstated: bool
    created_at: Instant
    approved_at: Instant | None


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
    items = [_listed(row) for row in found.items]
    return {"items": items, "next": found.next, "total": found.total}


@router.post(
    "/cases",
    auth=Needs("operate"),
    response={201: CaseOut},
    operation_id="draft_case",
    summary="Draft a case; nothing takes effect yet",
    openapi_extra=problems(400, 422),
)
def draft_case(request: HttpRequest, payload: Draft) -> Status[dict[str, Any]]:
    """Targets are bound now: what the key means at this instant is what the case is about."""
    case = workflow.draft(
        viewer_of(request),
        kind=payload.kind,
        targets=payload.targets,
        reason=storable_string(payload.reason, "/reason", _unwarned),
        evidence=storable_json(payload.evidence, "/evidence", _unwarned),
        effective_at=payload.effective_at,
    )
    return Status(201, case_out(case))


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


def case_out(view: CaseView) -> dict[str, Any]:
    """A case for `CaseOut`."""
    targets = [
        {
            "uid": target.uid,
            "kind": target.kind,
            "key": target.key,
            "namespace": target.namespace,
            "label": target.label,
            "hidden": target.hidden,
        }
        for target in view.targets
    ]
    return {
        "uid": view.uid,
        "kind": view.kind,
        "state": view.state,
        "reason": view.reason,
        "evidence": list(view.evidence),
        "effective_at": view.effective_at,
        "targets": targets,
        "counts": dict(view.counts),
        "states": dict(view.states),
        "claims": dict(view.claims),
        "reached": view.reached and asdict(view.reached),
        "changed": view.changed and asdict(view.changed),
        "dry_runs": view.dry_runs,
        "tried_at": view.tried_at,
        "origin": view.origin,
        "assignee": view.assignee,
        "barred": view.barred,
        "progress": {"done": view.progress.done, "total": view.progress.total},
        "verified": view.verified,
        "certificate": view.certificate and dict(view.certificate),
        "shortfall": view.shortfall and dict(view.shortfall),
        "rebuild": [
            {"uid": one.uid, "label": one.label, "members": one.members}
            for one in view.rebuild.snapshots
        ],
        "reinstates": view.reinstates,
        "reinstated_by": view.reinstated_by,
        "created_at": view.created_at,
        "approved_at": view.approved_at,
        "verified_at": view.verified_at,
    }


def _listed(row: CaseRow) -> dict[str, Any]:
    return {
        "uid": row.uid,
        "kind": row.kind,
        "state": row.state,
        "reason": row.reason,
        "targets": row.targets,
        "counts": dict(row.counts),
        "damage": row.damage and asdict(row.damage),
        "origin": row.origin,
        "assignee": row.assignee,
        "progress": {"done": row.done, "total": row.total},
        "reinstates": row.reinstates,
        "reinstated": row.reinstated,
        "created_at": row.created_at,
        "approved_at": row.approved_at,
    }
