"""GET /impact and its exports: one question, its numbers, its list, as JSON, CSV, JSON Lines and PROV."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from ninja import Query, Router

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.impact import affected_out
from lineage.api.impact_question import asked_parameters, question_of
from lineage.api.impact_schemas import ImpactOfQuestion, Names, SetOut, runs_out
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.impact.affected import Affected as Found
from lineage.impact.affected import affected
from lineage.impact.export import csv_lines, json_lines
from lineage.impact.export_prov import prov_of
from lineage.impact.numbers import NOT_COUNTED, numbers_of
from lineage.impact.pasted import read_lines, resolve_lines
from lineage.impact.question import question_to_json, write_question
from lineage.impact.report import listed
from lineage.impact.runs_asked import runs_asked
from lineage.impact.sets import keep_set
from provexplorer.workspaces.audit.recording import record

router = Router(tags=["reading"], auth=Needs("read"))

_TRUNCATED: Final = "Provexplorer-Truncated"
# Of runs without a time, whose making a file of a time leaves out: a file cannot tell it otherwise.
_UNDATED: Final = "Provexplorer-Undated-Runs"


@router.get(
    "/impact",
    response=ImpactOfQuestion,
    operation_id="get_impact_of_question",
    summary="The answers that rest on what a question names, counted, parted and listed",
    openapi_extra=asked_parameters(400, 404, 422),
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
    question = question_of(request, "limit", "cursor", "numbers")
    found = affected(viewer_of(request), question)
    items, following = listed(found, limit=limit, cursor=cursor)
    told = numbers_of(found) if numbers else NOT_COUNTED
    runs = runs_asked(found.viewer, question) if numbers else None
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
        "runs": runs and runs_out(runs),
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
    openapi_extra=asked_parameters(404, 422, content="text/csv"),
)
def get_impact_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Every answer of the list in its order, streamed. No cell is a formula for a spreadsheet."""
    return _streamed(request, csv_lines, "text/csv; charset=utf-8; header=present", "csv")


@router.get(
    "/impact.jsonl",
    operation_id="get_impact_json_lines",
    summary="The whole list of a question as JSON Lines",
    openapi_extra=asked_parameters(404, 422, content="application/x-ndjson"),
)
def get_impact_json_lines(request: HttpRequest) -> StreamingHttpResponse:
    """Every answer of the list in its order, streamed, one object a line."""
    return _streamed(request, json_lines, "application/x-ndjson", "jsonl")


@router.get(
    "/impact.prov",
    operation_id="get_impact_prov",
    summary="The list of a question with the chains that explain it, as PROV",
    openapi_extra=asked_parameters(404, 422, content="text/turtle"),
)
def get_impact_prov(
    request: HttpRequest,
    format: Annotated[  # noqa: A002 - the word of the API
        Literal["json", "turtle", "jsonld"], Query(description="PROV-JSON, Turtle or JSON-LD.")
    ] = "json",
) -> HttpResponse:
    """At most 2,000 nodes, from the head of the list; then `Provexplorer-Truncated: true`."""
    found = affected(viewer_of(request), question_of(request, "format"))
    base = request.build_absolute_uri(reverse("lineage", args=["any"]).rpartition("any")[0])
    document = prov_of(found, form=format, base=base)
    _note_export(found, f"impact.prov.{format}")
    headers = _left_out(found) | ({_TRUNCATED: "true"} if document.truncated else {})
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


def _note_export(found: Found, code: str) -> None:
    """What was asked about may have to be erased one day: details."""
    asked = dict(question_to_json(found.question))
    record("export.made", found.viewer, code=code, details=asked)


def _left_out(found: Found) -> dict[str, str]:
    runs = runs_asked(found.viewer, found.question)
    return {_UNDATED: str(runs.undated.number)} if runs and not runs.counted_in else {}


def _streamed(
    request: HttpRequest,
    lines: Callable[[Found, Callable[[str], str]], Iterator[str]],
    media_type: str,
    suffix: str,
) -> StreamingHttpResponse:
    found = affected(viewer_of(request), question_of(request))
    # What cannot be asked fails here, before the response has begun.
    assert found.conditions is not None
    _note_export(found, f"impact.{suffix}")
    before, _, after = request.build_absolute_uri(reverse("answer", args=["any"])).rpartition("any")
    response = StreamingHttpResponse(
        lines(found, lambda uid: f"{before}{uid}{after}"),
        content_type=media_type,
        headers=_left_out(found),
    )
    response["Content-Disposition"] = f'attachment; filename="affected-answers.{suffix}"'
    return response
