"""Every error of the API as RFC 9457 has it: one row per problem type, one page per row.

Domain exceptions know no HTTP: here each gets its status. A body is
`{"type": "/problems/SLUG", "title", "status", "detail", "pointer"?, …}`; two requests that
must not be told apart (unknown, foreign) get equal bodies.
"""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import DataError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja.errors import AuthenticationError, HttpError, ValidationError

from lineage.cases.errors import (
    CaseConflict,
    DraftDiffers,
    DraftRefused,
    ScopeMissing,
    TargetRefused,
)
from lineage.comparison.compare import NotComparable
from lineage.erasure.acknowledging import NotSigned
from lineage.erasure.external import SystemRefused
from lineage.formats.refusals import BODY, RECORD, BodyRefused, Row
from lineage.formats.times import written
from lineage.impact.question_values import QuestionInvalid, UnknownWord
from lineage.inbox.errors import IdempotencyKeyReused
from lineage.incidents.errors import IncidentConflict, IncidentRefused
from lineage.nodes.paging import CursorInvalid
from lineage.types import Erased, GraphAway, JsonValue, Moved, NotFound, Viewer
from lineage.webhooks.errors import WebhookRefused
from provexplorer.workspaces.audit.browse import AuditQuestionInvalid
from provexplorer.workspaces.audit.reads import note_erased
from provexplorer.workspaces.limits import LimitReached

logger = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
RETRY_SECONDS: Final = 5
# Addresses that no person reads.
PROGRAMS: Final = ("/api/", "/v1/", "/.well-known/")

ROWS: Final[dict[str, Row]] = {
    **RECORD,
    **BODY,
    "bad-request": Row("The request cannot be understood", 400),
    "bad-cursor": Row("The cursor is not one of this list", 400),
    "key-required": Row("A key or a sign-in is required", 401),
    "signature-invalid": Row("The signature is not valid", 401),
    "scope-missing": Row("The key does not carry the scope that this needs", 403),
    "not-found": Row("Nothing here by that name", 404),
    "method-not-allowed": Row("The method is not allowed here", 405),
    "case-conflict": Row("The case is not in a state that allows this", 409),
    "incident-conflict": Row("The incident is not in a state that allows this", 409),
    "erased": Row("It was erased", 410),
    "invalid-request": Row("The request's parameters or body are not valid", 422),
    "idempotency-key-reused": Row("The Idempotency-Key came with another body before", 422),
    "target-refused": Row("A target of the case cannot stand", 422),
    "rate-limited": Row("Too many requests in this minute", 429),
    "internal-error": Row("Something failed here", 500),
    "store-busy": Row("The store is busy", 503),
    "graph-away": Row("The graph does not answer", 503),
    "erasures-due": Row("A restored database lacks erasures", 503),
}


