"""Attribute values of OTLP as plain JSON: of its JSON mapping, and flattened to dotted keys.

Source: opentelemetry-proto 1.11.0, `AnyValue`. Nothing here raises: a value of an unknown type
or nested too deeply counts as not said.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from lineage.formats.body import integer_of
from lineage.types import JsonValue

DEPTH: Final = 32  # of arrays and maps in one attribute
_INT64: Final = re.compile(r"-?[0-9]{1,19}")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_NOT_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def attributes_of(pairs: JsonValue) -> dict[str, JsonValue]:
    """A list of KeyValue as a mapping; of a key that stands twice the last value."""
    found: dict[str, JsonValue] = {}
    for _, pair in items(pairs):
        key, value = member(pair, "key"), _value(member(pair, "value"), DEPTH)
        if isinstance(key, str) and value is not None:
            found[key] = value
    return found


def flattened(attributes: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Maps, and lists of maps, spelled out as dotted keys ("documents.0.id")."""
    flat: dict[str, JsonValue] = {}
    for key, value in attributes.items():
        if isinstance(value, dict | list):
            flat.update(_flatten(key, value))
        else:
            flat[key] = value
    return flat


def indexed(
    attributes: Mapping[str, JsonValue], prefix: str
) -> list[tuple[int, dict[str, JsonValue]]]:
    """The members of a flattened list in numeric order, each with its own attributes.

    `indexed(a, "retrieval.documents")` turns "retrieval.documents.10.document.id" into
    (10, {"document.id": …}). Gaps stay gaps; keys whose index is no plain number are left out.
    """
    found: dict[int, dict[str, JsonValue]] = {}
    opening = f"{prefix}."
    start = len(opening)
    for key, value in attributes.items():
        if not key.startswith(opening):
            continue
        index, _, rest = key[start:].partition(".")
        if _INDEX.fullmatch(index):
            found.setdefault(int(index), {})[rest] = value
    return sorted(found.items())


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
                return integer(value)
            case "doubleValue":
                return _double(value)
            case "arrayValue":
                return [_value(item, depth - 1) for _, item in items(member(value, "values"))]
            case "kvlistValue":
                pairs = [pair for _, pair in items(member(value, "values"))]
                return {
                    pair["key"]: _value(pair.get("value"), depth - 1)
                    for pair in pairs
                    if isinstance(pair, dict) and isinstance(pair.get("key"), str)
                }
    return None


def json_in(text: str) -> JsonValue:
    """The value that a string holds as JSON; None for what is no JSON, or nested too deeply."""
    try:
        value: JsonValue = json.loads(text, parse_int=integer_of)
    except (ValueError, RecursionError):
        return None
    return value if within(value, DEPTH) else None


def within(value: JsonValue, depth: int) -> bool:
    """Whether arrays and objects are nested no more than so deeply."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(within(item, depth - 1) for item in inner)


def integer(value: JsonValue) -> int | None:
    """A 64-bit integer, as a number or as the decimal string of the JSON mapping."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and _INT64.fullmatch(value) else None


def _double(value: JsonValue) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return _NOT_FINITE.get(value) if isinstance(value, str) else None


def member(value: JsonValue, name: str) -> JsonValue:
    """A member of an object; None where there is none, or no object."""
    return value.get(name) if isinstance(value, dict) else None


def items(value: JsonValue) -> Iterator[tuple[int, JsonValue]]:
    """The items of a list with their places; none where it is no list."""
    return enumerate(value if isinstance(value, list) else ())
