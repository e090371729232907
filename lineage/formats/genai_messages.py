"""Messages of the GenAI conventions, in all forms met: role and words, nothing else.

Current: `[{role, parts: [{type: "text", content}]}]`, structured or as a JSON string. Older:
`[{role, content}]`, a plain string, a list flattened as `….0.role`, one span event a message.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.formats.otlp import Event, Span
from lineage.formats.otlp_values import indexed, json_in
from lineage.types import JsonValue

_DEPTH: Final = 8
# Of flattened lists; a place beyond it is taken for none.
_LONGEST_LIST: Final = 10_000
# Parts that hold no words for the other side: what the model thought, asked tools for, or saw.
_WORDLESS: Final = frozenset(
    {"reasoning", "thinking", "tool_call", "tool_use", "server_tool_call", "function_call"}
    | {"blob", "file", "uri", "image", "image_url", "input_image", "audio", "compaction"}
)
# Where a part or message keeps its words, in the order tried.
_WORDS: Final = ("content", "text", "output_text", "input_text", "response", "result", "output",
                 "server_tool_call_response")  # fmt: skip
_ROLE_OF_EVENT: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
DETAILS: Final = "gen_ai.client.inference.operation.details"


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said, words only; `text` may be empty (a message of tool calls alone)."""

    role: str
    text: str


def input_messages(span: Span) -> list[Message]:
    """What the model was given, system instructions first."""
    for attributes in _places(span):
        given = list(messages(structure(attributes, "gen_ai.input.messages"), "user"))
        instructions = structure(attributes, "gen_ai.system_instructions")
        if given or instructions:
            words = _words(instructions, "system")
            return [*([Message("system", words)] if words else []), *given]
    sent = [
        message
        for event in span.events
        if event.name in _ROLE_OF_EVENT
        for message in _of_event(event, _ROLE_OF_EVENT[event.name])
    ]
    return sent or _older(span, "gen_ai.prompt", "gen_ai.content.prompt", "user")


def output_messages(span: Span) -> list[Message]:
    """What the model gave, a message a choice."""
    for attributes in _places(span):
        given = list(messages(structure(attributes, "gen_ai.output.messages"), "assistant"))
        if given:
            return given
    chosen = [
        message
        for event in span.events
        if event.name == "gen_ai.choice"
        for message in _of_event(event, "assistant")
    ]
    return chosen or _older(span, "gen_ai.completion", "gen_ai.content.completion", "assistant")


def messages(value: JsonValue, role: str) -> Iterator[Message]:
    """The messages in a value; `role` is that of those that state none."""
    if isinstance(value, str):
        if value.strip():
            yield Message(role, value)
    elif isinstance(value, dict):
        inner = value.get("messages")
        if isinstance(inner, list):
            yield from messages(inner, role)
        elif "role" in value or any(name in value for name in ("parts", "message", *_WORDS)):
            stated = value.get("role")
            if isinstance(stated, str):
                role = stated
            elif "output" in value or "response" in value:
                role = "tool"  # what a tool gave back, in the list of what the model was given
            if isinstance(value.get("message"), dict):  # a choice
                yield from messages(value["message"], role)
            else:
                yield Message(role, _words(value.get("parts", value), role))
    elif isinstance(value, list):
        for item in value:
            yield from messages(item, role)


def structure(attributes: Mapping[str, JsonValue], key: str) -> JsonValue:
    """An attribute as structure: sent so, as JSON in a string, or flattened (`key.0.name`).

    A string that is no JSON object or list is given as it is.
    """
    value = attributes.get(key)
    if value is None:
        return _listed(indexed(attributes, key)) or None
    return opened(value)


def opened(value: JsonValue) -> JsonValue:
    """The structure that a string holds as JSON; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    inner = json_in(value)
    return value if inner is None else inner


def _listed(rows: list[tuple[int, dict[str, JsonValue]]]) -> list[JsonValue]:
    """A flattened list, null where a place of it is missing: SDKs drop attributes beyond their limit.

    The places are ranks and positions, so that the others must keep theirs.
    """
    if not rows or rows[-1][0] >= _LONGEST_LIST:
        return [_row(fields) for _, fields in rows]
    found: list[JsonValue] = [None] * (rows[-1][0] + 1)
    for place, fields in rows:
        found[place] = _row(fields)
    return found


def _row(fields: Mapping[str, JsonValue]) -> JsonValue:
    """A flattened row; what is nested more deeply keeps its dotted names."""
    return fields[""] if set(fields) == {""} else dict(fields)


def _places(span: Span) -> Iterator[Mapping[str, JsonValue]]:
    """Where messages may stand: on the span, or on its event that has the details."""
    yield span.whole
    for event in span.events:
        if event.name == DETAILS:
            yield event.attributes


def _of_event(event: Event, role: str) -> Iterator[Message]:
    """The message of a span event: in its content or message, or all of it as JSON in a body."""
    for name in ("gen_ai.event.content", "body", "event.body", "message", "content"):
        value = structure(event.attributes, name)
        if value is not None:
            yield from messages(value, role)
            return
    words = event.attributes.get("message.content")
    if isinstance(words, str):
        yield Message(role, words)


def _older(span: Span, attribute: str, event_name: str, role: str) -> list[Message]:
    found = list(messages(structure(span.whole, attribute), role))
    for event in span.events:
        if not found and event.name == event_name:
            found = list(messages(structure(event.attributes, attribute), role))
    return found


def _words(value: JsonValue, role: str) -> str:
    """All words in a message or its parts; a model's follow each other, what it was given are lines."""
    return ("" if role == "assistant" else "\n").join(_parts(value, _DEPTH))


def _parts(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, dict) and depth:
        kind = value.get("type")
        if isinstance(kind, str) and kind in _WORDLESS:
            return
        found = [value[name] for name in _WORDS if value.get(name) is not None]
        if found:
            yield from _parts(found[0], depth - 1)
        elif "role" not in value and "type" not in value:
            yield json.dumps(value, ensure_ascii=False, sort_keys=True)
    elif isinstance(value, Iterable) and depth:
        for item in value:
            yield from _parts(item, depth - 1)
