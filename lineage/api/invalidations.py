"""/invalidations: what has become of answers, for caches that serve them again."""

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant
from lineage.invalidation.feed import changes_since

router = Router(tags=["answers"])


class ChangeOut(Schema):
    """A change of an answer. `became`: its state, or that another answer took its place (`by`).

    `case`: the gravest case that makes it so; `born`: the answer was recorded when that case
    was in effect already. Of two changes of an answer's state the one with the greater
    `sequence` holds.
    """

    sequence: int
    answer: str
    became: Literal["stale", "review", "current", "regenerated"]
    at: Instant
    case: str | None
    born: bool
    by: str | None


class ComingOut(Schema):
    """A case in effect `since` then, more of whose changes will follow: it is not marked to its end."""

    case: str
    since: Instant


class Invalidations(Schema):
    """Changes in their order. `cursor`: to be sent as `since` next time; `more`: there are more already.

    `coming`: cases in effect of which changes are still to come, the oldest first, at most 50;
    `coming_total`: how many there are. Until there is none, an answer that the list does not
    name may be stale all the same: its own state tells.
    """

    items: list[ChangeOut]
    cursor: str
    more: bool
    coming: list[ComingOut]
    coming_total: int


@router.get(
    "/invalidations",
    auth=Needs("read"),
    response=Invalidations,
    operation_id="list_invalidations",
    summary="What has become of answers since a cursor, the oldest change first",
    openapi_extra=problems(400),
)
def list_invalidations(
    request: HttpRequest, since: Cursor = None, limit: Limit = LIMIT
) -> dict[str, Any]:
    """Without `since` from the first change on. Nothing is ever put before a cursor."""
    found = changes_since(viewer_of(request), since, limit=limit)
    items = [
        {
            "sequence": each.sequence,
            "answer": each.answer,
            "became": each.became,
            "at": each.at,
            "case": each.case,
            "born": each.born,
            "by": each.by,
        }
        for each in found.items
    ]
    return {
        "items": items,
        "cursor": found.cursor,
        "more": found.more,
        "coming": [{"case": each.case, "since": each.since} for each in found.coming],
        "coming_total": found.coming_total,
    }
