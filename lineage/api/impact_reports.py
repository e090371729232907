"""GET /impact and its exports: one question, its numbers, its list, as JSON, CSV, JSON Lines and PROV."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from ninja import Query, Router, Schema
from pydantic import Field

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.impact import Affected, Counts, affected_out
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant
from lineage.impact.affected import Affected as Found
from lineage.impact.affected import affected
from lineage.impact.export import csv_lines, json_lines
from lineage.impact.export_prov import prov_of
from lineage.impact.numbers import NOT_COUNTED, numbers_of
from lineage.impact.pasted import read_lines, resolve_lines
from lineage.impact.question import (
    MOST_NODES,
    PARAMETERS,
    Question,
    QuestionInvalid,
    question_to_json,
    read_question,
    write_question,
)
from lineage.impact.report import listed
from lineage.impact.sets import keep_set
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.viewer import WORKSPACE_PARAMETER

router = Router(tags=["reading"], auth=Needs("read"))

_TRUNCATED: Final = "Provexplorer-Truncated"
# Parameters that are read as they stand in the address (lineage.impact.question): what they
# mean is told here, for whoever reads the document.
_MEANINGS: Final = {
    "node": "Uid of a node or of a kept set; several: what rests on any of them.",
    "component": "Name of a component; all its versions, unless narrowed.",
    "component_kind": "Kind of that component.",
    "version_from": "Its first version that counts.",
    "version_to": "Its last version that counts.",
    "config_digest": "Digest of its configuration.",
    "made_by": "Uid of a component or run: of the nodes only what it made.",
    "grade": "Keep these grades.",
    "state": "Keep these states.",
    "since": "Answers from this instant on (RFC 3339).",
    "until": "Answers before this instant (RFC 3339).",
    "model": "Keep answers of these models.",
    "unit": "Keep answers of these units.",
    "source": "Keep answers that cite or were given these sources, by uid.",
    "language": "Keep answers that cite or were given documents in these languages.",
    "sort": "`newest` (default), `oldest` or `strongest` first.",
}
_SEVERAL: Final = frozenset({"node", "grade", "state", "model", "unit", "source", "language"})


def _asked(*statuses: int, content: str = "") -> dict[str, Any]:
    """`openapi_extra` of an operation that takes a question."""
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": _MEANINGS[name],
            "schema": {"type": "array", "items": {"type": "string"}}
            if name in _SEVERAL
            else {"type": "string"},
        }
        for name in PARAMETERS
    ]
    declared = problems(*statuses)
    if content:
        text = {"content": {content: {"schema": {"type": "string"}}}, "description": "OK"}
        declared = {"responses": {**declared["responses"], 200: text}}
    return {"parameters": parameters, **declared}


class FacetValueOut(Schema):
    """A value of a filter and the number of answers that it would keep, all other filters holding."""

    value: str
    count: int


class FacetOut(Schema):
    """The values of one filter; `more` where some are left out. An empty value: not stated."""

    name: str
    values: list[FacetValueOut]
    more: bool


class ReadersOut(Schema):
    """`known`: different users that answers name (pseudonyms); `unstated`: answers that name none."""

    known: int
    unstated: int


class ClaimsOut(Schema):
    """Of `answers` that cite it, the newest: `claims` that do, and those that `kept` an independent source.

    `more` where there are answers whose claims were not judged.
    """

    claims: int
    kept: int
    answers: int
    more: bool


class StagesOut(Schema):
    """Nodes downstream by kind, what is asked about not among them; at least so many where `truncated`."""

    counts: dict[str, int]
    truncated: bool


class Counted(Schema):
    """How far the numbers of a large report are counted: `done` of `steps`; `failed`: no more will come.

    `at` is the instant of numbers that were kept; null where all were counted just now.
    """

    done: int
    steps: int
    failed: bool
    at: Instant | None


class ImpactOfQuestion(Schema):
    """Counts before filters; items and all else after them. `question` is its canonical form.

    The list is always there at once. Of large reports the numbers are counted in the
    background: what is not counted yet is null, or not among the facets; ask again.
    """

    question: str
    counts: Counts | None
    items: list[Affected]
    next: str | None
    total: int | None
    facets: list[FacetOut]
    readers: ReadersOut | None
    claims: ClaimsOut | None
    stages: StagesOut | None
    counted: Counted


class Names(Schema):
    """Uids, keys, DOIs, other identifiers and addresses, one an item."""

    lines: Annotated[list[str], Field(min_length=1, max_length=MOST_NODES)]


class MeantOut(Schema):
    """A node that a line means, or may mean."""

    uid: str
    kind: str


class LineOut(Schema):
    """What became of a line."""

    line: str
    verdict: Literal["found", "ambiguous", "unknown"]
    nodes: list[MeantOut]


class SetOut(Schema):
    """The set of all that was found without doubt; null where nothing was."""

    uid: str | None
    lines: list[LineOut]


@router.get(
    "/impact",
    response=ImpactOfQuestion,
    operation_id="get_impact_of_question",
    summary="The answers that rest on what a question names, counted, parted and listed",
    openapi_extra=_asked(400, 404, 422),
)
def get_impact_of_question(
    request: HttpRequest,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
    numbers: Annotated[  # noqa: FBT002 - a parameter of the address
        bool, Query(description="Count, too; without it the list alone, at once.")
    ] = True,
) -> dict[str, Any]:
    """Each answer once, with its strongest grade. Parameters of filters may stand several times."""
    question = _question_of(request, "limit", "cursor", "numbers")
    found = affected(viewer_of(request), question)
    items, following = listed(found, limit=limit, cursor=cursor)
    told = numbers_of(found) if numbers else NOT_COUNTED
    return {
        "question": write_question(question),
        "counts": told.counts,
        "items": [affected_out(item) for item in items],
        "next": following,
        "total": told.total,
        "facets": [
            {
                "name": facet.name,
                "values": [{"value": v.value, "count": v.count} for v in facet.values],
                "more": facet.more,
            }
            for facet in told.facets
        ],
        "readers": None if told.readers is None else asdict(told.readers),
        "claims": None if told.claims is None else asdict(told.claims),
        "stages": None if told.stages is None else asdict(told.stages),
        "counted": {
            "done": told.done,
            "steps": told.steps,
            "failed": told.failed,
            "at": told.counted_at,
        },
    }


@router.get(
    "/impact.csv",
    operation_id="get_impact_csv",
    summary="The whole list of a question as CSV",
    openapi_extra=_asked(404, 422, content="text/csv"),
)
def get_impact_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Every answer of the list in its order, streamed. No cell is a formula for a spreadsheet."""
    return _streamed(request, csv_lines, "text/csv; charset=utf-8; header=present", "csv")


