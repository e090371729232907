"""/nodes/UID/as-recorded and /changes: what the registry knew then, and what came since."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import AskedInstant, Instant
from lineage.impact.as_of import as_recorded
from lineage.impact.as_of_page import page_of
from lineage.impact.changes import changes

router = Router(tags=["impact"])

GradeWord = Literal["cited", "in_context", "produced", "retrieved", "possible", "served"]
Until = Annotated[AskedInstant, Query(description="What was recorded until then, that included.")]
Since = Annotated[AskedInstant, Query(description="What was recorded after that.")]


class AnswerThenOut(Schema):
    """An answer that rested on the node then, with the grade that it had."""

    uid: str
    grade: GradeWord
    occurred_at: Instant | None
    recorded_at: Instant


class AsRecordedOut(Schema):
    """Impact as it was recorded. `exact`: nothing was amended since and nothing was cut.

    `amended`: nodes among what the answers rest on that said more or other things later;
    `truncated`: only the last 1,000 answers recorded by then were looked at.
    """

    until: Instant
    counts: dict[str, int]
    items: list[AnswerThenOut]
    next: str | None
    total: int
    exact: bool
    amended: int
    truncated: bool


class ReboundOut(Schema):
    """A reference that came to mean another node: `holder` states it in the field `relation`."""

    holder: str
    relation: str
    old: str | None
    new: str | None
    at: Instant


class LateAnswerOut(Schema):
    """An answer recorded since; `late`: it happened before."""

    uid: str
    grade: GradeWord
    occurred_at: Instant | None
    recorded_at: Instant
    late: bool


class MovedOut(Schema):
    """An answer of before whose grade is another now; null: it did not rest on the node, or does not."""

    uid: str
    then: GradeWord | None
    now: GradeWord | None


class ChangesOut(Schema):
    """What changed for a node, the latest first; each list goes on by its own cursor.

    `moved` stands on the first page alone, as far as the past can be told: see as-recorded.
    """

    since: Instant
    moved: list[MovedOut]
    exact: bool
    truncated: bool
    rebindings: list[ReboundOut]
    next_rebindings: str | None
    answers: list[LateAnswerOut]
    next_answers: str | None


@router.get(
    "/nodes/{uid}/as-recorded",
    auth=Needs("read"),
    response=AsRecordedOut,
    operation_id="get_impact_as_recorded",
    summary="Which answers rested on a node, by what had been recorded until an instant",
    openapi_extra=problems(400, 404, 410, 422),
)
def get_as_recorded(
    request: HttpRequest, uid: str, until: Until, limit: Limit = LIMIT, cursor: Cursor = None
) -> dict[str, Any]:
    """By recorded time. By the time of the answers, ask the report with `until`."""
    found = as_recorded(viewer_of(request), uid, until)
    page, following = page_of(found.items, limit, cursor)
    return {
        "until": found.until,
        "counts": found.counts,
        "items": [
            {
                "uid": each.uid,
                "grade": each.grade,
                "occurred_at": each.occurred_at,
                "recorded_at": each.recorded_at,
            }
            for each in page
        ],
        "next": following,
        "total": len(found.items),
        "exact": found.exact,
        "amended": found.amended,
        "truncated": found.truncated,
    }


@router.get(
    "/nodes/{uid}/changes",
    auth=Needs("read"),
    response=ChangesOut,
    operation_id="get_changes",
    summary="What late or repeated records changed for a node since an instant",
    openapi_extra=problems(400, 404, 410, 422),
)
def get_changes(
    request: HttpRequest,
    uid: str,
    since: Since,
    limit: Limit = LIMIT,
    rebindings_cursor: Cursor = None,
    answers_cursor: Cursor = None,
) -> dict[str, Any]:
    """References that mean another node now, answers recorded since, and answers whose grade has changed."""
    found = changes(
        viewer_of(request),
        uid,
        since,
        limit=limit,
        rebindings_after=rebindings_cursor,
        answers_after=answers_cursor,
    )
    return {
        "since": found.since,
        "moved": [{"uid": each.uid, "then": each.then, "now": each.now} for each in found.moved],
        "exact": found.exact,
        "truncated": found.truncated,
        "rebindings": [
            {
                "holder": each.holder,
                "relation": each.relation,
                "old": each.old,
                "new": each.new,
                "at": each.at,
            }
            for each in found.rebindings
        ],
        "next_rebindings": found.next_rebindings,
        "answers": [
            {
                "uid": each.uid,
                "grade": each.grade,
                "occurred_at": each.occurred_at,
                "recorded_at": each.recorded_at,
                "late": each.late,
            }
            for each in found.answers
        ],
        "next_answers": found.next_answers,
    }
