"""OTLP trace requests in protobuf to the same spans as their JSON mapping gives.

Source: opentelemetry-proto 1.11.0 by its generated classes. Unknown fields are ignored.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as RawSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from lineage.formats.otlp import BAD_SPAN_ID, BAD_TRACE_ID, Collected, Decoded, Event, Span
from lineage.formats.otlp_values import DEPTH, flattened
from lineage.types import JsonValue

_TRACE_ID_BYTES = 16
_SPAN_ID_BYTES = 8


def decode_protobuf(body: bytes) -> Decoded:
    """All spans of an ExportTraceServiceRequest; ValueError where the bytes are none."""
    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(body)
    except (DecodeError, UnicodeDecodeError) as error:
        message = "not an ExportTraceServiceRequest"
        raise ValueError(message) from error
    found = Collected()
    for i, resource_spans in enumerate(request.resource_spans):
        resource = flattened(_attributes(resource_spans.resource.attributes))
        for j, scope_spans in enumerate(resource_spans.scope_spans):
            scope = scope_spans.scope
            for k, raw in enumerate(scope_spans.spans):
                problem = _problem(raw)
                if problem:
                    found.reject(f"/resourceSpans/{i}/scopeSpans/{j}/spans/{k}", problem)
                else:
                    found.add(_span(raw, resource, scope.name, scope.version))
    return found.decoded()


def _problem(raw: RawSpan) -> str:
    """Why the span cannot be used; empty if it can."""
    if not _is_id(raw.trace_id, _TRACE_ID_BYTES):
        return BAD_TRACE_ID
    return "" if _is_id(raw.span_id, _SPAN_ID_BYTES) else BAD_SPAN_ID


def _is_id(value: bytes, length: int) -> bool:
    return len(value) == length and any(value)


def _span(
    raw: RawSpan, resource: Mapping[str, JsonValue], scope_name: str, scope_version: str
) -> Span:
    whole = _attributes(raw.attributes)
    has_parent = _is_id(raw.parent_span_id, _SPAN_ID_BYTES)
    return Span(
        trace_id=raw.trace_id.hex(),
        span_id=raw.span_id.hex(),
        parent_id=raw.parent_span_id.hex() if has_parent else None,
        name=raw.name,
        start=raw.start_time_unix_nano or None,
        end=raw.end_time_unix_nano or None,
        failed=raw.status.code == Status.STATUS_CODE_ERROR,
        attributes=flattened(whole),
        resource=resource,
        scope_name=scope_name,
        scope_version=scope_version,
        whole=whole,
        events=tuple(_events(raw)),
    )


def _events(raw: RawSpan) -> Iterator[Event]:
    for event in raw.events:
        if event.name:
            yield Event(event.name, event.time_unix_nano or None, _attributes(event.attributes))


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for pair in pairs:
        value = _value(pair.value, DEPTH)
        if value is not None:
            found[pair.key] = value
    return found


def _value(any_value: AnyValue, depth: int) -> JsonValue:
    """The value as plain JSON, bytes in base64 as in the JSON mapping; None if nested too deeply."""
    if depth == 0:
        return None
    match any_value.WhichOneof("value"):
        case "string_value":
            return any_value.string_value
        case "bool_value":
            return any_value.bool_value
        case "int_value":
            return any_value.int_value
        case "double_value":
            return any_value.double_value
        case "array_value":
            return [_value(item, depth - 1) for item in any_value.array_value.values]
        case "kvlist_value":
            pairs = any_value.kvlist_value.values
            return {pair.key: _value(pair.value, depth - 1) for pair in pairs}
        case "bytes_value":
            return base64.b64encode(any_value.bytes_value).decode("ascii")
    return None
