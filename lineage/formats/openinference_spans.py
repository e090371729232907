"""What single OpenInference spans say: their kind, output, question, prompts.

Attribute names: OpenInference semantic conventions (openinference-semantic-conventions
0.1.42). Senders may blank content (`OPENINFERENCE_HIDE_*`): "__REDACTED__" then stands in its
place, and counts as not said. Wrong types count as not said too.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Final

from lineage.formats.otlp import Span, indexed
from lineage.formats.otlp_values import json_in, within
from lineage.formats.storable import is_storable
from lineage.types import JsonValue
from lineage.vocabulary import UNSTATED

REDACTED: Final = "__REDACTED__"
# Where a retriever or reranker has its query.
QUERIES: Final = ("input.value", "reranker.query", "gen_ai.retrieval.query.text")
_DEPTH: Final = 8  # of the JSON that frameworks put into input.value and output.value
_NAME_LENGTH: Final = 500
_METHOD: Final = re.compile(r"(\S+?)\.[A-Za-z_]\w*")
# Where frameworks keep the words of an answer in a JSON output.value, in the order tried.
_OUTPUT_NAMES: Final = (
    "replies", "generations", "choices", "text", "content", "message", "messages", "kwargs",
    "response", "answer", "output",
)  # fmt: skip
_QUESTION_NAMES: Final = ("question", "query_str", "query", "user_input", "input")


def kind_of(span: Span) -> str:
    """The span's OpenInference kind in capitals, empty if it has none."""
    kind = span.attributes.get("openinference.span.kind")
    return kind.upper() if isinstance(kind, str) else ""


def said(attributes: Mapping[str, JsonValue], *keys: str) -> str | None:
    """The first of the attributes that holds words: a string, neither empty nor redacted."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value.strip() and value != REDACTED:
            return value
    return None


def parsed(text: str | None) -> JsonValue:
    """A JSON attribute as its value; None for what is no JSON."""
    return json_in(text) if text else None


def small(value: JsonValue) -> JsonValue:
    """The value, or None where it is empty or nested more deeply than a record's field may be."""
    return value if value and within(value, _DEPTH) else None


def shortened(name: str) -> str:
    """A name or key as it is, unless no key can be so: too long, or with NUL or lone surrogates.

    Then what can be kept of its start, and its digest.
    """
    if len(name) <= _NAME_LENGTH and is_storable(name):
        return name
    start = "".join(each if is_storable(each) else "\ufffd" for each in name[:200])
    return f"{start}…{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def class_of(span: Span) -> str:
    """The class in a span's name: "InMemoryBM25Retriever.run" is of InMemoryBM25Retriever.

    A span may state its component (`rag.component.name`); the names of GenAI spans are an
    operation and what it was done to, which is no component's name.
    """
    stated = said(span.attributes, "rag.component.name")
    if stated is not None:
        return shortened(stated.strip())
    operation = said(span.attributes, "gen_ai.operation.name")
    if operation is not None and span.name.startswith(f"{operation} "):
        return shortened(operation)
    match = _METHOD.fullmatch(span.name)
    return shortened((match.group(1) if match else span.name).strip()) or UNSTATED


def is_prompt_builder(span: Span) -> bool:
    """Whether the span only fills a template. Haystack's PromptBuilder reports itself as LLM."""
    if kind_of(span) == "PROMPT":
        return True
    if kind_of(span) != "LLM" or "llm.prompt_template.template" not in span.attributes:
        return False
    of_a_model = ("llm.model_name", "llm.output_messages.", "llm.token_count.", "llm.provider",
                  "llm.invocation_parameters", "llm.system", "llm.input_messages.")  # fmt: skip
    return not any(key.startswith(of_a_model) for key in span.attributes)


def output_of(span: Span) -> str | None:
    """The words that a model gave; REDACTED where they were blanked; None if there are none."""
    hidden = False
    for _, message in indexed(span.attributes, "llm.output_messages"):
        text = _message_text(message)
        if text == REDACTED:
            hidden = True
        elif text and text.strip():
            return text
    value = span.attributes.get("output.value")
    if value == REDACTED or hidden:
        return REDACTED
    text = said(span.attributes, "output.value")
    if text is None or span.attributes.get("output.mime_type") != "application/json":
        return text
    tree = parsed(text)
    if tree is None:
        return text
    return _words_in(tree, _DEPTH)


def _words_in(value: JsonValue, depth: int) -> str | None:
    if isinstance(value, str):
        return value if value.strip() else None
    if depth and isinstance(value, list):
        return next((text for item in value if (text := _words_in(item, depth - 1))), None)
    if depth and isinstance(value, dict):
        found = (_words_in(value.get(name), depth - 1) for name in _OUTPUT_NAMES)
        return next((text for text in found if text), None)
    return None


def _message_text(message: Mapping[str, JsonValue]) -> str | None:
    """The words of a flattened message: its content, else its text parts one after another."""
    content = message.get("message.content")
    if isinstance(content, str):
        return content
    parts = [part.get("message_content.text") for _, part in indexed(message, "message.contents")]
    words = [part for part in parts if isinstance(part, str)]
    return "".join(words) if words else None


def prompts_of(span: Span) -> Iterator[str]:
    """The texts that a model span was given, the most literal first."""
    messages = [
        _message_text(message) for _, message in indexed(span.attributes, "llm.input_messages")
    ]
    shown = [text for text in messages if text and text != REDACTED]
    if shown:
        yield "\n".join(shown)
    variables = said(span.attributes, "llm.prompt_template.variables")
    if variables:
        yield "\n".join(_strings(parsed(variables), _DEPTH)) or variables
    given = said(span.attributes, "input.value")
    if given:
        yield "\n".join(_strings(parsed(given), _DEPTH)) or given


def words_of_user(span: Span) -> str | None:
    """The last message that the user wrote to the model; None where there is none."""
    for _, message in reversed(indexed(span.attributes, "llm.input_messages")):
        text = _message_text(message)
        if message.get("message.role") in ("user", "human") and text and text.strip():
            return None if text == REDACTED else text
    return None


def _strings(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item, depth - 1)


def question_in(text: str | None) -> str | None:
    """The question in an input.value: the text itself, or under a usual name in its JSON."""
    if text is None:
        return None
    tree = parsed(text)
    return _named_question(tree, _DEPTH) if isinstance(tree, dict | list) else text


def _named_question(value: JsonValue, depth: int) -> str | None:
    if isinstance(value, dict):
        for name in _QUESTION_NAMES:
            text = value.get(name)
            if isinstance(text, str) and text.strip() and text != REDACTED:
                return text
    if depth and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            found = _named_question(item, depth - 1)
            if found:
                return found
    return None
