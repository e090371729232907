"""/cases/{uid}/…: turning a case down, its history and comments, who works on it, its files."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Query, Router, Schema, Status

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.case_schemas import CaseOut, case_out
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant, Page
from lineage.cases import discussion, files, workflow
from lineage.cases.history import history
from provexplorer.workspaces.audit.recording import record

router = Router(tags=["cases"])

FileName = Annotated[str, Query(description="The name of the file.", max_length=2_000)]


class Rejection(Schema):
    """Why a case is turned down."""

    reason: str = ""


class Comment(Schema):
    """What is said to those who work on cases."""

    text: str = ""


class Assignee(Schema):
    """The name of an account; empty for nobody."""

    assignee: str = ""


class StepOut(Schema):
    """What was done with a case or said about it.

    `author`: the name of an account, null for keys, for the product itself and for readers;
    `role` the role that it has now. `other`: the reinstatement that lifted it. `numbers`:
    answers by state and readers at that moment.
    """

    what: str
    at: Instant
    by: str
    author: str | None
    role: str
    text: str | None
    assigned: str
    other: str | None
    numbers: dict[str, int]


class FileOut(Schema):
    """A file; `name` is null where it was destroyed. `size` in bytes."""

    number: int
    name: str | None
    media_type: str
    size: int
    added_at: Instant


class FileList(Schema):
    """All files of a case, at most 50."""

    items: list[FileOut]


@router.post(
    "/cases/{uid}/reject",
    auth=Needs("edit"),
    response=CaseOut,
    operation_id="reject_case",
    summary="Turn down a case that nobody has approved",
    openapi_extra=problems(404, 409, 422),
)
def reject_case(request: HttpRequest, uid: str, payload: Rejection) -> dict[str, Any]:
    """The reason is read by whoever may see the case. Twice is once."""
    return case_out(workflow.reject(viewer_of(request), uid, reason=payload.reason))


@router.get(
    "/cases/{uid}/history",
    auth=Needs("read"),
    response=Page[StepOut],
    operation_id="list_case_history",
    summary="What was done with a case, newest first",
    openapi_extra=problems(400, 404),
)
def list_history(
    request: HttpRequest, uid: str, limit: Limit = LIMIT, cursor: Cursor = None
) -> dict[str, Any]:
    """Comments, files and names of accounts are for keys that carry `operate`."""
    found = history(viewer_of(request), uid, limit=limit, cursor=cursor)
    items = [
        {
            "what": step.what,
            "at": step.at,
            "by": step.by,
            "author": step.author,
            "role": step.role,
            "text": step.text,
            "assigned": step.assigned,
            "other": step.other,
            "numbers": dict(step.numbers),
        }
        for step in found.items
    ]
    return {"items": items, "next": found.next, "total": found.total}


@router.post(
    "/cases/{uid}/comments",
    auth=Needs("operate"),
    response={204: None},
    operation_id="comment_on_case",
    summary="Say something to those who work on cases",
    openapi_extra=problems(404, 422),
)
def comment_on_case(request: HttpRequest, uid: str, payload: Comment) -> Status[None]:
    """Nobody can change it or take it away."""
    discussion.comment(viewer_of(request), uid, payload.text)
    return Status(204, None)


@router.post(
    "/cases/{uid}/assignee",
    auth=Needs("operate"),
    response={204: None},
    operation_id="assign_case",
    summary="Give a case to somebody, or to nobody",
    openapi_extra=problems(404, 422),
)
def assign_case(request: HttpRequest, uid: str, payload: Assignee) -> Status[None]:
    """Twice is once."""
    discussion.assign(viewer_of(request), uid, payload.assignee)
    return Status(204, None)


@router.get(
    "/cases/{uid}/files",
    auth=Needs("operate"),
    response=FileList,
    operation_id="list_case_files",
    summary="The files that are evidence in a case",
    openapi_extra=problems(404),
)
def list_files(request: HttpRequest, uid: str) -> dict[str, Any]:
    """In the order in which they came."""
    return {"items": [_file(one) for one in files.files(viewer_of(request), uid)]}


@router.post(
    "/cases/{uid}/files",
    auth=Needs("operate"),
    response={201: FileOut},
    operation_id="add_case_file",
    summary="Keep a file as evidence in a case",
    openapi_extra={
        **problems(404, 413, 422),
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
    },
)
def add_file(
    request: HttpRequest,
    uid: str,
    name: FileName = "",
) -> Status[dict[str, Any]]:
    """The body is the file, of at most 10 MiB; what it is is told by its name's ending and its bytes."""
    return Status(201, _file(files.add_file(viewer_of(request), uid, name=name, data=request.body)))


@router.get(
    "/cases/{uid}/files/{number}",
    auth=Needs("operate"),
    operation_id="get_case_file",
    summary="A file of a case",
    openapi_extra={
        "responses": problems(404)["responses"]
        | {
            200: {
                "description": "The file.",
                "content": {
                    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                },
            }
        }
    },
)
def get_file(request: HttpRequest, uid: str, number: int) -> HttpResponse:
    """As it was sent."""
    found, data = files.read_file(viewer_of(request), uid, number)
    record("export.made", viewer_of(request), object_uid=uid, code="case_file")
    name = found.name or f"file-{number}"
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(data, content_type=found.media_type, headers=headers)


@router.delete(
    "/cases/{uid}/files/{number}",
    auth=Needs("edit"),
    response={204: None},
    operation_id="destroy_case_file",
    summary="Destroy a file of a case",
    openapi_extra=problems(404),
)
def destroy_file(request: HttpRequest, uid: str, number: int) -> Status[None]:
    """That there was one stays in the history. Twice is once."""
    files.remove_file(viewer_of(request), uid, number)
    return Status(204, None)


def _file(file: files.FileView) -> dict[str, Any]:
    return {
        "number": file.number,
        "name": file.name,
        "media_type": file.media_type,
        "size": file.size,
        "added_at": file.added_at,
    }
