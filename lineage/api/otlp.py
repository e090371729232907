"""POST /v1/traces: OTLP/HTTP, in protobuf and JSON; answers and errors in the manner of OTLP.

Source: the OpenTelemetry protocol specification 1.9, "OTLP/HTTP". Every error is a
google.rpc.Status in the type of the request; of them exporters retry 429 and 503 alone.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status
from ninja.errors import AuthenticationError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from lineage.api.access import Needs
from lineage.api.records import sent
from lineage.formats.body import unpack
from lineage.formats.otlp_request import JSON, PROTOBUF, is_stray, media_type_of
from lineage.inbox.apply_otlp import kept_only
from lineage.inbox.receive import receive
from lineage.types import Outcome
from provexplorer import problems
from provexplorer.workspaces.models import Workspace

_LETS_IN: Final = Needs("ingest:otlp")
# google.rpc.Code by HTTP status; any other 4xx is INVALID_ARGUMENT, any other 5xx INTERNAL.
_CODES: Final = {401: 16, 403: 7, 404: 5, 405: 12, 429: 8, 503: 14}
_INVALID_ARGUMENT: Final = 3
_INTERNAL: Final = 13
_KEPT_HEADERS: Final = ("Retry-After", "WWW-Authenticate", "Allow")
_STRAY: Final = (
    "Nothing was stored: the body has no resourceSpans with scopeSpans with spans, and so is no request"
    " of traces. Other formats have addresses of their own."
)
# Reasons in the message of a partial success.
_REASONS: Final = 5


@csrf_exempt
def post_traces(request: HttpRequest) -> HttpResponse:
    """Keep and apply an ExportTraceServiceRequest; what is acknowledged is never lost.

    200 with the number of refused spans; also while the graph does not answer (or what is kept
    cannot be applied yet: then of those that are refused already), and for a request without spans. One that is none of traces is told so in the manner of OTLP: by a
    message beside no refused spans.
    """
    try:
        return _received(request)
    except Exception as error:  # noqa: BLE001 - whatever fails, exporters read a Status
        return _failed(request, problems.respond_to(request, error))


@csrf_exempt
def not_here(request: HttpRequest) -> HttpResponse:
    """Logs, metrics and profiles are not taken: 404, which exporters do not retry."""
    return _failed(request, problems.not_found())


def _received(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        allowed = {"Allow": "POST"}
        refused = problems.respond("method-not-allowed", "Allowed: POST.", headers=allowed)
        return _failed(request, refused)
    viewer = _LETS_IN(request)
    if viewer is None:
        raise AuthenticationError
    body = sent(request)
    media_type = request.headers.get("Content-Type", "")
    encoding = request.headers.get("Content-Encoding", "")
    receipt = receive(
        Workspace.objects.get(pk=viewer.workspace_id),
        format="otlp",
        body=body,
        media_type=media_type,
        content_encoding=encoding,
        key_id=viewer.key_id,
    )
    outcomes: Sequence[Outcome] = (
        kept_only(unpack(body, encoding), media_type)
        if receipt.result is None
        else receipt.result.outcomes
    )
    response = _response(outcomes)
    if not outcomes and is_stray(unpack(body, encoding), media_type):
        response.partial_success.error_message = _STRAY
    return _answer(request, response, 200)


def _response(outcomes: Sequence[Outcome]) -> ExportTraceServiceResponse:
    """The response; `partial_success` only where spans were refused."""
    refused = [each.problem for each in outcomes if each.problem is not None]
    response = ExportTraceServiceResponse()
    if not refused:
        return response
    words = [f"{problem.title}. {problem.detail}" for problem in refused]
    first = dict(reversed(list(zip(words, refused, strict=True))))
    told = [
        f"{count} of them: {reason} First at {first[reason].pointer}."
        for reason, count in Counter(words).most_common(_REASONS)
    ]
    response.partial_success.rejected_spans = len(refused)
    response.partial_success.error_message = f"{len(refused)} refused. {' '.join(told)}"
    return response


def _failed(request: HttpRequest, refused: HttpResponse) -> HttpResponse:
    """A problem as a google.rpc.Status, with the headers that clients act on."""
    problem = json.loads(refused.content)
    place = problem.get("pointer")
    words = [f"{problem['title']}.", problem["detail"], *([f"At {place}."] if place else [])]
    other = _INVALID_ARGUMENT if refused.status_code < 500 else _INTERNAL
    status = Status(code=_CODES.get(refused.status_code, other), message=" ".join(words))
    answer = _answer(request, status, refused.status_code)
    for name in _KEPT_HEADERS:
        if name in refused.headers:
            answer.headers[name] = refused.headers[name]
    return answer


def _answer(request: HttpRequest, message: Message, status: int) -> HttpResponse:
    """The message in the type of the request: protobuf, else JSON."""
    if media_type_of(request.headers.get("Content-Type", "")) == PROTOBUF:
        return HttpResponse(message.SerializeToString(), status=status, content_type=PROTOBUF)
    return HttpResponse(json.dumps(_as_json(message)), status=status, content_type=JSON)


def _as_json(message: Message) -> dict[str, object]:
    """The JSON mapping of the two messages that are sent; 64-bit integers are strings in it."""
    if isinstance(message, Status):
        return {"code": message.code, "message": message.message}
    if isinstance(message, ExportTraceServiceResponse) and message.HasField("partial_success"):
        partial = message.partial_success
        told = {
            "rejectedSpans": str(partial.rejected_spans),
            "errorMessage": partial.error_message,
        }
        return {"partialSuccess": told}
    return {}
