"""OTLP trace requests to spans with plain attributes: the spans, and the JSON mapping.

Source: opentelemetry-proto 1.11.0, ExportTraceServiceRequest. In JSON ids are hexadecimal in
any case, 64-bit integers decimal strings (or numbers), enums integers, unknown fields ignored.
Nothing here raises on bad input: a span that cannot be used is reported by its JSON pointer,
an attribute of an unknown type is left out. `otlp_protobuf` reads the same from protobuf.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lineage.formats.body import Repeated
from lineage.formats.otlp_values import attributes_of, flattened, indexed, integer, items, member
from lineage.types import JsonValue

__all__ = ["Collected", "Decoded", "Event", "RejectedSpan", "Span", "decode", "indexed"]

_TRACE_ID: Final = re.compile(r"[0-9a-fA-F]{32}")
_SPAN_ID: Final = re.compile(r"[0-9a-fA-F]{16}")
_ERROR: Final = 2  # Status.StatusCode.STATUS_CODE_ERROR
BAD_TRACE_ID: Final = "traceId is to be 32 hexadecimal digits, not all zero."
BAD_SPAN_ID: Final = "spanId is to be 16 hexadecimal digits, not all zero."


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a span; `at` nanoseconds since 1970, None if unstated."""

    name: str
    at: int | None
    attributes: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Ids are lower-case hex; `start` and `end` nanoseconds since 1970, None if unstated.

    `attributes` and `resource` are flat: a map or a list of maps under a key is spelled out
    as dotted keys, as OpenInference does itself ("retrieval.documents.0.document.id").
    `whole` and the events' attributes have them as sent.
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
    whole: Mapping[str, JsonValue] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    @property
    def key(self) -> str:
        """The client key of what the span makes: TRACE_ID:SPAN_ID."""
        return f"{self.trace_id}:{self.span_id}"


@dataclass(frozen=True, slots=True)
class RejectedSpan:
    """A span that cannot be used: where it stands in the request, and why."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Decoded:
    """The spans of a request, each (trace, span) once, and those that cannot be used.

    `received` has an item per span in the order sent: the key of a usable one (TRACE_ID:SPAN_ID,
    as often as it was sent), or why it cannot be used.
    """

    spans: tuple[Span, ...]
    received: tuple[str | RejectedSpan, ...] = ()

    @property
    def rejected(self) -> tuple[RejectedSpan, ...]:
        """The spans that cannot be used."""
        return tuple(each for each in self.received if isinstance(each, RejectedSpan))


class Collected:
    """Spans by (trace, span) id: of one sent twice the later, whatever the order."""

    def __init__(self) -> None:
        self._spans: dict[tuple[str, str], Span] = {}
        self._received: list[str | RejectedSpan] = []

    def add(self, span: Span) -> None:
        """Count the span in; exporters retry, and a span may be sent before it has ended."""
        identity = (span.trace_id, span.span_id)
        self._received.append(span.key)
        known = self._spans.get(identity)
        if known is None or _preference(span) > _preference(known):
            self._spans[identity] = span

    def reject(self, pointer: str, detail: str) -> None:
        """Count a span that cannot be used."""
        self._received.append(RejectedSpan(pointer, detail))

    def decoded(self) -> Decoded:
        """What was collected."""
        return Decoded(tuple(self._spans.values()), tuple(self._received))


def decode(request: JsonValue) -> Decoded:
    """All spans of an ExportTraceServiceRequest as parsed JSON.

    A span sent twice (exporters retry) counts once; where the two differ, the one that ended
    last, so that the result does not depend on their order.
    """
    found = Collected()
    for i, resource_spans in items(member(request, "resourceSpans")):
        resource = flattened(
            attributes_of(member(member(resource_spans, "resource"), "attributes"))
        )
        for j, scope_spans in items(member(resource_spans, "scopeSpans")):
            scope = member(scope_spans, "scope")
            for k, raw in items(member(scope_spans, "spans")):
                span = _span(raw, resource, _string(scope, "name"), _string(scope, "version"))
                if isinstance(span, str):
                    found.reject(f"/resourceSpans/{i}/scopeSpans/{j}/spans/{k}", span)
                else:
                    found.add(span)
    return found.decoded()


def _span(
    raw: JsonValue,
    resource: Mapping[str, JsonValue],
    scope_name: str,
    scope_version: str,
) -> Span | str:
    """The span, or why it is none."""
    if not isinstance(raw, dict):
        return "A span is an object."
    if isinstance(raw, Repeated):
        return f"{raw.name[:80]!r} stands twice in the span."
    trace_id, span_id = raw.get("traceId"), raw.get("spanId")
    if not _is_id(trace_id, _TRACE_ID):
        return BAD_TRACE_ID
    if not _is_id(span_id, _SPAN_ID):
        return BAD_SPAN_ID
    parent_id = raw.get("parentSpanId")
    whole = attributes_of(raw.get("attributes"))
    return Span(
        trace_id=str(trace_id).lower(),
        span_id=str(span_id).lower(),
        parent_id=str(parent_id).lower() if _is_id(parent_id, _SPAN_ID) else None,
        name=_string(raw, "name"),
        start=_nanoseconds(raw.get("startTimeUnixNano")),
        end=_nanoseconds(raw.get("endTimeUnixNano")),
        failed=member(raw.get("status"), "code") == _ERROR,
        attributes=flattened(whole),
        resource=resource,
        scope_name=scope_name,
        scope_version=scope_version,
        whole=whole,
        events=tuple(_events(raw.get("events"))),
    )


def _events(raw: JsonValue) -> Iterator[Event]:
    for _, event in items(raw):
        name = _string(event, "name")
        if name:
            attributes = attributes_of(member(event, "attributes"))
            yield Event(name, _nanoseconds(member(event, "timeUnixNano")), attributes)


def _is_id(value: JsonValue, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and bool(pattern.fullmatch(value)) and value.strip("0") != ""


def _preference(span: Span) -> tuple[int, int, str]:
    """Orders two sightings of one span: the later end, then the fuller one, then its content."""
    events = [[event.name, event.at, event.attributes] for event in span.events]
    told = [span.name, span.parent_id, span.start, span.failed, span.whole, span.attributes]
    where = [span.resource, span.scope_name, span.scope_version]
    content = json.dumps([*told, events, *where], sort_keys=True)
    return (span.end or 0, len(span.attributes) + len(span.events), content)


def _nanoseconds(value: JsonValue) -> int | None:
    """Nanoseconds since 1970; zero means unstated (proto3 has no null)."""
    number = integer(value)
    return number if number is not None and number > 0 else None


def _string(value: JsonValue, name: str) -> str:
    found = member(value, name)
    return found if isinstance(found, str) else ""