@router.get(
    "/impact.jsonl",
    operation_id="get_impact_json_lines",
    summary="The whole list of a question as JSON Lines",
    openapi_extra=_asked(404, 422, content="application/x-ndjson"),
)
def get_impact_json_lines(request: HttpRequest) -> StreamingHttpResponse:
    """Every answer of the list in its order, streamed, one object a line."""
    return _streamed(request, json_lines, "application/x-ndjson", "jsonl")


@router.get(
    "/impact.prov",
    operation_id="get_impact_prov",
    summary="The list of a question with the chains that explain it, as PROV",
    openapi_extra=_asked(404, 422, content="text/turtle"),
)
def get_impact_prov(
    request: HttpRequest,
    format: Annotated[  # noqa: A002 - the word of the API
        Literal["json", "turtle", "jsonld"], Query(description="PROV-JSON, Turtle or JSON-LD.")
    ] = "json",
) -> HttpResponse:
    """At most 2,000 nodes, from the head of the list; then `Provexplorer-Truncated: true`."""
    found = affected(viewer_of(request), _question_of(request, "format"))
    base = request.build_absolute_uri(reverse("lineage", args=["any"]).rpartition("any")[0])
    document = prov_of(found, form=format, base=base)
    _note_export(found, f"impact.prov.{format}")
    headers = {_TRUNCATED: "true"} if document.truncated else {}
    return HttpResponse(document.content, content_type=document.media_type, headers=headers)


@router.post(
    "/impact/sets",
    auth=Needs("operate"),
    response=SetOut,
    operation_id="post_impact_set",
    summary="Find nodes by what people call them and keep them as a set to ask about",
    openapi_extra=problems(422),
)
def post_impact_set(request: HttpRequest, payload: Names) -> dict[str, Any]:
    """`node=SET` then asks about all of them. The same nodes make the same set."""
    viewer = viewer_of(request)
    lines = resolve_lines(viewer, read_lines("\n".join(payload.lines)))
    uids = [node.uid for line in lines if line.verdict == "found" for node in line.nodes]
    return {
        "uid": keep_set(viewer, uids) if uids else None,
        "lines": [
            {
                "line": line.text,
                "verdict": line.verdict,
                "nodes": [{"uid": node.uid, "kind": node.kind} for node in line.nodes],
            }
            for line in lines
        ],
    }


def _question_of(request: HttpRequest, *own: str) -> Question:
    """The question of the address; `own` are the operation's other parameters.

    A misspelt filter would widen the answer unseen, so that nothing is passed over but the
    workspace of pages, which stands in their links to exports. Raises QuestionInvalid.
    """
    known = {*PARAMETERS, *own, WORKSPACE_PARAMETER}
    if unknown := next((name for name in request.GET if name not in known), None):
        raise QuestionInvalid(unknown, "Unknown parameter.")
    return read_question(request.GET)


def _note_export(found: Found, code: str) -> None:
    """What was asked about may have to be erased one day: details."""
    asked = dict(question_to_json(found.question))
    record("export.made", found.viewer, code=code, details=asked)


def _streamed(
    request: HttpRequest,
    lines: Callable[[Found, Callable[[str], str]], Iterator[str]],
    media_type: str,
    suffix: str,
) -> StreamingHttpResponse:
    found = affected(viewer_of(request), _question_of(request))
    # What cannot be asked fails here, before the response has begun.
    assert found.conditions is not None
    _note_export(found, f"impact.{suffix}")
    before, _, after = request.build_absolute_uri(reverse("answer", args=["any"])).rpartition("any")
    response = StreamingHttpResponse(
        lines(found, lambda uid: f"{before}{uid}{after}"), content_type=media_type
    )
    response["Content-Disposition"] = f'attachment; filename="affected-answers.{suffix}"'
    return response
