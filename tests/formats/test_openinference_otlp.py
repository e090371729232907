"""OTLP/JSON to spans: values of every type, order of flattened lists, faults."""

import math
from typing import Any

import pytest

from lineage.formats.otlp import RejectedSpan, decode, indexed
from tests.formats.openinference_traces import TRACE_ID, request, span, span_id

pytestmark = pytest.mark.engine_free


def only_span(raw: Any) -> Any:
    (found,) = decode(request(raw)).spans
    return found


@pytest.mark.parametrize(
    "body",
    [None, 1, "x", [], {}, {"resourceSpans": None}, {"resourceSpans": [1, {"scopeSpans": {"a": 1}}]},
     {"resourceSpans": [{"resource": [], "scopeSpans": [{"scope": 3, "spans": "x"}]}]}],
)  # fmt: skip
def test_wrong_shapes_hold_no_spans(body: Any) -> None:
    assert decode(body).spans == ()


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (
            {"traceId": "W47/95gDgQPSabYzgT/GDA=="},
            "traceId is to be 32 hexadecimal digits, not all zero.",
        ),
        ({"traceId": "0" * 32}, "traceId is to be 32 hexadecimal digits, not all zero."),
        ({"traceId": None}, "traceId is to be 32 hexadecimal digits, not all zero."),
        ({"spanId": "abc"}, "spanId is to be 16 hexadecimal digits, not all zero."),
        ({"spanId": 7}, "spanId is to be 16 hexadecimal digits, not all zero."),
    ],
)
def test_unusable_ids_are_reported_where_they_stand(change: dict[str, Any], detail: str) -> None:
    decoded = decode(request(span(1, "LLM"), span(2, "LLM") | change, "no span"))
    assert [found.span_id for found in decoded.spans] == [span_id(1)]
    assert decoded.rejected == (
        RejectedSpan("/resourceSpans/0/scopeSpans/0/spans/1", detail),
        RejectedSpan("/resourceSpans/0/scopeSpans/0/spans/2", "A span is an object."),
    )


def test_ids_are_the_same_in_any_case() -> None:
    raw = span(0xABC, "LLM") | {"traceId": TRACE_ID.upper(), "parentSpanId": "00000000000000FF"}
    found = only_span(raw)
    assert (found.trace_id, found.span_id, found.parent_id) == (
        TRACE_ID, "0000000000000abc", "00000000000000ff",
    )  # fmt: skip


@pytest.mark.parametrize("parent", ["", "0" * 16, None, 3, "xyz"])
def test_no_parent(parent: Any) -> None:
    assert only_span(span(1, "LLM") | {"parentSpanId": parent}).parent_id is None


@pytest.mark.parametrize(
    ("any_value", "plain"),
    [
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": "-9007199254740993"}, -9007199254740993),
        ({"intValue": 12}, 12),
        ({"doubleValue": 0.25}, 0.25),
        ({"doubleValue": "Infinity"}, math.inf),
        ({"bytesValue": "AAE="}, "AAE="),
        ({"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "1"}]}}, ["a", 1]),
    ],
)
def test_values_of_every_type(any_value: Any, plain: Any) -> None:
    raw = span(1, "LLM") | {"attributes": [{"key": "a", "value": any_value}]}
    assert only_span(raw).attributes == {"a": plain}


@pytest.mark.parametrize(
    "any_value",
    [None, "plain", {}, {"stringValue": 3}, {"boolValue": "yes"}, {"intValue": "9" * 40}, {"intValue": 1.5},
     {"doubleValue": "much"}, {"doubleValue": True}, {"futureValue": 1}],
)  # fmt: skip
def test_values_of_no_type_are_left_out(any_value: Any) -> None:
    raw = span(1, "LLM") | {
        "attributes": [{"key": "a", "value": any_value}, 5, {"value": {}}, {"key": 3}]
    }
    assert only_span(raw).attributes == {}


def test_nested_values_are_spelled_out_as_dotted_keys() -> None:
    raw = span(1, "LLM", docs=[{"id": "a"}, {"id": "b", "meta": {"page": 3}}])
    assert only_span(raw).attributes == {
        "openinference.span.kind": "LLM",
        "docs.0.id": "a",
        "docs.1.id": "b",
        "docs.1.meta.page": 3,
    }


def test_nesting_is_bounded() -> None:
    deep: dict[str, Any] = {"stringValue": "bottom"}
    for _ in range(5_000):
        deep = {"arrayValue": {"values": [deep]}}
    raw = span(1, "LLM") | {"attributes": [{"key": "a", "value": deep}]}
    assert only_span(raw).span_id == span_id(1)


def test_flattened_lists_are_in_numeric_order_with_gaps() -> None:
    attributes: dict[str, Any] = {
        f"d.{index}.id": index for index in ("10", "2", "0", "01", "-1", "1e3", "٣", "", "9" * 30)
    }
    attributes |= {"d": 1, "dx.1.id": "no", "d.2.meta.page": 4, "d.7": "bare"}
    assert indexed(attributes, "d") == [
        (0, {"id": "0"}),
        (2, {"id": "2", "meta.page": 4}),
        (7, {"": "bare"}),
        (10, {"id": "10"}),
    ]


def test_a_span_sent_twice_counts_once_whatever_the_order() -> None:
    early, late = span(1, "LLM", lasts=1), span(1, "LLM", lasts=2, output__value="done")
    for spans in ((early, late, early), (late, early)):
        assert only_attribute(spans) == "done"


def only_attribute(spans: Any) -> Any:
    (found,) = decode(request(*spans)).spans
    return found.attributes["output.value"]


@pytest.mark.parametrize("unstated", ["0", "", None, "soon", -5])
def test_unstated_times(unstated: Any) -> None:
    found = only_span(span(1, "LLM") | {"startTimeUnixNano": unstated, "endTimeUnixNano": unstated})
    assert (found.start, found.end) == (None, None)
