"""/notices: notices about published works, and files of them."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant, Page
from lineage.formats.notice_files import TooLarge
from lineage.formats.refusals import BodyRefused
from lineage.models import NoticeImport
from lineage.notices import imports, receiving, view

router = Router(tags=["notices"])

_PIECE: Final = 2**18

Kind = Literal["retraction", "withdrawal", "removal", "concern", "correction", "reinstatement", "other"]  # fmt: skip
ProviderName = Literal["publisher", "retraction-watch", "open-retractions"]
Standing = Literal["matched", "suggested", "unmatched", "contradictory"]


class MatchOut(Schema):
    """A source that a notice concerns, or may; a hidden one has no title."""

    source: str
    title: str | None
    hidden: bool
    by: str
    state: str
    signs: list[str]
    case: str | None
    case_state: str | None


class NoticeOut(Schema):
    """A notice. Hidden: it concerns what the caller may not see, and tells nothing of that work.

    `answers`: how many rest on what it concerns, when they were counted last.
    """

    uid: str
    hidden: bool
    kind: str
    title: str | None
    notice_doi: str | None
    notice_pmid: str | None
    subject_doi: str | None
    subject_pmid: str | None
    noted_on: date | None
    providers: list[str]
    remarks: list[str]
    contradictory: bool
    state: str
    answers: int
    matches: list[MatchOut]


class RemarkOut(Schema):
    """Something remarkable of an import, how often, and in which records first."""

    code: str
    count: int
    records: list[int]


class ImportOut(Schema):
    """A file that was read, or is to be."""

    uid: str
    origin: str
    state: str
    format: str
    failure: str
    size: int | None
    done: int
    counts: dict[str, int]
    report: list[RemarkOut]
    received_at: Instant
    finished_at: Instant | None


@router.get(
    "/notices",
    auth=Needs("read"),
    response=Page[NoticeOut],
    operation_id="list_notices",
    summary="Notices about published works, those with the most answers first",
    openapi_extra=problems(400, 422),
)
def list_notices(
    request: HttpRequest,
    kind: Annotated[Kind | None, Query(description="Keep these.")] = None,
    provider: Annotated[ProviderName | None, Query(description="Told by it.")] = None,
    standing: Annotated[
        Standing | None, Query(description="Matched with a source, or contradictory.")
    ] = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """`contradictory` are those of which no case is drafted by itself."""
    found = view.notices(
        viewer_of(request),
        kind=kind or "",
        provider=provider or "",
        standing=standing or "",
        limit=limit,
        cursor=cursor,
    )
    return {
        "items": [_notice(row) for row in found.items],
        "next": found.next,
        "total": found.total,
    }


@router.post(
    "/notices",
    auth=Needs("operate"),
    response={202: ImportOut},
    operation_id="post_notices",
    summary="Send a catalogue of notices",
    openapi_extra=problems(413, 422)
    | {
        "requestBody": {
            "required": True,
            "content": {
                media_type: {"schema": {"type": "string", "format": "binary"}}
                for media_type in (
                    "text/csv", "application/json", "application/x-ndjson", "application/gzip",
                )
            },
        }
    },
)  # fmt: skip
def post_notices(request: HttpRequest) -> Status[dict[str, Any]]:
    """The table of Retraction Watch, works of Crossref, or records of open-retractions.

    Up to 256 MiB, gzip or not; the format is told by the content. It is kept, and read in the
    background: ask for the import to learn what came of it.
    """
    viewer = viewer_of(request)
    try:
        uid = receiving.receive(viewer, _pieces(request), origin=NoticeImport.Origin.API)
    except TooLarge as error:
        raise BodyRefused("body-too-large", "At most 256 MiB can be sent at once.") from error
    return Status(202, _import(imports.import_view(viewer, uid)))


@router.get(
    "/notice-imports",
    auth=Needs("read"),
    response=Page[ImportOut],
    operation_id="list_notice_imports",
    summary="Files of notices that were read, newest first",
    openapi_extra=problems(400, 422),
)
def list_notice_imports(
    request: HttpRequest, limit: Limit = LIMIT, cursor: Cursor = None
) -> dict[str, Any]:
    """Each with what came of it."""
    found = imports.imports(viewer_of(request), limit=limit, cursor=cursor)
    return {
        "items": [_import(each) for each in found.items],
        "next": found.next,
        "total": found.total,
    }


@router.get(
    "/notice-imports/{uid}",
    auth=Needs("read"),
    response=ImportOut,
    operation_id="get_notice_import",
    summary="A file of notices: how far it is read, and what came of it",
    openapi_extra=problems(404),
)
def get_notice_import(request: HttpRequest, uid: str) -> dict[str, Any]:
    """`state` is received, running, done or failed."""
    return _import(imports.import_view(viewer_of(request), uid))


@router.get(
    "/notices/{uid}",
    auth=Needs("read"),
    response=NoticeOut,
    operation_id="get_notice",
    summary="A notice: what it concerns, and the case that was drafted",
    openapi_extra=problems(404),
)
def get_notice(request: HttpRequest, uid: str) -> dict[str, Any]:
    """With every source that it concerns."""
    return _notice(view.notice_view(viewer_of(request), uid).row)


def _pieces(request: HttpRequest) -> Iterator[bytes]:
    while piece := request.read(_PIECE):
        yield piece


def _notice(row: view.NoticeRow) -> dict[str, Any]:
    return {
        "uid": row.uid,
        "hidden": row.hidden,
        "kind": row.kind,
        "title": row.title,
        "notice_doi": row.notice_doi,
        "notice_pmid": row.notice_pmid,
        "subject_doi": row.subject_doi,
        "subject_pmid": row.subject_pmid,
        "noted_on": row.noted_on,
        "providers": list(row.providers),
        "remarks": list(row.remarks),
        "contradictory": row.doubtful,
        "state": row.state,
        "answers": row.answers,
        "matches": [
            {
                "source": match.source_uid,
                "title": match.title,
                "hidden": match.hidden,
                "by": match.by,
                "state": match.state,
                "signs": list(match.signs),
                "case": match.case_uid,
                "case_state": match.case_state,
            }
            for match in row.matches
        ],
    }


def _import(found: imports.ImportView) -> dict[str, Any]:
    return {
        "uid": found.uid,
        "origin": found.origin,
        "state": found.state,
        "format": found.format,
        "failure": found.failure,
        "size": found.size,
        "done": found.done,
        "counts": dict(found.counts),
        "report": [dict(each) for each in found.report],
        "received_at": found.received_at,
        "finished_at": found.finished_at,
    }
