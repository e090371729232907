"""/incidents: saved questions of impact that people work off."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import FreeJson, Instant, Page
from lineage.impact.question import question_from_json, question_to_json, write_question
from lineage.incidents import course, view, workflow

router = Router(tags=["incidents"])

State = Literal["open", "investigating", "mitigated", "closed"]
States = Annotated[list[State], Query(description="Keep these.", max_length=10)]
Assignee = Annotated[str, Query(description="The name of an account; `-`: nobody.", max_length=200)]


class NewIncident(Schema):
    """An incident to be. `question`: the parameters of an impact report, lists where several stand."""

    title: str
    question: dict[str, Any]
    note: str = ""
    assignee: str = ""
    watching: bool = True


class IncidentChange(Schema):
    """What is to be set; what is not given stays. `assignee`: null or "" for nobody."""

    title: str | None = None
    state: State | None = None
    assignee: str | None = None
    watching: bool | None = None


class NewNote(Schema):
    """A note, which nobody can change."""

    text: str = ""


class Seen(Schema):
    """How many of the new answers were taken note of: `found` as it was shown."""

    found: int = Field(default=0, ge=0, le=2**53)


class CaseLink(Schema):
    """The uid of a case that was filed because of the incident."""

    case: str = ""


class IncidentListed(Schema):
    """An incident in a list. `counts` and `total` when it was opened; `new`: of `found`, those not noticed yet."""

    uid: str
    title: str
    state: State
    assignee: str
    opened_at: Instant
    changed_at: Instant
    counts: dict[str, int]
    total: int
    found: int
    new: int
    watching: bool


class LinkedCaseOut(Schema):
    """A case that was filed because of the incident."""

    uid: str
    kind: str
    state: str
    created_at: Instant


class IncidentOut(IncidentListed):
    """An incident, counted anew: `counts` by grade before the question's filters, totals after them.

    The numbers of now are null where something that the question names is gone. `report`:
    the query string of its report, list and exports.
    """

    question: FreeJson
    report: str
    counts_now: dict[str, int] | None
    total_now: int | None
    opened_by: str | None
    closed_at: Instant | None
    cases: list[LinkedCaseOut]
    may: list[State]


class NoteOut(Schema):
    """What was said or done. `author`: the name of an account, "" for a key, null where it is gone.

    `became`, of a case that was linked: its uid.
    """

    what: Literal["note", "state", "assignee", "title", "watch", "noticed", "case"]
    at: Instant
    author: str | None
    text: str | None
    became: str
    assigned: str


class NewAnswerOut(Schema):
    """An answer that came under the incident after it was opened."""

    uid: str
    occurred_at: Instant | None
    found_at: Instant


@router.get(
    "/incidents",
    auth=Needs("operate"),
    response=Page[IncidentListed],
    operation_id="list_incidents",
    summary="Incidents, newest first",
    openapi_extra=problems(400, 422),
)
def list_incidents(
    request: HttpRequest,
    state: States = [],  # noqa: B006 - read as a declaration, never changed
    assignee: Assignee = "",
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """`state` may stand several times."""
    found = view.incidents(
        viewer_of(request), states=state, assignee=assignee, limit=limit, cursor=cursor
    )
    return {"items": list(map(_listed, found.items)), "next": found.next, "total": found.total}


@router.post(
    "/incidents",
    auth=Needs("operate"),
    response={201: IncidentOut},
    operation_id="open_incident",
    summary="Save a question of impact as an incident",
    openapi_extra=problems(404, 422),
)
def open_incident(request: HttpRequest, payload: NewIncident) -> Status[dict[str, Any]]:
    """Counted at this moment; new answers are found from now on."""
    uid = workflow.open_incident(
        viewer_of(request),
        title=payload.title,
        question=question_from_json(payload.question),
        note=payload.note,
        assignee=payload.assignee,
        watching=payload.watching,
    )
    return Status(201, _incident(request, uid))


@router.get(
    "/incidents/{uid}",
    auth=Needs("operate"),
    response=IncidentOut,
    operation_id="get_incident",
    summary="An incident, counted anew",
    openapi_extra=problems(404),
)
def get_incident(request: HttpRequest, uid: str) -> dict[str, Any]:
    """What it was when it was opened, and what it is now."""
    return _incident(request, uid)


@router.patch(
    "/incidents/{uid}",
    auth=Needs("operate"),
    response=IncidentOut,
    operation_id="change_incident",
    summary="Move it on, give it to somebody, rename it, watch it or not",
    openapi_extra=problems(404, 409, 422),
)
def change_incident(request: HttpRequest, uid: str, payload: IncidentChange) -> dict[str, Any]:
    """All or nothing; what is as it was is left alone."""
    given = payload.dict(exclude_unset=True)
    if given.get("assignee", "") is None:
        given["assignee"] = ""
    changes = {name: value for name, value in given.items() if value is not None}
    workflow.change(viewer_of(request), uid, changes)
    return _incident(request, uid)


@router.delete(
    "/incidents/{uid}",
    auth=Needs("operate"),
    response={204: None},
    operation_id="delete_incident",
    summary="Delete a closed incident with its notes",
    openapi_extra=problems(404, 409),
)
def delete_incident(request: HttpRequest, uid: str) -> Status[None]:
    """What it was about is not touched."""
    workflow.delete(viewer_of(request), uid)
    return Status(204, None)


@router.get(
    "/incidents/{uid}/notes",
    auth=Needs("operate"),
    response=Page[NoteOut],
    operation_id="list_incident_notes",
    summary="What was said and done, newest first",
    openapi_extra=problems(400, 404),
)
def list_notes(
    request: HttpRequest, uid: str, limit: Limit = LIMIT, cursor: Cursor = None
) -> dict[str, Any]:
    """Notes, and every change with who made it."""
    found = course.notes(viewer_of(request), uid, limit=limit, cursor=cursor)
    items = [
        {
            "what": each.what,
            "at": each.at,
            "author": each.author,
            "text": each.text,
            "became": each.became,
            "assigned": each.assigned,
        }
        for each in found.items
    ]
    return {"items": items, "next": found.next, "total": found.total}


@router.post(
    "/incidents/{uid}/notes",
    auth=Needs("operate"),
    response={204: None},
    operation_id="add_incident_note",
    summary="Add a note",
    openapi_extra=problems(404, 422),
)
def add_note(request: HttpRequest, uid: str, payload: NewNote) -> Status[None]:
    """Nobody can change it or take it away."""
    workflow.note(viewer_of(request), uid, payload.text)
    return Status(204, None)


@router.get(
    "/incidents/{uid}/answers",
    auth=Needs("operate"),
    response=Page[NewAnswerOut],
    operation_id="list_new_answers",
    summary="Answers that came under it since it was opened, the last found first",
    openapi_extra=problems(400, 404),
)
def list_new_answers(
    request: HttpRequest, uid: str, limit: Limit = LIMIT, cursor: Cursor = None
) -> dict[str, Any]:
    """Found some seconds after they arrive."""
    found = course.new_answers(viewer_of(request), uid, limit=limit, cursor=cursor)
    items = [
        {"uid": each.uid, "occurred_at": each.occurred_at, "found_at": each.found_at}
        for each in found.items
    ]
    return {"items": items, "next": found.next, "total": found.total}


@router.post(
    "/incidents/{uid}/notice",
    auth=Needs("operate"),
    response={204: None},
    operation_id="notice_new_answers",
    summary="Take note of new answers",
    openapi_extra=problems(404, 422),
)
def notice(request: HttpRequest, uid: str, payload: Seen) -> Status[None]:
    """What was found after `found` stays new."""
    workflow.notice(viewer_of(request), uid, payload.found)
    return Status(204, None)


@router.post(
    "/incidents/{uid}/cases",
    auth=Needs("operate"),
    response={204: None},
    operation_id="link_case",
    summary="Say that a case was filed because of it",
    openapi_extra=problems(404, 422),
)
def link_case(request: HttpRequest, uid: str, payload: CaseLink) -> Status[None]:
    """Twice is once."""
    workflow.link_case(viewer_of(request), uid, payload.case)
    return Status(204, None)


def _incident(request: HttpRequest, uid: str) -> dict[str, Any]:
    found = view.incident_view(viewer_of(request), uid)
    return _listed(found.row) | {
        "question": question_to_json(found.question),
        "report": write_question(found.question),
        "counts_now": found.counts_now and dict(found.counts_now),
        "total_now": found.total_now,
        "opened_by": found.opened_by,
        "closed_at": found.closed_at,
        "cases": [
            {
                "uid": each.uid,
                "kind": each.kind,
                "state": each.state,
                "created_at": each.created_at,
            }
            for each in found.cases
        ],
        "may": list(found.may),
    }


def _listed(row: view.IncidentRow) -> dict[str, Any]:
    return {
        "uid": row.uid,
        "title": row.title,
        "state": row.state,
        "assignee": row.assignee,
        "opened_at": row.opened_at,
        "changed_at": row.changed_at,
        "counts": dict(row.counts),
        "total": row.total,
        "found": row.found,
        "new": row.new,
        "watching": row.watching,
    }