def body_of(
    slug: str, detail: str, *, pointer: str = "", more: Mapping[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """The members of a problem of this type."""
    row = ROWS[slug]
    body: dict[str, JsonValue] = {
        "type": f"/problems/{slug}",
        "title": row.title,
        "status": row.status,
        "detail": detail,
    }
    if pointer:
        body["pointer"] = pointer
    return body | dict(more or {})


def respond(
    slug: str,
    detail: str,
    *,
    pointer: str = "",
    more: Mapping[str, JsonValue] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """A problem as a response."""
    body = body_of(slug, detail, pointer=pointer, more=more)
    return HttpResponse(
        json.dumps(body), status=body["status"], content_type=MEDIA_TYPE, headers=headers
    )


def not_found(_request: HttpRequest | None = None, _error: object = None) -> HttpResponse:
    """The one 404 of the API: unknown, foreign and unrouted are the same."""
    return respond("not-found", "Unknown, or not in your workspace.")


def respond_to(request: HttpRequest, error: Exception) -> HttpResponse:
    """The response to whatever an endpoint raised."""
    for kind, answer in ANSWERS:
        if isinstance(error, kind):
            return answer(request, error)
    logger.error("request failed", exc_info=error)
    return respond("internal-error", "It is logged. Nothing more is told here.")


def tombstone(error: Erased) -> dict[str, JsonValue]:
    """What is told of something erased: no word of what it was."""
    return {
        "tombstone": {
            "uid": error.uid,
            "reason": error.reason,
            "erased_at": written(error.at),
            "case": error.case_uid,
        }
    }


def _erased(request: HttpRequest, error: Erased) -> HttpResponse:
    viewer = getattr(request, "auth", None)
    if isinstance(viewer, Viewer):
        note_erased(viewer, error.uid)
    return respond("erased", "What is left is its tombstone.", more=tombstone(error))


def _body(_request: HttpRequest, error: BodyRefused) -> HttpResponse:
    problem = error.problem
    return respond(problem.slug, problem.detail, pointer=problem.pointer)


def _invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    faults = [_fault(item) for item in error.errors[:20]]
    return respond("invalid-request", "See errors.", more={"errors": faults})


def _no_key(_request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    challenge = {"WWW-Authenticate": 'Bearer realm="provexplorer"'}
    return respond("key-required", "Send Authorization: Bearer KEY.", headers=challenge)


def _no_scope(_request: HttpRequest, error: ScopeMissing) -> HttpResponse:
    return respond("scope-missing", f"Needs {error.scope}.", more={"scope": error.scope})


def _limited(_request: HttpRequest, error: LimitReached) -> HttpResponse:
    return respond(
        "rate-limited",
        f"At most {error.limit:,} requests a minute for this {error.whose}.",
        more={"limit": error.limit, "whose": error.whose},
        headers={"Retry-After": str(error.seconds)},
    )


def _conflict(_request: HttpRequest, error: CaseConflict | IncidentConflict) -> HttpResponse:
    more = {"code": error.code, "state": error.state}
    slug = "case-conflict" if isinstance(error, CaseConflict) else "incident-conflict"
    return respond(slug, error.detail, more=more)


def _refused(_request: HttpRequest, error: IncidentRefused | WebhookRefused) -> HttpResponse:
    return respond("invalid-request", error.detail, pointer=error.pointer)


def _system(_request: HttpRequest, error: SystemRefused) -> HttpResponse:
    return respond("invalid-request", error.detail, pointer=error.pointer)


def _question(_request: HttpRequest, error: QuestionInvalid | AuditQuestionInvalid) -> HttpResponse:
    """Where and what, as for parameters that ninja reads; words that do not exist are named."""
    detail = f"Unknown: {error.detail}." if isinstance(error, UnknownWord) else error.detail
    fault = {"in": "query", "pointer": f"/{error.parameter}", "detail": detail}
    return respond("invalid-request", "See errors.", more={"errors": [fault]})


def _draft(_request: HttpRequest, error: DraftRefused) -> HttpResponse:
    slug = "target-refused" if isinstance(error, TargetRefused) else "invalid-request"
    return respond(slug, error.detail, pointer=error.pointer)


def _moved(request: HttpRequest, error: Moved) -> HttpResponse:
    """301 to the same address with the settled uid (308 where the method must stay)."""
    old = str(request.resolver_match.kwargs["uid"]) if request.resolver_match else ""
    path = request.get_full_path().replace(f"/{old}", f"/{error.uid}", 1)
    status = 301 if request.method in ("GET", "HEAD") else 308
    return HttpResponse(status=status, headers={"Location": path})


def _fault(item: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Where and what, without the value that was sent."""
    place, *path = item["loc"]
    pointer = "".join(f"/{step}" for step in path if step not in ("body", "payload"))
    return {"in": place, "pointer": pointer, "detail": item["msg"]}


def _saying(slug: str, detail: str) -> Callable[[HttpRequest, Any], HttpResponse]:
    """An answer that needs no more than a slug and a sentence."""
    retry = {"Retry-After": str(RETRY_SECONDS)} if ROWS[slug].status == 503 else None
    return lambda _request, _error: respond(slug, detail, headers=retry)


# What each exception comes to; the first that matches counts.
ANSWERS: Final[tuple[tuple[type[Exception], Callable[[HttpRequest, Any], HttpResponse]], ...]] = (
    (NotFound, not_found),
    (Http404, not_found),
    (Moved, _moved),
    (Erased, _erased),
    (BodyRefused, _body),
    (ValidationError, _invalid),
    (AuthenticationError, _no_key),
    (ScopeMissing, _no_scope),
    (LimitReached, _limited),
    (CaseConflict, _conflict),
    (IncidentConflict, _conflict),
    (IncidentRefused, _refused),
    (WebhookRefused, _refused),
    (AuditQuestionInvalid, _question),
    (DraftRefused, _draft),
    (QuestionInvalid, _question),
    (SystemRefused, _system),
    (NotSigned, _saying("signature-invalid", "Sign id.timestamp.body with the system's secret.")),
    (
        NotComparable,
        _saying("invalid-request", "To be two different components, or two index snapshots."),
    ),
    (
        IdempotencyKeyReused,
        _saying("idempotency-key-reused", "A key holds for one body and 24 hours."),
    ),
    (DraftDiffers, _saying("idempotency-key-reused", "A key holds for one draft.")),
    (CursorInvalid, _saying("bad-cursor", "Take `next` as it is, with the same filters.")),
    (GraphAway, _saying("graph-away", "What is stored is safe. Try again.")),
    (RequestDataTooBig, _saying("body-too-large", "At most 16 MiB can be sent at once.")),
    (SuspiciousOperation, _saying("bad-request", "The request was refused.")),
    (UnreadablePostError, _saying("bad-request", "The body ended too early.")),
    # A cursor, an address or a body can hold what no column can be compared with: numbers and
    # instants without bounds, NUL, half a surrogate pair.
    (DataError, _saying("bad-request", "A value is beyond what can be stored.")),
    (OverflowError, _saying("bad-request", "A value is beyond what can be stored.")),
    (UnicodeEncodeError, _saying("bad-request", "A value is beyond what can be stored.")),
    (HttpError, _saying("bad-request", "The request cannot be understood.")),
    (OperationalError, _saying("store-busy", "Nothing was changed. Try again.")),
)
