"""What a workspace demands of sources, and sources by what they state and how fresh they are."""

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import Cursor, Limit
from lineage.api.schemas import Instant
from lineage.rights.asked import SourceFilter
from lineage.rights.known import Rules
from lineage.rights.policy import rules_of, set_rules
from lineage.rights.sources import SourceLine, sources

router = Router(tags=["rights"])


class RightsRules(Schema):
    """What a source must state before anything of it is indexed."""

    creator: bool
    licence: bool


class SourceOut(Schema):
    """A source in numbers; null where nothing is prepared of it yet."""

    uid: str
    title: str | None
    state: str
    licence: str | None
    family: str | None
    kind: str | None
    language: str | None
    versions: int | None
    unlicensed: int | None
    answers: int | None
    chunks: int | None
    ends_at: Instant | None
    missing: list[str]
    freshness: str
    checked_at: Instant | None
    cited: int | None
    drifted: int | None


class Sources(Schema):
    items: list[SourceOut]
    next: str | None
    total: int


class Asked(Schema):
    """Filters of the list; each left out asks for nothing."""

    q: str = ""
    state: Literal["", "active", "withdrawn"] = ""
    family: str = ""
    kind: str = ""
    language: str = ""
    freshness: Literal["", "current", "changed", "gone", "unreachable", "never"] = ""
    missing: Literal["", "creator", "licence", "any", "description"] = ""
    ending: Literal["", "30", "90", "later", "never"] = ""


@router.get(
    "/settings/rights",
    auth=Needs("read"),
    response=RightsRules,
    operation_id="get_rights_rules",
    summary="What a source must state before anything of it is indexed",
    openapi_extra=problems(),
)
def get_rights_rules(request: HttpRequest) -> dict[str, bool]:
    """Without a rule nothing is demanded."""
    return _told(rules_of(viewer_of(request).workspace_id))


@router.put(
    "/settings/rights",
    auth=Needs("admin"),
    response=RightsRules,
    operation_id="put_rights_rules",
    summary="Set what a source must state before anything of it is indexed",
    openapi_extra=problems(422),
)
def put_rights_rules(request: HttpRequest, body: RightsRules) -> dict[str, bool]:
    """From now on; what is indexed already stays, and is listed under `missing`."""
    rules = Rules(creator=body.creator, licence=body.licence)
    set_rules(viewer_of(request), rules)
    return _told(rules)


@router.get(
    "/sources",
    auth=Needs("read"),
    response=Sources,
    operation_id="list_sources",
    summary="Sources by what rests on them, how fresh they are and what they state",
    openapi_extra=problems(400, 422),
)
def list_sources(
    request: HttpRequest,
    asked: Query[Asked],
    sort: Literal["grounded", "drifting", "ending", "unchecked"] = "grounded",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """What the viewer may not see is not among them; the numbers are a few seconds behind."""
    viewer = viewer_of(request)
    found = sources(viewer, SourceFilter(**asked.dict()), sort=sort, limit=limit, cursor=cursor)
    return {
        "items": [_source(line) for line in found.items],
        "next": found.next,
        "total": found.total,
    }


def _told(rules: Rules) -> dict[str, bool]:
    return {"creator": rules.creator, "licence": rules.licence}


def _source(line: SourceLine) -> dict[str, Any]:
    row, figures, fresh = line.row, line.figures, line.freshness
    return {
        "uid": row.uid,
        "title": row.title,
        "state": row.state,
        "licence": figures and (figures.licence or None),
        "family": figures and figures.family,
        "kind": row.source_kind,
        "language": figures and (figures.language or None),
        "versions": figures and figures.versions,
        "unlicensed": figures and figures.unlicensed,
        "answers": figures and figures.answers,
        "chunks": figures and figures.chunks,
        "ends_at": figures and figures.ends_at,
        "missing": list(figures.missing) if figures else [],
        "freshness": line.fresh,
        "checked_at": fresh and fresh.checked_at,
        "cited": fresh and fresh.cited,
        "drifted": fresh and fresh.drifted,
    }
