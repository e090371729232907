"""POST /crossref: works as Crossref describes them, made into sources, versions and people."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from lineage.api.access import Needs, problems, workspace_of
from lineage.api.records import IdempotencyKey, OutcomeOut, described, received, rendered, sent
from lineage.formats.body import unpack
from lineage.inbox.apply_crossref import kept_only
from lineage.types import Outcome
from provexplorer import clock

router = Router(tags=["notices"])

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "oneOf": [
                        {"type": "object", "description": "A work, or a reply of Crossref's API."},
                        {"type": "array", "items": {"type": "object"}},
                    ]
                }
            },
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
    }
}


class WorkOutcomes(Schema):
    """What became of the records that the works made: counts, and one outcome each.

    `received` counts works; `index`, and the pointer of a problem, is the place of the work in
    what was sent, from 0.
    """

    received: int
    stored: int
    unchanged: int
    rejected: int
    outcomes: list[OutcomeOut]


@router.post(
    "/crossref",
    auth=Needs("ingest:crossref"),
    response={200: WorkOutcomes, 202: WorkOutcomes},
    operation_id="post_crossref",
    summary="Send works of Crossref: a work, a list, a reply of its API, or one work a line",
    openapi_extra=problems(400, 413, 415, 422, 429, 503) | _BODY,
)
def post_crossref(
    request: HttpRequest, response: HttpResponse, idempotency_key: IdempotencyKey = ""
) -> Status[dict[str, Any]]:
    """Each work makes a source, its version and the people who made it.

    A work whose DOI one source states already is that source. What the works say of
    retractions and corrections is read by `POST /notices`, which takes the same body.

    202 while the graph does not answer: all is kept, and shown in the graph when it is back.
    """
    body = sent(request)
    receipt = received(request, response, body, format_name="crossref", key=idempotency_key)
    if receipt.result is None:
        media_type, encoding = described(request)
        today = clock.now().date()
        kept = kept_only(workspace_of(request), unpack(body, encoding), media_type, today)
        return Status(202, _rendered(kept, projected=False))
    projected = receipt.result.projected
    told = _rendered(receipt.result.outcomes, projected=projected)
    return Status(200 if projected else 202, told)


def _rendered(outcomes: Sequence[Outcome], *, projected: bool) -> dict[str, Any]:
    told = rendered([_placed(one) for one in outcomes], projected=projected, within=None)
    return told | {"received": len({outcome.index for outcome in outcomes})}


def _placed(outcome: Outcome) -> Outcome:
    """With pointers to the work: theirs lead into the record made of it, which nobody has sent."""
    place = f"/{outcome.index}"
    return replace(
        outcome,
        warnings=tuple(replace(warned, pointer=place) for warned in outcome.warnings),
        problem=outcome.problem and replace(outcome.problem, pointer=place),
    )
