"""POST /records: native records in, one outcome a record out."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from ninja import Header, Router, Schema, Status

from lineage.api.access import Needs, problems, viewer_of, workspace_of
from lineage.api.record_schema import REQUEST_BODY
from lineage.api.schemas import WarningOut, warning
from lineage.formats.body import SENT_BYTES
from lineage.formats.records import parse_request
from lineage.formats.refusals import BodyRefused
from lineage.inbox.apply_native import kept_only
from lineage.inbox.receive import Receipt, receive
from lineage.types import Outcome, Problem

router = Router(tags=["records"])

# Bytes beyond the limit that are taken from the wire and thrown away, and how many at once.
_READ_AWAY: Final = 64 << 20
_PIECE: Final = 1 << 16

IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=255,
        description="The same key and body within 24 hours: the same answer again.",
    ),
]


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
    auth=Needs("ingest:native"),
    response={200: Outcomes, 202: Outcomes},
    operation_id="post_records",
    summary="Send records of any kind, in any order and split, any number of times",
    openapi_extra=problems(400, 413, 415, 422, 429, 503) | {"requestBody": REQUEST_BODY},
)
def post_records(
    request: HttpRequest,
    response: HttpResponse,
    idempotency_key: IdempotencyKey = "",
) -> Status[dict[str, Any]]:
    """Every record gets its outcome; one that is refused does not lose the others.

    202 with status `accepted` while the graph does not answer: all is stored, and shown in
    the graph when it is back. Pointers start at the request's body.
    """
    body = sent(request)
    receipt = received(request, response, body, format_name="native", key=idempotency_key)
    if receipt.result is None:
        outcomes = kept_only(parse_request(body, *described(request)))
        return Status(202, rendered(outcomes, projected=False))
    projected = receipt.result.projected
    return Status(200 if projected else 202, rendered(receipt.result.outcomes, projected=projected))


def received(
    request: HttpRequest, response: HttpResponse, body: bytes, *, format_name: str, key: str
) -> Receipt:
    """Keep and apply the body that the request brought; the answer says so if it is one given before."""
    media_type, encoding = described(request)
    receipt = receive(
        workspace_of(request),
        format=format_name,
        body=body,
        media_type=media_type,
        content_encoding=encoding,
        key_id=viewer_of(request).key_id,
        idempotency_key=key,
    )
    if receipt.repeated:
        response.headers["Idempotency-Replayed"] = "true"
    return receipt


def described(request: HttpRequest) -> tuple[str, str]:
    """Content type and content encoding as stated."""
    return request.headers.get("Content-Type", ""), request.headers.get("Content-Encoding", "")


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


def rendered(
    outcomes: Sequence[Outcome], *, projected: bool, within: str | None = "/records"
) -> dict[str, Any]:
    """Outcomes as the contract has them; counts are of what happened in the store.

    `within`: where in the body the records stand; None where pointers lead there themselves.
    """
    statuses = [outcome.status for outcome in outcomes]
    return {
        "received": len(outcomes),
        "stored": statuses.count("stored") + statuses.count("accepted"),
        "unchanged": statuses.count("unchanged"),
        "rejected": statuses.count("rejected"),
        "outcomes": [
            _outcome(outcome, "" if within is None else f"{within}/{outcome.index}", projected)
            for outcome in outcomes
        ],
    }


def _outcome(outcome: Outcome, place: str, projected: bool) -> dict[str, Any]:  # noqa: FBT001
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
