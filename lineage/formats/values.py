"""Single values of records: checked, normalised, or refused with a pointer."""

import math
import re
from collections.abc import Mapping
from typing import Final

from lineage.formats.holds import UNITS, WITHIN, Holds, Shape
from lineage.formats.refusals import RecordRefused
from lineage.formats.storable import Warn, is_storable, member
from lineage.types import Interval, JsonValue

KEY_LENGTH: Final = 2_000
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_CODE: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_INT64: Final = 1 << 63
_INTERVAL_MEMBERS: Final = frozenset({"start", "end", "unit", "in"})


def key_string(value: JsonValue, pointer: str, *, empty: bool = True) -> str:
    """A key or namespace, kept exactly: at most 2,000 characters that a database can keep."""
    text = string(value, pointer)
    if not text and not empty:
        raise RecordRefused("key-missing", "The key is empty.", pointer)
    if len(text) > KEY_LENGTH:
        raise RecordRefused("key-too-long", f"{len(text):,} characters.", pointer)
    if not is_storable(text):
        raise RecordRefused(
            "characters-not-storable", "NUL or a lone surrogate: a key is kept exactly.", pointer
        )
    return text


def read_digest(value: JsonValue, pointer: str) -> str:
    """`sha256:HEX`, in lower case."""
    text = string(value, pointer).lower()
    if not _DIGEST.fullmatch(text):
        raise RecordRefused("value-not-allowed", "A digest is sha256: and 64 hex digits.", pointer)
    return text


def string(value: JsonValue, pointer: str) -> str:
    """A string as sent."""
    if not isinstance(value, str):
        raise RecordRefused("wrong-type", "To be a string.", pointer)
    return value


def json_list(value: JsonValue, pointer: str) -> list[JsonValue]:
    """A list."""
    if not isinstance(value, list):
        raise RecordRefused("wrong-type", "To be a list.", pointer)
    return value


def json_object(value: JsonValue, pointer: str) -> dict[str, JsonValue]:
    """An object."""
    if not isinstance(value, dict):
        raise RecordRefused("wrong-type", "To be an object.", pointer)
    return value


def integer(value: JsonValue, pointer: str) -> int:
    """An integer of 64 bits; 5.0 is 5, as in JSON Schema."""
    whole = isinstance(value, float) and value.is_integer()
    if isinstance(value, bool) or not (isinstance(value, int) or whole):
        if isinstance(value, float) and math.isinf(value):
            raise RecordRefused("number-out-of-range", "At most 64 bits.", pointer)
        raise RecordRefused("wrong-type", "To be an integer.", pointer)
    if not -_INT64 <= value < _INT64:
        raise RecordRefused("number-out-of-range", "At most 64 bits.", pointer)
    return int(value)


def boolean(value: JsonValue, pointer: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise RecordRefused("wrong-type", "To be true or false.", pointer)
    return value


def choice(value: JsonValue, choices: tuple[str, ...], pointer: str) -> str:
    """One of the declared words."""
    if string(value, pointer) not in choices:
        raise RecordRefused("value-not-allowed", f"One of {', '.join(choices)}.", pointer)
    return str(value)


def text_value(value: JsonValue, holds: Holds, pointer: str) -> str | list[str]:
    """A text, exactly as sent; a term may be a number or boolean, written as JSON writes it."""
    if holds is Holds.TEXTS:
        return [string(item, f"{pointer}/{i}") for i, item in enumerate(json_list(value, pointer))]
    if holds is Holds.TERM and isinstance(value, (bool, int, float)):
        return repr(value).lower() if isinstance(value, bool) else repr(value)
    return string(value, pointer)


def interval_of(as_sent: JsonValue) -> Interval:
    """The interval with its defaults."""
    return Interval(
        start=as_sent["start"],
        end=as_sent["end"],
        unit=as_sent.get("unit", "codepoint"),
        within=as_sent.get("in", "document"),
    )


def edge_properties(members: Mapping[str, JsonValue], shape: Shape) -> dict[str, JsonValue]:
    """What a group says of the edge that its reference makes.

    The interval goes with it where it is in code points and not inverted; a reason that is
    no code becomes `other`, since the graph holds no words of clients.
    """
    properties = {
        name: members[name]
        for name, declared in shape.fields.items()
        if declared.edge and name in members
    }
    if "drop_reason" in properties and not _CODE.fullmatch(properties["drop_reason"]):
        properties["drop_reason"] = "other"
    interval = members.get("interval") or {}
    code_points = interval and interval.get("unit", "codepoint") == "codepoint"
    if code_points and 0 <= interval["start"] <= interval["end"]:
        properties |= {"start": interval["start"], "end": interval["end"]}
    return properties


def number(value: JsonValue, pointer: str, warn: Warn) -> float | int | None:
    """A finite number; null, with warning `score_not_finite`, for NaN, Infinity and what no double holds.

    An integer of more than 64 bits is read as the double nearest to it, as if written with an exponent.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RecordRefused("wrong-type", "To be a number.", pointer)
    found: float | int = value
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
    if isinstance(found, float) and not math.isfinite(found):
        warn("score_not_finite", pointer, "Not a finite number: kept as null.")
        return None
    return found


def interval_as_sent(value: JsonValue, pointer: str, warn: Warn) -> dict[str, JsonValue]:
    """The members of an interval; negative and inverted ones are the verification's business."""
    interval = json_object(value, pointer)
    for name in ("start", "end"):
        if interval.get(name) is None:
            raise RecordRefused("field-missing", f"{name} is required.", f"{pointer}/{name}")
    kept: dict[str, JsonValue] = {
        "start": integer(interval["start"], f"{pointer}/start"),
        "end": integer(interval["end"], f"{pointer}/end"),
    }
    if interval.get("unit") is not None:
        kept["unit"] = choice(interval["unit"], UNITS, f"{pointer}/unit")
    if interval.get("in") is not None:
        kept["in"] = choice(interval["in"], WITHIN, f"{pointer}/in")
    for name in interval.keys() - _INTERVAL_MEMBERS:
        warn("unknown_field", member(pointer, name), "Not a member of an interval.")
    return kept
