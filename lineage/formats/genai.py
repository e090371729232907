"""GenAI spans of OpenTelemetry in the words of OpenInference, so that one code reads both.

Source: semantic-conventions 1.41.0 and semantic-conventions-genai (all "Development"); older
names as they are still sent (`gen_ai.system`, `gen_ai.usage.prompt_tokens`, `gen_ai.prompt`,
one event a message). What a span says in OpenInference's own words wins.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from lineage.formats.genai_messages import Message, input_messages, output_messages, structure
from lineage.formats.otlp import Span
from lineage.types import JsonValue

_KINDS: Final = {
    "chat": "LLM", "text_completion": "LLM", "generate_content": "LLM", "completion": "LLM",
    "embeddings": "EMBEDDING", "embedding": "EMBEDDING",
    "retrieval": "RETRIEVER", "rerank": "RERANKER",
    "execute_tool": "TOOL", "invoke_agent": "AGENT", "create_agent": "AGENT",
    "invoke_workflow": "CHAIN",
}  # fmt: skip
_PARAMETERS: Final = (
    "temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty",
    "presence_penalty", "stop_sequences", "choice.count", "stream", "encoding_formats",
)  # fmt: skip
_TOKENS: Final = {
    "llm.token_count.prompt": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "llm.token_count.completion": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    "llm.token_count.total": ("llm.usage.total_tokens", "gen_ai.usage.total_tokens"),
}  # fmt: skip
# What a row of gen_ai.retrieval.documents may say; beyond id and score these are ours.
_DOCUMENT: Final = (
    "id", "score", "content", "metadata", "digest", "collection", "kept", "drop_reason",
    "score_kind",
)  # fmt: skip
_ANSWERING: Final = ("gen_ai.completion", "gen_ai.usage.completion_tokens", "gen_ai.output.messages",
                     "gen_ai.usage.output_tokens")  # fmt: skip


def genai_told(span: Span) -> dict[str, JsonValue]:
    """What the span's `gen_ai.*` attributes and events say, as OpenInference attributes."""
    whole = span.whole
    if not _speaks(span):
        return {}
    told: dict[str, JsonValue] = {"openinference.span.kind": _kind(whole)}
    told |= dict(spelled("llm.input_messages", input_messages(span)))
    told |= dict(spelled("llm.output_messages", output_messages(span)))
    told |= documents("retrieval.documents", structure(whole, "gen_ai.retrieval.documents"))
    told["session.id"] = whole.get("gen_ai.conversation.id")
    if told["openinference.span.kind"] == "EMBEDDING":
        asked = whole.get("gen_ai.request.model")
        told["embedding.model_name"] = whole.get("gen_ai.response.model") or asked
    told["prompt.id"] = whole.get("gen_ai.prompt.name")
    told["llm.prompt_template.version"] = whole.get("gen_ai.prompt.version")
    told["llm.invocation_parameters"] = _parameters(whole)
    for name, keys in _TOKENS.items():
        told[name] = next((whole[key] for key in keys if type(whole.get(key)) is int), None)
    return {name: value for name, value in told.items() if value is not None}


def spelled(prefix: str, messages: Sequence[Message]) -> Iterator[tuple[str, JsonValue]]:
    """Messages flattened as OpenInference has them."""
    for index, message in enumerate(messages):
        yield f"{prefix}.{index}.message.role", message.role
        yield f"{prefix}.{index}.message.content", message.text


def documents(prefix: str, rows: JsonValue) -> dict[str, JsonValue]:
    """Rows `{id, score, …}` flattened as OpenInference's documents."""
    found: dict[str, JsonValue] = {}
    for index, row in enumerate(rows if isinstance(rows, list) else ()):
        if not isinstance(row, dict):
            continue
        for name in _DOCUMENT:
            value = row.get(name)
            if isinstance(value, dict):
                value = json.dumps(value, ensure_ascii=False, sort_keys=True)
            if value is not None and not isinstance(value, list):
                found[f"{prefix}.{index}.document.{name}"] = value
    return found


def _speaks(span: Span) -> bool:
    if any(key.startswith(("gen_ai.", "llm.request.type")) for key in span.whole):
        return True
    return any(event.name.startswith("gen_ai.") for event in span.events)


def _kind(whole: Mapping[str, JsonValue]) -> JsonValue:
    operation = whole.get("gen_ai.operation.name") or whole.get("llm.request.type")
    if isinstance(operation, str):
        return _KINDS.get(operation.lower())
    if any(key.startswith("gen_ai.retrieval.documents") for key in whole):
        return "RETRIEVER"
    # Before the operation had a name, what used tokens to answer was a call of a model.
    return "LLM" if any(key.startswith(_ANSWERING) for key in whole) else None


def _parameters(whole: Mapping[str, JsonValue]) -> JsonValue:
    stated = {
        name: whole[f"gen_ai.request.{name}"]
        for name in _PARAMETERS
        if f"gen_ai.request.{name}" in whole
    }
    return json.dumps(stated, sort_keys=True) if stated else None
