"""Free JSON made storable: what no database can keep is replaced and told."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from lineage.types import JsonValue

# PostgreSQL keeps neither U+0000 nor lone surrogates, and JSON knows no NaN. Every other control or
# bidirectional character stays as sent.
_NOT_STORABLE: Final = re.compile("[\x00\ud800-\udfff]")
NUL_SIGN: Final = "\u2400"
REPLACEMENT: Final = "\ufffd"

Warn = Callable[[str, str, str], None]  # code, pointer, detail


def is_storable(text: str) -> bool:
    """Whether a database can keep `text` exactly."""
    return _NOT_STORABLE.search(text) is None


def storable_string(text: str, pointer: str, warn: Warn) -> str:
    """`text`, with NUL shown as ␀ and lone surrogates as U+FFFD (warning `character_replaced`)."""
    if is_storable(text):
        return text
    warn("character_replaced", pointer, "NUL characters and lone surrogates cannot be kept here.")
    return _NOT_STORABLE.sub(lambda m: NUL_SIGN if m.group() == "\x00" else REPLACEMENT, text)


def storable_json(value: JsonValue, pointer: str, warn: Warn) -> JsonValue:
    """`value` with storable strings, and null for numbers that JSON cannot write."""
    if isinstance(value, str):
        return storable_string(value, pointer, warn)
    if isinstance(value, float) and not math.isfinite(value):
        warn("number_not_finite", pointer, "Not a finite number: kept as null.")
        return None
    if isinstance(value, list):
        return [storable_json(item, f"{pointer}/{i}", warn) for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            storable_string(name, pointer, warn): storable_json(item, member(pointer, name), warn)
            for name, item in value.items()
        }
    return value


# How canonical JSON (lineage.formats.canonical) writes NUL, surrogates and numbers that are not finite;
# pairs of surrogates and words that look like one are written so, too.
_DOUBTFUL: Final = re.compile(rb"\\u0000|\\ud|NaN|Infinity")


def as_stored(
    value: Mapping[str, JsonValue], pointer: str, warn: Warn, canonical: bytes
) -> dict[str, JsonValue]:
    """A part of the record that `canonical` is the canonical JSON of, as `storable_json` makes it.

    To look through the whole record at once takes a hundredth of the time of going through it.
    """
    if value and _DOUBTFUL.search(canonical):
        stored: dict[str, JsonValue] = storable_json(value, pointer, warn)
        return stored
    return dict(value)


def member(pointer: str, name: str) -> str:
    """The JSON pointer (RFC 6901) of a member of what `pointer` names."""
    if "~" in name or "/" in name:
        name = name.replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{name}"
