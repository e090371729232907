"""POST /lineage and /lineage/batch: OpenLineage events in; our facets' schemas out.

Addresses, media type and the answer to a batch are those of OpenLineage's own API
(OpenLineage.yml): its clients need nothing but the site's address and a key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router, Schema, Status

from lineage.api.access import Needs, problems
from lineage.api.records import IdempotencyKey, described, received, sent
from lineage.api.schemas import WarningOut, warning
from lineage.formats.body import unpack
from lineage.formats.openlineage import is_list
from lineage.formats.openlineage_schemas import published
from lineage.inbox.apply_openlineage import kept_only
from lineage.types import NotFound, Outcome
from provexplorer.problems import respond

router = Router(tags=["openlineage"])

_EVENT: Final[dict[str, Any]] = {
    "type": "object",
    "description": "RunEvent, DatasetEvent or JobEvent of OpenLineage, any version.",
}
_DECLARED: Final = problems(400, 413, 415, 422, 429, 503)


class EventOut(Schema):
    """What became of an event; `kind` and `uid` are those of the run, job or dataset it is about."""

    status: str
    kind: str | None
    uid: str | None
    warnings: list[WarningOut]


class SummaryOut(Schema):
    """Counts of a batch, as OpenLineage has them."""

    received: int
    successful: int
    failed: int
    retriable: int
    non_retriable: int


class FailedEvent(Schema):
    """An event of a batch that was refused; `pointer` leads into the request's body."""

    index: int
    reason: str
    retriable: bool
    pointer: str


class EventWarning(WarningOut):
    """Something wrong with an event that was stored all the same."""

    index: int


class BatchOut(Schema):
    """What became of a batch: success, or partial_success where an event was refused."""

    status: str
    summary: SummaryOut
    failed_events: list[FailedEvent]
    warnings: list[EventWarning]


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


@router.post(
    "/lineage",
    auth=Needs("ingest:openlineage"),
    response={200: EventOut, 202: EventOut},
    operation_id="post_lineage",
    summary="Send an OpenLineage event",
    openapi_extra=_DECLARED | _body(_EVENT),
)
def post_lineage(
    request: HttpRequest, response: HttpResponse, idempotency_key: IdempotencyKey = ""
) -> Status[dict[str, Any]] | HttpResponse:
    """The event is stored, or refused with a problem whose pointer leads into it.

    202 while the graph does not answer: all is kept, and shown when it is back. A list of
    events is answered as a batch.
    """
    became = _became(request, response, idempotency_key)
    if became.listed:
        return JsonResponse(batch(became.outcomes, listed=True), status=became.status)
    (outcome,) = became.outcomes
    if outcome.problem is not None:
        return respond(
            outcome.problem.slug, outcome.problem.detail, pointer=outcome.problem.pointer
        )
    return Status(
        became.status,
        {
            "status": outcome.status,
            "kind": outcome.kind,
            "uid": outcome.uid,
            "warnings": [warning(each, "") for each in outcome.warnings],
        },
    )


@router.post(
    "/lineage/batch",
    auth=Needs("ingest:openlineage"),
    response={200: BatchOut, 202: BatchOut},
    operation_id="post_lineage_batch",
    summary="Send a list of OpenLineage events",
    openapi_extra=_DECLARED | _body({"type": "array", "items": _EVENT}),
)
def post_lineage_batch(
    request: HttpRequest, response: HttpResponse, idempotency_key: IdempotencyKey = ""
) -> Status[dict[str, Any]]:
    """Every event stands for itself; one that is refused does not lose the others.

    202 while the graph does not answer. An event is refused for what it says, so that
    sending it again does not help: none is retriable.
    """
    became = _became(request, response, idempotency_key)
    return Status(became.status, batch(became.outcomes, listed=became.listed))


@router.get("/lineage/schemas/{version}/{name}.json", auth=None, include_in_schema=False)
def get_schema(request: HttpRequest, version: str, name: str) -> HttpResponse:
    """The JSON Schema of one of our facets; what `_schemaURL` names. It never changes."""
    schema = published(version, name)
    if schema is None:
        raise NotFound
    named = {"$schema": schema["$schema"], "$id": request.build_absolute_uri(), **schema}
    response = JsonResponse(named, content_type="application/schema+json")
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


@dataclass(frozen=True, slots=True)
class _Became:
    """What became of the events of a request, whether they came as a list, and the status."""

    outcomes: Sequence[Outcome]
    listed: bool
    status: int


def _became(request: HttpRequest, response: HttpResponse, idempotency_key: str) -> _Became:
    """Keep and apply what was sent; where it cannot be applied now, what is known of it already."""
    body = sent(request)
    receipt = received(request, response, body, format_name="openlineage", key=idempotency_key)
    media_type, encoding = described(request)
    unpacked = unpack(body, encoding)
    if receipt.result is None:
        return _Became(kept_only(unpacked, media_type), is_list(unpacked), 202)
    status = 200 if receipt.result.projected else 202
    return _Became(receipt.result.outcomes, is_list(unpacked), status)


def batch(outcomes: Sequence[Outcome], *, listed: bool) -> dict[str, Any]:
    """Outcomes of a batch as OpenLineage.yml has them, with pointers and warnings beside.

    `listed`: the body is a list, into which pointers lead; else it is the only event itself.
    """
    places = [f"/{outcome.index}" if listed else "" for outcome in outcomes]
    failed = [
        {
            "index": outcome.index,
            "reason": outcome.problem.detail,
            "retriable": False,
            "pointer": f"{place}{outcome.problem.pointer}",
        }
        for place, outcome in zip(places, outcomes, strict=True)
        if outcome.problem is not None
    ]
    return {
        "status": "partial_success" if failed else "success",
        "summary": {
            "received": len(outcomes),
            "successful": len(outcomes) - len(failed),
            "failed": len(failed),
            "retriable": 0,
            "non_retriable": len(failed),
        },
        "failed_events": failed,
        "warnings": [
            {"index": outcome.index, **warning(each, place)}
            for place, outcome in zip(places, outcomes, strict=True)
            for each in outcome.warnings
        ],
    }
