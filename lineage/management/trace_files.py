"""Files of traces to native records: OTLP in JSON or protobuf, and what Langfuse exports."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lineage.formats import langfuse
from lineage.formats.body import UNPACKED_BYTES
from lineage.formats.openinference import records_of
from lineage.formats.otlp import Decoded, RejectedSpan, decode
from lineage.formats.otlp_protobuf import decode_protobuf
from lineage.types import JsonValue

# A trace may be spread over the lines of its file, so that a file is read as a whole.
FILE_BYTES: Final = UNPACKED_BYTES
_TOO_DEEP: Final = "nested too deeply to be read"
# What json.JSONDecodeError says where a first value is complete.
_MORE_FOLLOWS: Final = "Extra data"


class TracesUnreadable(Exception):
    """The file is no OTLP/JSON, or too large; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class TraceFile:
    """The native records of a file's traces, and the spans that cannot be used."""

    records: tuple[JsonValue, ...]
    rejected: tuple[RejectedSpan, ...]


def read_traces(data: bytes, *, namespace: str | None, exported: bool = False) -> TraceFile:
    """Read a file's bytes, `exported` by Langfuse or as OpenTelemetry writes them.

    `namespace` is that of the chunks where a trace does not say their collection. What collectors
    write, a request a line, is read as one request: its traces may go on in later lines.
    Raises TracesUnreadable.
    """
    if len(data) > FILE_BYTES:
        message = "more than 64 MiB; split it by traces"
        raise TracesUnreadable(message)
    if exported:
        return TraceFile(tuple(_exported(data, namespace)), ())
    decoded = _decoded(data)
    records = records_of(decoded.spans, snapshot_namespace=namespace)
    return TraceFile(tuple(records), decoded.rejected)


def _decoded(data: bytes) -> Decoded:
    if _is_protobuf(data):
        try:
            return decode_protobuf(data)
        except ValueError as error:
            message = "neither JSON nor OTLP in protobuf"
            raise TracesUnreadable(message) from error
    spans = [each for request in _requests(data) for each in _resource_spans(request)]
    if not spans:
        message = "holds no resourceSpans, as OTLP/JSON has them"
        raise TracesUnreadable(message)
    return decode({"resourceSpans": spans})


def _is_protobuf(data: bytes) -> bool:
    """Whether the first field is 1 of many bytes, as of a request in protobuf; no JSON begins so."""
    return len(data) > 1 and data[0] == 0x0A and data[1] >= 0x80


def _exported(data: bytes, namespace: str | None) -> Iterator[JsonValue]:
    for document in _requests(data):
        try:
            yield from langfuse.to_records(document, snapshot_namespace=namespace)
        except langfuse.NotAnExport as error:
            raise TracesUnreadable(str(error)) from error


def _requests(data: bytes) -> Iterator[JsonValue]:
    """The requests in a file: one, or one a line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 at byte {error.start}"
        raise TracesUnreadable(message) from error
    try:
        whole: JsonValue = json.loads(text)
    except RecursionError as error:
        raise TracesUnreadable(_TOO_DEEP) from error
    except ValueError as error:
        if getattr(error, "msg", "") != _MORE_FOLLOWS:
            message = f"not JSON at line {getattr(error, 'lineno', 1)}"
            raise TracesUnreadable(message) from error
    else:
        yield whole
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _request(number, line)


def _request(number: int, line: str) -> JsonValue:
    try:
        request: JsonValue = json.loads(line)
    except RecursionError as error:
        raise TracesUnreadable(_TOO_DEEP) from error
    except ValueError as error:
        message = f"not JSON at line {number}"
        raise TracesUnreadable(message) from error
    return request


def _resource_spans(request: JsonValue) -> list[JsonValue]:
    spans = request.get("resourceSpans") if isinstance(request, dict) else None
    return spans if isinstance(spans, list) else []
