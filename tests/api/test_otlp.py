"""POST /v1/traces as exporters see it: types, statuses, partial success, errors as google.rpc.Status."""

import gzip
import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client, override_settings
from google.protobuf import json_format
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from lineage.api import otlp
from lineage.models import InboxPayload, Node
from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import Workspace
from tests.formats.openinference_traces import TRACE_ID, request, span, span_id
from tests.formats.otlp_bodies import protobuf

pytestmark = [pytest.mark.django_db(databases=["default", "keys"]), pytest.mark.one_pair]

EXAMPLES = Path(__file__).parents[1] / "formats" / "otlp"
JSON, PROTOBUF = "application/json", "application/x-protobuf"
MODEL: dict[str, Any] = {"output.value": "Yes. [1]", "llm.model_name": "m"}
UNAUTHENTICATED, PERMISSION_DENIED, INVALID, UNIMPLEMENTED, UNAVAILABLE = 16, 7, 3, 12, 14
RESOURCE_EXHAUSTED, INTERNAL, NOT_FOUND = 8, 13, 5


@dataclass(slots=True)
class Exporter:
    """Sends as exporters do."""

    key: str
    path: str = "/v1/traces"
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def send(self, body: bytes, content_type: str = JSON, method: str = "POST", **more: str) -> Any:
        # Django's client says nothing of the type of an empty body; exporters do.
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": content_type} | {
            name.replace("_", "-"): value for name, value in more.items()
        }
        return self.client.generic(method, self.path, body, content_type, headers=headers)


@pytest.fixture
def exporter(workspace: Workspace) -> Exporter:
    return Exporter(create_key(workspace=workspace, scopes=["ingest:otlp"])[1])


def body(*spans: Any) -> bytes:
    return json.dumps(request(*spans)).encode()


def assert_status(response: Any, status: int, code: int, *words: str) -> None:
    """A google.rpc.Status in JSON; nothing of RFC 9457."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == JSON
    told = json.loads(response.content)
    assert told.keys() == {"code", "message"}
    assert told["code"] == code
    for word in words:
        assert word in told["message"]


# Refusals


def test_nobody_without_a_key(workspace: Workspace) -> None:
    response = Client().generic("POST", "/v1/traces", b"{}", JSON)
    assert_status(response, 401, UNAUTHENTICATED)
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert_status(Exporter("pvx_none_none").send(b"{}"), 401, UNAUTHENTICATED)


@pytest.mark.parametrize("scope", ["read", "ingest:native"])
def test_no_key_of_another_scope(workspace: Workspace, scope: str) -> None:
    other = Exporter(create_key(workspace=workspace, scopes=[scope])[1])
    assert_status(other.send(body(span(1, "LLM"))), 403, PERMISSION_DENIED, "ingest")
    assert not InboxPayload.objects.exists()


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_methods(exporter: Exporter, method: str) -> None:
    response = exporter.send(b"", method=method)
    assert_status(response, 405, UNIMPLEMENTED)
    assert response.headers["Allow"] == "POST"


@pytest.mark.parametrize("path", ["/v1/logs", "/v1/metrics", "/v1/", "/v1/traces/"])
def test_other_signals_are_told_in_the_same_manner(exporter: Exporter, path: str) -> None:
    exporter.path = path
    assert_status(exporter.send(b"{}"), 404, NOT_FOUND)


@pytest.mark.parametrize(
    ("sent", "content_type", "encoding", "status"),
    [
        (b"{", JSON, "", 400),
        (b"[]", JSON, "", 400),
        (b"{}", "text/plain", "", 415),
        (b"{}", JSON, "br", 415),
        (b"{}", JSON, "gzip", 400),
        (gzip.compress(b"{}" + b" " * 4096)[:-9], JSON, "gzip", 400),
        (b" " * ((16 << 20) + 1), JSON, "", 413),
        (gzip.compress(bytes(200 << 20), 1), JSON, "gzip", 413),
    ],
    ids=lambda value: str(value)[:20],
)
def test_unusable_bodies_are_not_kept(
    exporter: Exporter, sent: bytes, content_type: str, encoding: str, status: int
) -> None:
    """langfuse/langfuse#16532, #14369: gzip was unpacked without a bound."""
    response = exporter.send(sent, content_type, Content_Encoding=encoding)
    assert_status(response, status, INVALID)
    assert not InboxPayload.objects.exists()


def test_errors_are_protobuf_where_the_request_is(exporter: Exporter) -> None:
    response = exporter.send(b"\xff\xff\xff", PROTOBUF)
    assert (response.status_code, response.headers["Content-Type"]) == (400, PROTOBUF)
    status = Status.FromString(response.content)
    assert (status.code, status.message) == (
        INVALID, "The body cannot be read. Not an ExportTraceServiceRequest.",
    )  # fmt: skip


def test_ids_in_base64_are_refused_as_a_whole(exporter: Exporter) -> None:
    """open-telemetry/opentelemetry-swift#537: the same trace in base64 would be a second one."""
    raw = span(1, "LLM", **MODEL) | {
        "traceId": "W47/95gDgQPSabYzgT/GDA==",
        "spanId": "7uGbfsPBsXQ=",
    }
    assert_status(
        exporter.send(body(raw)), 400, INVALID, "base64", "hexadecimal", "/spans/0/traceId"
    )
    assert not Node.objects.exists()


