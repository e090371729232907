"""POST /records: native records in, one outcome a record out."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpRequest
from ninja import Router, Schema, Status

from lineage.api.access import Needs, problems, workspace_of
from lineage.api.record_schema import REQUEST_BODY
from lineage.api.schemas import WarningOut, warning
from lineage.formats.body import SENT_BYTES
from lineage.formats.records import parse_request
from lineage.formats.refusals import BodyRefused
from lineage.ingest.apply import apply_records
from lineage.types import Outcome, Problem

router = Router(tags=["records"])

# Bytes beyond the limit that are taken from the wire and thrown away, and how many at once.
_READ_AWAY: Final = 64 << 20
_PIECE: Final = 1 << 16


class ProblemOut(Schema):
    """Why a record was refused (RFC 9457); `pointer` leads into the request's body."""

    type: str
    title: str
    status: int
    detail: str
    pointer: str


class OutcomeOut(Schema):
    """What became of one record."""

    index: int
    status: str
    kind: str
    key: str
    uid: str | None
    warnings: list[WarningOut]
    problem: ProblemOut | None


class Outcomes(Schema):
    """What became of the request: counts, and one outcome a record in the order sent."""

    received: int
    stored: int
    unchanged: int
    rejected: int
    outcomes: list[OutcomeOut]


@router.post(
    "/records",
    auth=Needs("ingest"),
    response={200: Outcomes, 202: Outcomes},
    operation_id="post_records",
    summary="Send records of any kind, in any order and split, any number of times",
    openapi_extra=problems(400, 413, 415, 503) | {"requestBody": REQUEST_BODY},
)
def post_records(request: HttpRequest) -> Status[dict[str, Any]]:
    """Every record gets its outcome; one that is refused does not lose the others.

    202 with status `accepted` while the graph does not answer: all is stored, and shown in
    the graph when it is back. Pointers start at the request's body.
    """
    parsed = parse_request(
        sent(request),
        request.headers.get("Content-Type", ""),
        request.headers.get("Content-Encoding", ""),
    )
    applied = apply_records(workspace_of(request), parsed)
    body = rendered(applied.outcomes, projected=applied.projected)
    return Status(200 if applied.projected else 202, body)


def sent(request: HttpRequest) -> bytes:
    """The body as sent; raises BodyRefused where it is longer than is allowed.

    What is too much is read away, within bounds: a client that is still sending when the
    connection closes would never learn why.
    """
    length = request.headers.get("Content-Length", "")
    stated = int(length) if length.isdecimal() else 0
    body = request.read(SENT_BYTES + 1) if stated <= SENT_BYTES else b""
    if max(stated, len(body)) <= SENT_BYTES:
        return body
    left = _READ_AWAY
    while left > 0 and (piece := request.read(min(left, _PIECE))):
        left -= len(piece)
    raise BodyRefused("body-too-large", "At most 16 MiB can be sent at once.")


def rendered(outcomes: Sequence[Outcome], *, projected: bool) -> dict[str, Any]:
    """Outcomes as the contract has them; counts are of what happened in the store."""
    statuses = [outcome.status for outcome in outcomes]
    return {
        "received": len(outcomes),
        "stored": statuses.count("stored") + statuses.count("accepted"),
        "unchanged": statuses.count("unchanged"),
        "rejected": statuses.count("rejected"),
        "outcomes": [_outcome(outcome, projected=projected) for outcome in outcomes],
    }


def _outcome(outcome: Outcome, *, projected: bool) -> dict[str, Any]:
    place = f"/records/{outcome.index}"
    status = outcome.status
    return {
        "index": outcome.index,
        "status": status if projected or status == "rejected" else "accepted",
        "kind": outcome.kind,
        "key": outcome.key,
        "uid": outcome.uid,
        "warnings": [warning(warned, place) for warned in outcome.warnings],
        "problem": None if outcome.problem is None else _problem(outcome.problem, place),
    }


def _problem(problem: Problem, place: str) -> dict[str, Any]:
    return {
        "type": f"/problems/{problem.slug}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "pointer": place + problem.pointer,
    }
