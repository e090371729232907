"""/audit: who did what in the workspace; with the scope `admin`."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router, Schema

from lineage.api.access import Needs, problems, viewer_of, workspace_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant
from provexplorer.workspaces.audit import pages
from provexplorer.workspaces.audit.browse import Question, entries
from provexplorer.workspaces.audit.recording import record

router = Router(tags=["audit"])

Text = Annotated[str, Query(max_length=150)]
_JSON_LINES = {
    "responses": {
        200: {
            "description": "JSON Lines: entries with their hashes, after the last of a seal the seal.",
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
        }
    }
}


class EntryOut(Schema):
    """An entry. `actor`: an account's name or a key's id, empty where there is none or it is gone;
    `sequence`: its place in the chain, null while it waits for its seal; `details`: null where
    there are none, and where they were erased (`erased`).
    """

    uid: str
    at: Instant
    verb: str
    code: str
    actor_kind: Literal["member", "key", "product", "nobody"]
    actor: str
    object: str
    sequence: int | None
    details: dict[str, Any] | None
    erased: bool


class Entries(Schema):
    """Entries, newest first. `sealed`: how many of the workspace are in the chain, under how many `seals`."""

    items: list[EntryOut]
    next: str | None
    sealed: int
    seals: int


@router.get(
    "/audit",
    auth=Needs("admin"),
    response=Entries,
    operation_id="list_audit",
    summary="Who did what, newest first",
    openapi_extra=problems(400, 422),
)
def list_audit(
    request: HttpRequest,
    actor: Text = "",
    verb: Text = "",
    object: Text = "",  # noqa: A002 - the word of the API
    since: datetime | None = None,
    until: datetime | None = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """`actor`: a name, a key's id, `product` or `nobody`; `verb`: `case.approved`, or all of `case`."""
    question = Question(actor, verb, object, _utc(since), _utc(until))
    found = entries(viewer_of(request), question, limit=limit, cursor=cursor)
    items = [
        {
            "uid": each.uid,
            "at": each.at,
            "verb": each.verb,
            "code": each.code,
            "actor_kind": each.actor_kind,
            "actor": each.actor,
            "object": each.object_uid,
            "sequence": each.sequence,
            "details": each.details,
            "erased": each.erased,
        }
        for each in found.items
    ]
    return {"items": items, "next": found.next, "sealed": found.sealed, "seals": found.seals}


@router.get(
    "/audit.jsonl",
    auth=Needs("admin"),
    operation_id="export_audit",
    summary="The sealed log with its seals, to be verified elsewhere",
    openapi_extra={"responses": problems(422)["responses"] | _JSON_LINES["responses"]},
)
def export_audit(
    request: HttpRequest,
    after: Annotated[int, Query(ge=0, le=2**53, description="Of later seals alone.")] = 0,
) -> StreamingHttpResponse:
    """Streamed, without details. `provexplorer` verifies the log against an earlier export."""
    record("audit.exported", viewer_of(request), code="api")
    return pages.exported(workspace_of(request), after=after)


def _utc(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)
