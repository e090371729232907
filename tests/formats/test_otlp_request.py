"""One body in, the same spans out: protobuf and JSON, and what cannot be used as a whole."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from demo.files import DATA
from lineage.formats.openinference import records_of
from lineage.formats.otlp import RejectedSpan
from lineage.formats.otlp_request import read_request
from lineage.formats.refusals import BodyRefused
from tests.formats.openinference_traces import TRACE_ID, request, span, span_id
from tests.formats.otlp_bodies import protobuf

pytestmark = pytest.mark.engine_free

HERE = Path(__file__).parent
# Beside them stand requests of logs, which are no traces.
REQUESTS = ("genai.json", "openinference.json", "trace.json")
FILES = [*sorted((DATA / "traces").glob("*.json")), *(HERE / "otlp" / name for name in REQUESTS)]
PROTOBUF, JSON = "application/x-protobuf", "application/json"
EVERY_VALUE: dict[str, Any] = {
    "text": "é🤔", "yes": True, "no": False, "zero": 0, "large": -(2**63), "half": 0.5,
    "list": ["a", 1, [True]], "rows": [{"id": "a", "meta": {"page": 3}}, {"id": "b"}], "none": [],
}  # fmt: skip


def json_body(body: Any) -> bytes:
    return json.dumps(body).encode()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_protobuf_says_what_json_says(file: Path) -> None:
    body = json.loads(file.read_text(encoding="utf-8"))
    by_json = read_request(json_body(body), JSON)
    by_protobuf = read_request(protobuf(body), PROTOBUF)
    assert by_protobuf == by_json
    assert by_json.spans
    assert by_json.rejected == ()


def test_values_and_events_of_every_type() -> None:
    raw = span(1, "LLM", **EVERY_VALUE)
    raw["attributes"].append({"key": "bytes", "value": {"bytesValue": "AAE="}})
    raw["events"] = [{"name": "e", "timeUnixNano": "5", "attributes": raw["attributes"]}]
    (by_protobuf,) = read_request(protobuf(request(raw)), PROTOBUF).spans
    (by_json,) = read_request(json_body(request(raw)), JSON).spans
    assert by_protobuf == by_json
    whole = EVERY_VALUE | {"openinference.span.kind": "LLM", "bytes": "AAE="}
    assert by_json.whole == whole
    assert [(e.name, e.at, e.attributes) for e in by_json.events] == [("e", 5, whole)]


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
@pytest.mark.parametrize(
    "body", [b"{}", b'{"resourceSpans": []}', b'{"resource_spans": [1], "new": 2}']
)
def test_empty_requests_and_unknown_fields_are_no_fault(content_type: str, body: bytes) -> None:
    assert read_request(body, content_type).received == ()
    assert read_request(b"", PROTOBUF).received == ()


@pytest.mark.parametrize(
    ("body", "content_type", "slug"),
    [
        (b"{", JSON, "body-unreadable"),
        (b"[]", JSON, "body-unreadable"),
        (b"\xff{}", JSON, "body-unreadable"),
        (b"[" * 200_000, JSON, "body-unreadable"),
        (b"\x0a\x05ab", PROTOBUF, "body-unreadable"),
        (b"\xff\xff\xff\xff", PROTOBUF, "body-unreadable"),
        (b"{}", PROTOBUF, "body-unreadable"),
        (b"{}", "text/plain", "media-type-unsupported"),
        (b"{}", "", "media-type-unsupported"),
    ],
)
def test_unusable_bodies(body: bytes, content_type: str, slug: str) -> None:
    with pytest.raises(BodyRefused) as refused:
        read_request(body, content_type)
    assert refused.value.problem.slug == slug


@pytest.mark.parametrize("name", ["traceId", "spanId"])
def test_ids_in_base64_are_refused_with_their_place(name: str) -> None:
    raw = span(2, "LLM")
    raw[name] = base64.b64encode(bytes.fromhex(raw[name])).decode()
    with pytest.raises(BodyRefused) as refused:
        read_request(json_body(request(span(1, "LLM"), raw)), JSON)
    assert refused.value.problem.pointer == f"/resourceSpans/0/scopeSpans/0/spans/1/{name}"
    assert "hexadecimal" in refused.value.problem.detail


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ('{"resourceSpans": [SPANS], "resourceSpans": []}', ""),
        ('{"resourceSpans": [{}, {"scopeSpans": [], "scopeSpans": [SPANS]}]}', "/resourceSpans/1"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [SPAN], "spans": []}]}]}',
         "/resourceSpans/0/scopeSpans/0"),
    ],
)  # fmt: skip
def test_no_list_of_spans_is_lost_to_another_of_its_name(body: str, pointer: str) -> None:
    sent = body.replace("SPANS", "{}").replace("SPAN", json.dumps(span(1, "LLM")))
    with pytest.raises(BodyRefused) as refused:
        read_request(sent.encode(), JSON)
    assert (refused.value.problem.slug, refused.value.problem.pointer) == (
        "body-unreadable",
        pointer,
    )


def test_a_span_in_which_a_name_stands_twice_loses_no_other() -> None:
    first, second = (json.dumps(span(number, "LLM")) for number in (1, 2))
    sent = f'{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{first[:-1]}, "name": "n"}}, {second}]}}]}}]}}'
    rejected, key = read_request(sent.encode(), JSON).received
    assert isinstance(rejected, RejectedSpan)
    assert "'name' stands twice" in rejected.detail
    assert key == f"{TRACE_ID}:{span_id(2)}"


def test_spans_that_cannot_be_used_keep_their_place_among_the_others() -> None:
    zero = span(2, "LLM") | {"traceId": "0" * 32}
    short = span(3, "LLM") | {"spanId": "00ff"}
    body = request(span(1, "LLM"), zero, short, span(1, "LLM"))
    trace = "traceId is to be 32 hexadecimal digits, not all zero."
    span_ = "spanId is to be 16 hexadecimal digits, not all zero."
    key = f"{TRACE_ID}:{span_id(1)}"
    expected = (
        key,
        RejectedSpan("/resourceSpans/0/scopeSpans/0/spans/1", trace),
        RejectedSpan("/resourceSpans/0/scopeSpans/0/spans/2", span_),
        key,
    )
    assert read_request(json_body(body), JSON).received == expected
    assert read_request(protobuf(body), PROTOBUF).received == expected


def test_the_example_of_the_protocol_is_read_and_says_nothing_of_a_pipeline() -> None:
    body = (HERE / "otlp" / "trace.json").read_bytes()
    (found,) = read_request(body, JSON).spans
    assert (found.trace_id, found.parent_id) == (
        "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b173",
    )  # fmt: skip
    assert records_of([found]) == []