def test_only_what_may_be_tried_again_says_so(
    exporter: Exporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise OperationalError

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(otlp, "receive", busy)
    response = exporter.send(b"{}")
    assert_status(response, 503, UNAVAILABLE)
    assert int(response.headers["Retry-After"]) > 0
    monkeypatch.setattr(otlp, "receive", broken)
    response = exporter.send(b"{}")
    assert_status(response, 500, INTERNAL)
    assert "Retry-After" not in response.headers


@override_settings(REQUESTS_PER_MINUTE_KEY=2, REDIS_URL="")
def test_too_many_requests(exporter: Exporter) -> None:
    cache.clear()
    assert [exporter.send(b"{}").status_code for _ in range(2)] == [200, 200]
    response = exporter.send(b"{}")
    assert_status(response, 429, RESOURCE_EXHAUSTED)
    assert 0 < int(response.headers["Retry-After"]) <= 60


# What is taken


@pytest.mark.parametrize("sent", [b"{}", b'{"resourceSpans": []}'])
def test_empty_requests(exporter: Exporter, sent: bytes) -> None:
    response = exporter.send(sent)
    assert (response.status_code, response.content) == (200, b"{}")
    response = exporter.send(b"", PROTOBUF)
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["Content-Type"] == PROTOBUF


@pytest.mark.parametrize(
    "stray",
    [
        {"eventType": "COMPLETE"},
        {"trace": {}, "observations": []},
        {"resource_spans": []},
        {"resourceSpans": [{"resource": {}, "scope_spans": [{"spans": [{}]}]}]},
        {"resourceSpans": [{"instrumentationLibrarySpans": [{"spans": [{}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"scope": {}, "Spans": [{}]}]}]},
    ],
)
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_what_is_meant_for_another_address_is_told_so_and_not_refused(
    exporter: Exporter, stray: dict[str, Any], encoding: str
) -> None:
    """OTLP: unknown fields are ignored; a message beside no refused spans is a warning."""
    data = json.dumps(stray).encode()
    response = exporter.send(gzip.compress(data) if encoding else data, Content_Encoding=encoding)
    assert response.status_code == 200
    partial = json.loads(response.content)["partialSuccess"]
    assert partial["rejectedSpans"] == "0"
    assert "no resourceSpans" in partial["errorMessage"]


def logs_as_protobuf(document: dict[str, Any]) -> bytes:
    """The request as exporters of logs encode it: ids as bytes, not as protobuf's JSON has them."""
    text = re.sub(
        r'("(?:traceId|spanId)": )"([0-9A-F]+)"',
        lambda found: f'{found[1]}"{b64encode(bytes.fromhex(found[2])).decode()}"',
        json.dumps(document),
    )
    encoded: bytes = json_format.Parse(text, ExportLogsServiceRequest()).SerializeToString()
    return encoded


@pytest.mark.parametrize("name", ["logs", "events"])
def test_the_examples_of_logs_are_not_taken_and_told_so(exporter: Exporter, name: str) -> None:
    """opentelemetry-proto's examples: where exporters send them, and at the address of traces."""
    data = (EXAMPLES / f"{name}.json").read_bytes()
    as_protobuf = logs_as_protobuf(json.loads(data))

    stray = exporter.send(data)
    assert stray.status_code == 200
    partial = json.loads(stray.content)["partialSuccess"]
    assert (partial["rejectedSpans"], "no resourceSpans" in partial["errorMessage"]) == ("0", True)
    # In protobuf the fields of both are numbered alike, but hold other types.
    taken_for_spans = exporter.send(as_protobuf, PROTOBUF)
    assert taken_for_spans.status_code == 400
    assert Status.FromString(taken_for_spans.content).code == INVALID

    exporter.path = "/v1/logs"
    for encoding in ("", "gzip"):
        body = gzip.compress(data) if encoding else data
        refused = exporter.send(body, Content_Encoding=encoding)
        assert_status(refused, 404, NOT_FOUND)
        assert "Retry-After" not in refused.headers
    refused = exporter.send(as_protobuf, PROTOBUF)
    assert (refused.status_code, Status.FromString(refused.content).code) == (404, NOT_FOUND)
    assert not Node.objects.exists()


@pytest.mark.usefixtures("graph_away")
@pytest.mark.parametrize("content_type", [JSON, PROTOBUF])
def test_a_trace_in_either_type_gzipped_while_the_graph_is_away(
    exporter: Exporter, content_type: str
) -> None:
    whole = request(span(1, "LLM", **MODEL))
    data = protobuf(whole) if content_type == PROTOBUF else json.dumps(whole).encode()
    response = exporter.send(gzip.compress(data), content_type, Content_Encoding="gzip")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == content_type
    assert response.content == (b"" if content_type == PROTOBUF else b"{}")
    assert Node.objects.get(kind="answer").key == f"{TRACE_ID}:{span_id(1)}"


@pytest.mark.usefixtures("graph_away")
def test_partial_success_counts_what_was_refused(exporter: Exporter) -> None:
    zero, short = span(2, "LLM") | {"traceId": "0" * 32}, span(3, "LLM") | {"spanId": "ff"}
    sent = request(span(1, "LLM", **MODEL), zero, short, dict(zero))
    response = exporter.send(json.dumps(sent).encode())
    assert response.status_code == 200
    partial = json.loads(response.content)["partialSuccess"]
    assert partial == {
        "rejectedSpans": "3",
        "errorMessage": "3 refused. 2 of them: A field has a value that is not allowed. traceId is to be "
        "32 hexadecimal digits, not all zero. First at /resourceSpans/0/scopeSpans/0/spans/1. 1 of them: "
        "A field has a value that is not allowed. spanId is to be 16 hexadecimal digits, not all zero. "
        "First at /resourceSpans/0/scopeSpans/0/spans/2.",
    }
    by_protobuf = ExportTraceServiceResponse.FromString(
        exporter.send(protobuf(sent), PROTOBUF).content
    )
    assert by_protobuf.partial_success.rejected_spans == 3
    assert by_protobuf.partial_success.error_message == partial["errorMessage"]
    assert Node.objects.filter(kind="answer").count() == 1
