"""The candidates that a file of traces holds, read from its spans for the report alone.

Not as records are made of them, so that a candidate which that loses is missed: by the generated
classes of OTLP, for JSON by Google's own mapping (it takes the hexadecimal ids for base64, which
tells spans apart just as well), and of OpenInference no more than the flattened documents.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from lineage.management.trace_files import TracesUnreadable

_MOST: Final = 1_000  # documents of one list


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document of a retriever: its key, its place from 1, its score, whether a reranker left it out.

    `rank` is None for what only a retriever inside another found.
    """

    key: str
    rank: int | None
    score: float | None
    reranked_out: bool


def candidates_in(data: bytes) -> list[Candidate]:
    """The candidates of all retrievers in a file: OTLP in protobuf, or JSON, one or a line each.

    Raises TracesUnreadable for JSON that is no such request.
    """
    spans = [
        span
        for request in _requests(data)
        for around in request.resource_spans
        for scope in around.scope_spans
        for span in scope.spans
    ]
    told = {span.span_id: _attributes(span) for span in spans}
    parents = {span.span_id: span.parent_span_id for span in spans}
    found = {each: _documents(attributes, "retrieval") for each, attributes in told.items()}
    offered, given_back = (
        {key for held in told.values() for key, *_ in _documents(held, f"reranker.{each}")}
        for each in ("input", "output")
    )
    candidates: dict[str, Candidate] = {}
    for inside in (False, True):
        for span_id, documents in found.items():
            if inside is not _is_inside(span_id, parents, found):
                continue
            for key, rank, score in documents:
                left_out = key in offered and key not in given_back
                one = Candidate(key, None if inside else rank, score, left_out)
                candidates.setdefault(key, one)
    return list(candidates.values())


def _is_inside(
    span_id: bytes, parents: Mapping[bytes, bytes], found: Mapping[bytes, list[Any]]
) -> bool:
    """Whether a span is inside another that has documents."""
    above = parents.get(span_id)
    for _ in range(len(parents)):
        if above is None or found.get(above):
            break
        above = parents.get(above)
    return above is not None and bool(found.get(above))


def _requests(data: bytes) -> Iterator[ExportTraceServiceRequest]:
    if data[:1] == b"\x0a" and data[1:2] >= b"\x80":
        yield ExportTraceServiceRequest.FromString(data)
        return
    text = data.decode("utf-8-sig")
    try:
        bodies = [json.loads(text)]
    except ValueError:
        bodies = [json.loads(line) for line in text.split("\n") if line.strip()]
    for body in bodies:
        request = ExportTraceServiceRequest()
        try:
            json_format.ParseDict(body, request, ignore_unknown_fields=True)
        except json_format.ParseError as error:
            message = "not OTLP/JSON as the mapping of its protobuf has it"
            raise TracesUnreadable(message) from error
        yield request


def _attributes(span: Span) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, kind)
        for each in span.attributes
        if (kind := each.value.WhichOneof("value")) is not None
    }


def _documents(attributes: Mapping[str, Any], prefix: str) -> list[tuple[str, int, float | None]]:
    """Key, place from 1 and score of each document in a flattened list."""
    opening = f"{prefix}.documents." if prefix == "retrieval" else f"{prefix}_documents."
    found: list[tuple[str, int, float | None]] = []
    places = {name[len(opening) :].split(".")[0] for name in attributes if name.startswith(opening)}
    for place in sorted(map(int, filter(str.isdecimal, places)))[:_MOST]:
        row = f"{opening}{place}.document"
        metadata = _metadata(attributes.get(f"{row}.metadata"))
        span = [str(metadata.get(name, "")) for name in ("source_id", "start", "end")]
        key = attributes.get(f"{row}.id", metadata.get("chunk_id", "-".join(filter(None, span))))
        if key in ("", None):
            content = attributes.get(f"{row}.content", "")
            key = f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"
        found.append((str(key), place + 1, attributes.get(f"{row}.score")))
    return found


def _metadata(told: Any) -> dict[str, Any]:
    """Metadata in JSON; empty where it is none, as that of some frameworks."""
    try:
        value = json.loads(told)
    except (TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
