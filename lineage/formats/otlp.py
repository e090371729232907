"""OTLP/JSON trace requests to spans with plain attributes.

Source: opentelemetry-proto 1.11.0, ExportTraceServiceRequest in its JSON mapping: ids are
hexadecimal in any case, 64-bit integers decimal strings, enums integers, unknown fields
ignored. Nothing here raises on bad input: a span that cannot be used is reported by its
JSON pointer, an attribute of an unknown type is left out.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lineage.types import JsonValue

_TRACE_ID: Final = re.compile(r"[0-9a-fA-F]{32}")
_SPAN_ID: Final = re.compile(r"[0-9a-fA-F]{16}")
_INT64: Final = re.compile(r"-?[0-9]{1,19}")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_NOT_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DEPTH: Final = 32  # of arrays and maps in one attribute
_ERROR: Final = 2  # Status.StatusCode.STATUS_CODE_ERROR


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Ids are lower-case hex; `start` and `end` nanoseconds since 1970, None if unstated.

    `attributes` and `resource` are flat: a map or a list of maps under a key is spelled out
    as dotted keys, as OpenInference does itself ("retrieval.documents.0.document.id").
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: int | None
    end: int | None
    failed: bool
    attributes: Mapping[str, JsonValue]
    resource: Mapping[str, JsonValue] = field(default_factory=dict)
    scope_name: str = ""
    scope_version: str = ""


@dataclass(frozen=True, slots=True)
class RejectedSpan:
    """A span that cannot be used: where it stands in the request, and why."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Decoded:
    """The spans of a request, each (trace, span) once, and those that cannot be used."""

    spans: tuple[Span, ...]
    rejected: tuple[RejectedSpan, ...]


def decode(request: JsonValue) -> Decoded:
    """All spans of an ExportTraceServiceRequest as parsed JSON.

    A span sent twice (exporters retry) counts once; where the two differ, the one that ended
    last, so that the result does not depend on their order.
    """
    spans: dict[tuple[str, str], Span] = {}
    rejected: list[RejectedSpan] = []
    for i, resource_spans in _items(_member(request, "resourceSpans")):
        resource = _attributes(_member(_member(resource_spans, "resource"), "attributes"))
        for j, scope_spans in _items(_member(resource_spans, "scopeSpans")):
            scope = _member(scope_spans, "scope")
            for k, raw in _items(_member(scope_spans, "spans")):
                span = _span(raw, resource, _string(scope, "name"), _string(scope, "version"))
                if isinstance(span, str):
                    pointer = f"/resourceSpans/{i}/scopeSpans/{j}/spans/{k}"
                    rejected.append(RejectedSpan(pointer, span))
                    continue
                identity = (span.trace_id, span.span_id)
                known = spans.get(identity)
                if known is None or _preference(span) > _preference(known):
                    spans[identity] = span
    return Decoded(tuple(spans.values()), tuple(rejected))


def indexed(
    attributes: Mapping[str, JsonValue], prefix: str
) -> list[tuple[int, dict[str, JsonValue]]]:
    """The members of a flattened list in numeric order, each with its own attributes.

    `indexed(a, "retrieval.documents")` turns "retrieval.documents.10.document.id" into
    (10, {"document.id": …}). Gaps stay gaps; keys whose index is no plain number are left out.
    """
    found: dict[int, dict[str, JsonValue]] = {}
    start = len(prefix) + 1
    for key, value in attributes.items():
        if not key.startswith(prefix + "."):
            continue
        index, _, rest = key[start:].partition(".")
        if _INDEX.fullmatch(index):
            found.setdefault(int(index), {})[rest] = value
    return sorted(found.items())


def _span(
    raw: JsonValue,
    resource: Mapping[str, JsonValue],
    scope_name: str,
    scope_version: str,
) -> Span | str:
    """The span, or why it is none."""
    if not isinstance(raw, dict):
        return "A span is an object."
    trace_id, span_id = raw.get("traceId"), raw.get("spanId")
    if not _is_id(trace_id, _TRACE_ID):
        return "traceId is to be 32 hexadecimal digits, not all zero."
    if not _is_id(span_id, _SPAN_ID):
        return "spanId is to be 16 hexadecimal digits, not all zero."
    parent_id = raw.get("parentSpanId")
    return Span(
        trace_id=str(trace_id).lower(),
        span_id=str(span_id).lower(),
        parent_id=str(parent_id).lower() if _is_id(parent_id, _SPAN_ID) else None,
        name=_string(raw, "name"),
        start=_nanoseconds(raw.get("startTimeUnixNano")),
        end=_nanoseconds(raw.get("endTimeUnixNano")),
        failed=_member(raw.get("status"), "code") == _ERROR,
        attributes=_attributes(raw.get("attributes")),
        resource=resource,
        scope_name=scope_name,
        scope_version=scope_version,
    )


def _is_id(value: JsonValue, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and bool(pattern.fullmatch(value)) and value.strip("0") != ""


def _preference(span: Span) -> tuple[int, int, str]:
    """Orders two sightings of one span: the later end, then the fuller one, then its content."""
    content = json.dumps([span.name, span.parent_id, span.start, span.attributes], sort_keys=True)
    return (span.end or 0, len(span.attributes), content)


def _attributes(pairs: JsonValue) -> dict[str, JsonValue]:
    flat: dict[str, JsonValue] = {}
    for _, pair in _items(pairs):
        key = _member(pair, "key")
        if isinstance(key, str):
            flat.update(_flatten(key, _value(_member(pair, "value"), _DEPTH)))
    return flat


def _flatten(key: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flatten(f"{key}.{name}", inner)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from _flatten(f"{key}.{index}", item)
    elif value is not None:
        yield key, value


def _value(any_value: JsonValue, depth: int) -> JsonValue:
    """An AnyValue as plain JSON; None for what is none, or nested too deeply."""
    if not isinstance(any_value, dict) or depth == 0:
        return None
    for name, value in any_value.items():
        match name:
            case "stringValue" | "bytesValue" if isinstance(value, str):
                return value
            case "boolValue" if isinstance(value, bool):
                return value
            case "intValue":
                return _integer(value)
            case "doubleValue":
                return _double(value)
            case "arrayValue":
                return [_value(item, depth - 1) for _, item in _items(_member(value, "values"))]
            case "kvlistValue":
                pairs = [pair for _, pair in _items(_member(value, "values"))]
                return {
                    pair["key"]: _value(pair.get("value"), depth - 1)
                    for pair in pairs
                    if isinstance(pair, dict) and isinstance(pair.get("key"), str)
                }
    return None


def _integer(value: JsonValue) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and _INT64.fullmatch(value) else None


def _double(value: JsonValue) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return _NOT_FINITE.get(value) if isinstance(value, str) else None


def _nanoseconds(value: JsonValue) -> int | None:
    """Nanoseconds since 1970; zero means unstated (proto3 has no null)."""
    number = _integer(value)
    return number if number is not None and number > 0 else None


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None


def _string(value: JsonValue, name: str) -> str:
    member = _member(value, name)
    return member if isinstance(member, str) else ""


def _items(value: JsonValue) -> Iterator[tuple[int, JsonValue]]:
    return enumerate(value if isinstance(value, list) else ())
