"""The body of POST /v1/traces to spans: protobuf or JSON, as its Content-Type says."""

import base64
import binascii
from typing import Final

from lineage.formats.body import Repeated, as_json
from lineage.formats.otlp import Decoded, decode
from lineage.formats.otlp_protobuf import decode_protobuf
from lineage.formats.otlp_values import items, member
from lineage.formats.refusals import BodyRefused
from lineage.types import JsonValue

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"
# Members of resourceSpans and scopeSpans that hold no spans.
_OF_WHOM: Final = frozenset({"resource", "scope", "schemaUrl"})
# Lengths in base64 of the 16 and 8 bytes of an id, and these.
_BASE64_IDS: Final = (("traceId", 24, 16), ("spanId", 12, 8), ("parentSpanId", 12, 8))


def media_type_of(content_type: str) -> str:
    """The media type without its parameters, lower case."""
    return content_type.partition(";")[0].strip().lower()


def read_request(body: bytes, content_type: str) -> Decoded:
    """The spans of an ExportTraceServiceRequest, `body` unpacked.

    Raises BodyRefused where the body as a whole is unusable: of another type, unreadable, or
    JSON whose ids are in base64. Such ids could be read; but the same trace sent as OTLP has it
    would be another one, and so the exporter is to be set right.
    """
    media_type = media_type_of(content_type)
    if media_type == PROTOBUF:
        try:
            return decode_protobuf(body)
        except ValueError as error:
            raise BodyRefused("body-unreadable", "Not an ExportTraceServiceRequest.") from error
    if media_type != JSON:
        raise BodyRefused("media-type-unsupported", f"Send {PROTOBUF} or {JSON}.")
    request = as_json(body)
    if not isinstance(request, dict):
        raise BodyRefused("body-unreadable", "An ExportTraceServiceRequest is a JSON object.")
    if (place := _repeated(request)) is not None:
        raise BodyRefused("body-unreadable", "A name stands twice in one object.", place)
    decoded = decode(request)
    # Only where there are refused spans can there be such ids.
    if decoded.rejected and (found := _id_in_base64(request)):
        detail = "The id is in base64: OTLP/JSON has ids as hexadecimal digits."
        raise BodyRefused("body-unreadable", detail, found)
    return decoded


def is_stray(body: bytes, content_type: str) -> bool:
    """Whether a body in which `read_request` found no span is JSON of something else.

    Fields of unknown names are to be ignored, and so the OpenLineage event or the export of
    another tool that went to the wrong address is a request without spans, and one whose spans
    stand under other names than OTLP's (`scope_spans`, or those of OTLP's first versions).
    """
    if media_type_of(content_type) != JSON:
        return False
    request = as_json(body)
    if not isinstance(request, dict):
        return False
    if _lacks("resourceSpans", request):
        return True
    return any(
        _lacks("scopeSpans", resource_spans)
        or any(
            _lacks("spans", scope_spans)
            for _, scope_spans in items(member(resource_spans, "scopeSpans"))
        )
        for _, resource_spans in items(request.get("resourceSpans"))
    )


def _lacks(name: str, holder: JsonValue) -> bool:
    """Whether an object says something, and it is neither under this name nor of whom it is said."""
    return isinstance(holder, dict) and name not in holder and not holder.keys() <= _OF_WHOM


def _repeated(request: JsonValue) -> str | None:
    """The JSON pointer of the first object around spans of which JSON keeps but the last of two lists."""
    if isinstance(request, Repeated):
        return ""
    for i, resource_spans in items(member(request, "resourceSpans")):
        if isinstance(resource_spans, Repeated):
            return f"/resourceSpans/{i}"
        for j, scope_spans in items(member(resource_spans, "scopeSpans")):
            if isinstance(scope_spans, Repeated):
                return f"/resourceSpans/{i}/scopeSpans/{j}"
    return None


def _id_in_base64(request: JsonValue) -> str:
    """The JSON pointer of the first id of a span that is in base64; empty if there is none."""
    for i, resource_spans in items(member(request, "resourceSpans")):
        for j, scope_spans in items(member(resource_spans, "scopeSpans")):
            for k, span in items(member(scope_spans, "spans")):
                for name, length, size in _BASE64_IDS:
                    value = member(span, name)
                    if isinstance(value, str) and len(value) == length and _decodes(value, size):
                        return f"/resourceSpans/{i}/scopeSpans/{j}/spans/{k}/{name}"
    return ""


def _decodes(value: str, size: int) -> bool:
    try:
        return len(base64.b64decode(value, validate=True)) == size
    except (binascii.Error, ValueError):
        return False
