"""What a field of a native record can hold, and how a record's shape is described."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Holds(StrEnum):
    """What a field holds."""

    STRING = "string"
    STRINGS = "strings"
    CHOICE = "choice"  # one of `choices`
    INTEGER = "integer"  # 64 bits; 5.0 is 5
    NUMBER = "number"  # not finite: stored as null, warned
    BOOLEAN = "boolean"
    OBJECT = "object"  # free JSON object
    JSON = "json"  # free JSON
    INSTANT = "instant"  # RFC 3339
    DATE = "date"  # RFC 3339, or a date, month or year alone
    DIGEST = "digest"  # sha256:HEX
    INTERVAL = "interval"
    TEXT = "text"  # kept in the content store
    TEXTS = "texts"
    QUOTING = "quoting"  # free JSON that repeats words of a source: kept as a text is
    TERM = "term"  # a text that may also be sent as a number or boolean
    REF = "ref"
    REFS = "refs"
    REF_OR_REFS = "ref_or_refs"
    GROUP = "group"  # an object with declared members
    GROUPS = "groups"  # a list of them


class Field(NamedTuple):
    """One field of a record or member of a group.

    `kinds` are the kinds that a reference may name, `relation` the name under which the
    reference is stored (default: the field's path), `members` those of a group. `edge`:
    the member is a property of the edge that its group's reference makes.
    """

    holds: Holds
    required: bool = False
    choices: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    relation: str = ""
    members: "Shape | None" = None
    edge: bool = False
    nullable: bool = True  # null means "not stated"; where that would be unsafe: refused


class Shape(NamedTuple):
    """Fields by name; of each of `any_of` at least one, of each of `at_most_one` at most one."""

    fields: Mapping[str, Field]
    any_of: tuple[tuple[str, ...], ...] = ()
    at_most_one: tuple[tuple[str, ...], ...] = ()


TEXT_HOLDS: Final = frozenset({Holds.TEXT, Holds.TEXTS, Holds.TERM})
REF_HOLDS: Final = frozenset({Holds.REF, Holds.REFS, Holds.REF_OR_REFS})
UNITS: Final = ("codepoint", "utf16", "utf8", "token")
WITHIN: Final = ("document", "chunk")
