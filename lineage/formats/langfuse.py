"""Traces as Langfuse exports them: `{"trace": {…}, "observations": […]}`, to native records.

An observation is a span. Input and output are JSON inside strings, at times twice; what an
instrumentation told Langfuse in the first place lies in `metadata.attributes`.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from lineage.formats.openinference import records_of
from lineage.formats.openinference_spans import shortened
from lineage.formats.otlp import Span
from lineage.formats.otlp_dialects import LANGFUSE_KINDS, observed, unwrapped
from lineage.formats.otlp_values import flattened, member, within
from lineage.formats.times import read_instant
from lineage.types import JsonValue

# Members of modelParameters that are words to the model, not parameters.
_WORDS: Final = frozenset({"instructions", "prompt", "messages", "input", "tools"})
_DEPTH: Final = 64  # of arrays and objects in an export
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_USAGE: Final = {
    "llm.token_count.prompt": "input",
    "llm.token_count.completion": "output",
    "llm.token_count.total": "total",
}


class NotAnExport(Exception):
    """The document is no trace as Langfuse exports them; the text says what it lacks."""


def to_records(document: JsonValue, *, snapshot_namespace: str | None = None) -> list[JsonValue]:
    """The native records of an exported trace, or of a list of them.

    Raises NotAnExport.
    """
    spans = [span for export in _exports(document) for span in _spans(export)]
    return records_of(spans, snapshot_namespace=snapshot_namespace)


def _exports(document: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    if not within(document, _DEPTH):
        message = "nested too deeply to be read"
        raise NotAnExport(message)
    for export in document if isinstance(document, list) else [document]:
        trace = member(export, "trace")
        trace = trace if isinstance(trace, dict) else export
        observations = member(export, "observations")
        if observations is None:
            observations = member(trace, "observations")
        if not isinstance(trace, dict) or not isinstance(observations, list):
            message = "not a trace with its observations, as Langfuse exports them"
            raise NotAnExport(message)
        if not isinstance(trace.get("id"), str) or not trace["id"]:
            message = "the trace has no id"
            raise NotAnExport(message)
        yield {"trace": trace, "observations": observations}


def _spans(export: Mapping[str, JsonValue]) -> Iterator[Span]:
    trace: Mapping[str, JsonValue] = export["trace"]
    for raw in export["observations"]:
        if isinstance(raw, dict) and isinstance(raw.get("id"), str) and raw["id"]:
            yield _span(trace, raw)


def _span(trace: Mapping[str, JsonValue], raw: Mapping[str, JsonValue]) -> Span:
    metadata = unwrapped(raw.get("metadata"))
    told = unwrapped(member(metadata, "attributes"))
    whole: dict[str, JsonValue] = dict(told) if isinstance(told, dict) else {}
    scope = member(metadata, "scope")
    parent = raw.get("parentObservationId")
    attributes = {k: v for k, v in _attributes(trace, raw, metadata).items() if v is not None}
    resource = unwrapped(member(metadata, "resourceAttributes"))
    return Span(
        trace_id=shortened(trace["id"]),
        span_id=shortened(raw["id"]),
        parent_id=shortened(parent) if isinstance(parent, str) and parent else None,
        name=_text(raw, "name"),
        start=_nanoseconds(raw.get("startTime")),
        end=_nanoseconds(raw.get("endTime")),
        failed=raw.get("level") == "ERROR",
        attributes=flattened(whole) | attributes,
        resource=flattened(resource) if isinstance(resource, dict) else {},
        scope_name=_text(scope, "name"),
        scope_version=_text(scope, "version"),
        whole=whole,
    )


def _attributes(
    trace: Mapping[str, JsonValue], raw: Mapping[str, JsonValue], metadata: JsonValue
) -> dict[str, JsonValue]:
    """The observation in OpenInference's words."""
    outermost = not raw.get("parentObservationId")
    whole = unwrapped(member(metadata, "attributes"))
    kind = _kind(raw, whole)
    given, gave = raw.get("input"), raw.get("output")
    if outermost and given is None:
        given = trace.get("input")
    told: dict[str, JsonValue] = {"openinference.span.kind": kind}
    told |= dict(_value("input", given)) | dict(_value("output", gave))
    told |= dict(observed(kind, given, gave))
    told["llm.model_name"] = raw.get("model")
    told["llm.provider"] = member(metadata, "ls_provider")
    parameters = unwrapped(raw.get("modelParameters"))
    if isinstance(parameters, dict):
        stated = {
            name: value
            for name, value in parameters.items()
            if value not in (None, "") and name not in _WORDS
        }
        told["llm.invocation_parameters"] = json.dumps(stated, sort_keys=True) if stated else None
    for name, ours in _USAGE.items():
        count = member(raw.get("usageDetails"), ours)
        told[name] = count if type(count) is int and count else None
    told["prompt.id"] = raw.get("promptName")
    version = raw.get("promptVersion")
    told["llm.prompt_template.version"] = None if version is None else str(version)
    if outermost:
        told |= {"session.id": trace.get("sessionId"), "user.id": trace.get("userId")}
    return told | dict(_scores(trace, raw["id"], outermost=outermost))


def _kind(raw: Mapping[str, JsonValue], whole: JsonValue) -> JsonValue:
    """What an instrumentation said, else Langfuse's type of the observation."""
    if member(whole, "openinference.span.kind") or member(whole, "ai.operationId"):
        return member(whole, "openinference.span.kind")
    return LANGFUSE_KINDS.get(_text(raw, "type").lower(), "CHAIN")


def _value(name: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """An input or output as OpenInference has it: words, or JSON marked as such."""
    value = unwrapped(value)
    if isinstance(value, dict | list):
        yield f"{name}.value", json.dumps(value, ensure_ascii=False)
        yield f"{name}.mime_type", "application/json"
    elif isinstance(value, str) and value:
        yield f"{name}.value", value


def _scores(
    trace: Mapping[str, JsonValue], span_id: str, *, outermost: bool
) -> Iterator[tuple[str, JsonValue]]:
    """The trace's scores, on the observation that they name, else on the outermost."""
    scores = unwrapped(trace.get("scores"))
    for index, score in enumerate(scores if isinstance(scores, list) else ()):
        named = member(score, "observationId")
        if isinstance(score, dict) and (named == span_id if named else outermost):
            place = f"evaluations.{index}.evaluation"
            yield f"{place}.name", score.get("name")
            yield f"{place}.score", score.get("value")
            yield f"{place}.label", score.get("stringValue")


def _nanoseconds(value: JsonValue) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        at = read_instant(value).at
    except ValueError:
        return None
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1_000


def _text(value: JsonValue, name: str) -> str:
    found = member(value, name)
    return found if isinstance(found, str) else ""
