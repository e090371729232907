"""GET /nodes/UID/impact: which answers rest on a node, and how strongly."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant
from lineage.impact.report import ImpactItem, impact

router = Router(tags=["reading"], auth=Needs("read"))

Grade = Literal["cited", "in_context", "produced", "retrieved", "possible", "served"]
State = Literal["current", "review", "stale"]
Grades = Annotated[list[Grade], Query(description="Keep these.", max_length=20)]
States = Annotated[list[State], Query(description="Keep these.", max_length=20)]


class Affected(Schema):
    """An answer with its strongest grade; `because` leads from the node towards it."""

    uid: str
    key: str
    grade: Grade
    origin_grade: Grade | None
    state: State
    occurred_at: Instant | None
    because: list[str]


class Counts(Schema):
    """Answers by their strongest grade, before filters."""

    cited: int
    in_context: int
    retrieved: int
    possible: int
    produced: int
    served: int


class Impact(Schema):
    """Counts before filters; items and total after them."""

    counts: Counts
    items: list[Affected]
    next: str | None
    total: int


@router.get(
    "/nodes/{uid}/impact",
    response=Impact,
    operation_id="get_impact",
    summary="The answers that rest on a node, each once, newest first",
    openapi_extra=problems(400, 404, 410, 422),
)
def get_impact(
    request: HttpRequest,
    uid: str,
    grade: Grades = [],  # noqa: B006 - read as a declaration, never changed
    state: States = [],  # noqa: B006
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Answers without a time come last. `grade` and `state` may stand several times."""
    report = impact(viewer_of(request), uid, grades=grade, states=state, limit=limit, cursor=cursor)
    return {
        "counts": report.counts,
        "items": [affected_out(item) for item in report.items],
        "next": report.next,
        "total": report.total,
    }


def affected_out(item: ImpactItem) -> dict[str, Any]:
    """An answer of a list for `Affected`."""
    return {
        "uid": item.uid,
        "key": item.key,
        "grade": item.grade,
        "origin_grade": item.origin_grade,
        "state": item.state,
        "occurred_at": item.occurred_at,
        "because": list(item.because),
    }
