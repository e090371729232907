"""What a JSON Schema can ask of a value: values that are alike in it are sound or faulty together.

To check a value takes hundreds of times as long as to recognise what was checked before. Events
are never the same twice, but most of them are alike: of a name a schema asks that it is a string,
of a count that it is a whole number. A shape keeps what the schema at hand can tell apart, and
nothing else.
"""

import hashlib
from collections.abc import Iterator
from typing import Final

from lineage.types import JsonValue

# Keywords that look into a string, a number or the length and order of a list.
_OF_STRINGS: Final = frozenset({"pattern", "maxLength", "contentEncoding", "contentMediaType"})
_OF_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_OF_LISTS: Final = frozenset(
    {"minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems",
     "unevaluatedItems"}
)  # fmt: skip


class Shapes:
    """The shapes of values, as one schema sees them.

    `format` is taken for a remark, as the validators here do.
    """

    def __init__(self, schema: JsonValue) -> None:
        keywords: set[str] = set()
        named: set[str] = set()
        longest = 0
        for keyword, asked in _asked(schema):
            keywords.add(keyword)
            if keyword in ("enum", "const"):
                several = asked if keyword == "enum" and isinstance(asked, list) else [asked]
                named |= {each for each in several if isinstance(each, str)}
                # Numbers that are named, or that stand in what is named, are told apart as such.
                if not all(isinstance(each, str | bool | None) for each in several):
                    keywords |= {"pattern", "multipleOf", "prefixItems"}
            elif keyword == "minLength" and isinstance(asked, int):
                longest = max(longest, asked)
        self._named = frozenset(named)
        # All that a least length of one tells apart is the empty string.
        self._strings = longest > 1 or not keywords.isdisjoint(_OF_STRINGS)
        self._numbers = not keywords.isdisjoint(_OF_NUMBERS)
        self._lists = not keywords.isdisjoint(_OF_LISTS)

    def digest(self, value: JsonValue) -> bytes:
        """SHA-256 of the shape: equal for values between which the schema makes no difference."""
        return hashlib.sha256(self._shape(value).encode("utf-8", "surrogatepass")).digest()

    def _shape(self, value: JsonValue) -> str:
        if isinstance(value, str):
            if self._strings or value in self._named:
                return repr(value)
            return "s" if value else "''"
        if isinstance(value, dict):
            names = ",".join([f"{name!r}:{self._shape(value[name])}" for name in sorted(value)])
            return f"{{{names}}}"
        if isinstance(value, list):
            items = [self._shape(each) for each in value]
            return f"[{','.join(items if self._lists else sorted(set(items)))}]"
        if value is None or isinstance(value, bool):
            return repr(value)
        if self._numbers:
            return repr(value)
        # A float that is a whole number counts as one.
        return "i" if isinstance(value, int) or value.is_integer() else "f"


def _asked(schema: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Every name in a schema with what stands there: keywords, and more that does no harm."""
    if isinstance(schema, dict):
        for name, value in schema.items():
            yield name, value
            yield from _asked(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from _asked(each)
