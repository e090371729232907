"""Spans of every dialect in one vocabulary, that of OpenInference, so that one code reads them all.

Where several dialects stand on one span: `rag.*` wins, then OpenInference, then GenAI, then what
Langfuse's and Vercel's SDKs write. Of a list (documents, messages) all members come from one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from lineage.formats.genai import documents, genai_told, spelled
from lineage.formats.genai_messages import messages, structure
from lineage.formats.otlp import Span
from lineage.formats.otlp_rag import rag_told
from lineage.formats.otlp_values import json_in
from lineage.types import JsonValue

_LISTS: Final = (
    "retrieval.documents.", "reranker.input_documents.", "reranker.output_documents.",
    "llm.input_messages.", "llm.output_messages.",
)  # fmt: skip
LANGFUSE_KINDS: Final = {
    "generation": "LLM", "embedding": "EMBEDDING", "retriever": "RETRIEVER", "tool": "TOOL",
    "agent": "AGENT", "chain": "CHAIN", "evaluator": "EVALUATOR", "guardrail": "GUARDRAIL",
}  # fmt: skip
_LANGFUSE: Final = {
    "langfuse.observation.input": "input.value",
    "langfuse.observation.output": "output.value",
    "langfuse.observation.model.name": "llm.model_name",
    "langfuse.observation.model.parameters": "llm.invocation_parameters",
    "langfuse.observation.prompt.name": "prompt.id",
    "langfuse.session.id": "session.id",
    "langfuse.user.id": "user.id",
}
# Operations of the AI SDK that call a model; those around them only pass its words on.
_AI_CALLS: Final = (".doGenerate", ".doStream")


def in_one_vocabulary(span: Span) -> Span:
    """The span with what all its dialects say under OpenInference's names."""
    merged: dict[str, JsonValue] = {}
    dialects = (rag_told(span), span.attributes, genai_told(span), _langfuse(span), _ai_sdk(span))
    if not any(dialect for dialect in dialects if dialect is not span.attributes):
        return span
    for dialect in dialects:
        taken = tuple(name for name in _LISTS if any(key.startswith(name) for key in merged))
        for key, value in dialect.items():
            if value is not None and not (taken and key.startswith(taken)):
                merged.setdefault(key, value)
    return replace(span, attributes=merged)


def _langfuse(span: Span) -> dict[str, JsonValue]:
    """The attributes of Langfuse's own SDKs."""
    whole = span.whole
    if not any(key.startswith("langfuse.") for key in whole):
        return {}
    kind = whole.get("langfuse.observation.type")
    told = {theirs: whole[ours] for ours, theirs in _LANGFUSE.items() if ours in whole}
    if isinstance(kind, str) and kind.lower() in LANGFUSE_KINDS:
        told["openinference.span.kind"] = LANGFUSE_KINDS[kind.lower()]
    if "langfuse.trace.input" in whole:
        told.setdefault("input.value", whole["langfuse.trace.input"])
    return told | dict(
        observed(
            told.get("openinference.span.kind"), told.get("input.value"), told.get("output.value")
        )
    )


def observed(kind: JsonValue, given: JsonValue, gave: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """What an observation's input and output say beyond their words: messages, documents.

    Both are JSON in strings, at times twice.
    """
    given, gave = unwrapped(given), unwrapped(gave)
    if kind == "RETRIEVER":
        yield from documents("retrieval.documents", documents_in(gave)).items()
    if kind == "LLM":
        if isinstance(given, dict | list):
            yield from spelled("llm.input_messages", list(messages(given, "user")))
        if isinstance(gave, dict | list):
            yield "output.mime_type", "application/json"


def unwrapped(value: JsonValue) -> JsonValue:
    """The structure in a string, also where it was written as JSON twice; else the value itself."""
    for _ in range(2):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            return value
        inner = json_in(value)
        if inner is None:
            return value
        value = inner
    return value


def documents_in(value: JsonValue) -> list[JsonValue]:
    """Documents as frameworks write them: `{id, page_content|text|content, metadata, score}`."""
    if isinstance(value, dict):
        value = value.get("documents") or value.get("nodes") or value.get("matches")
    found: list[JsonValue] = []
    for item in value if isinstance(value, list) else ():
        row = item.get("node", item) if isinstance(item, dict) else None
        if isinstance(row, dict):
            words = (row.get(name) for name in ("content", "page_content", "text"))
            content = next((each for each in words if isinstance(each, str)), None)
            told = {"id": row.get("id") or row.get("id_"), "content": content}
            told |= {"metadata": row.get("metadata"), "score": item.get("score", row.get("score"))}
            found.append(told)
    return found


def _ai_sdk(span: Span) -> dict[str, JsonValue]:
    """The attributes of Vercel's AI SDK on the spans that call a model."""
    whole = span.whole
    operation = whole.get("ai.operationId")
    if not isinstance(operation, str):
        return {}
    if not operation.endswith(_AI_CALLS):
        return {"openinference.span.kind": "CHAIN", "input.value": _asked(whole)}
    told: dict[str, JsonValue] = {"openinference.span.kind": "LLM"}
    told |= dict(
        spelled(
            "llm.input_messages", list(messages(structure(whole, "ai.prompt.messages"), "user"))
        )
    )
    told["output.value"] = whole.get("ai.response.text")
    told["llm.model_name"] = whole.get("ai.response.model") or whole.get("ai.model.id")
    told["llm.provider"] = whole.get("ai.model.provider")
    return told


def _asked(whole: Mapping[str, JsonValue]) -> JsonValue:
    prompt = unwrapped(whole.get("ai.prompt"))
    return prompt.get("prompt") if isinstance(prompt, dict) else prompt
