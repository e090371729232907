"""What of a node or an edge goes into the graph: the allow-list, and one form for every value.

Anything else a record carries stays in the relational store, where it can be
erased. A value of the wrong form is left out, not repaired: the relational
record keeps it as sent.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeAlias

from lineage.types import JsonValue
from lineage.vocabulary import EDGE_PROPERTIES, GRAPH_COMMON, GRAPH_PROPERTIES, Edge

_TIMES: Final = frozenset(
    {
        "occurred_at", "recorded_at", "started_at", "ended_at", "effective_at", "published_at",
        "modified_at", "valid_from", "valid_until", "fetched_at", "built_at", "at",
    }
)  # fmt: skip
_NUMBERS: Final = frozenset(
    {
        "start", "end", "index", "page_index", "http_status", "dimensions", "top_k", "position",
        "rank", "rerank_rank", "batch",
    }
)  # fmt: skip
_MEASURES: Final = frozenset({"confidence", "score", "rerank_score"})
_FLAGS: Final = frozenset({"resolved", "provisional", "abstained", "kept", "truncated", "computed"})
# Words of a licence expression or a version may be parted by spaces; codes may not.
_PHRASES: Final = frozenset({"version", "license"})

_CODE: Final = re.compile(r"[\w.:/+#=@-]{1,64}", re.ASCII)
_PHRASE: Final = re.compile(r"[\w.:/+#=@()-]+( [\w.:/+#=@()-]+)*", re.ASCII)
_LONGEST_PHRASE: Final = 120
_PARTIAL_DATE: Final = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_INT64: Final = 2**63


@lru_cache(maxsize=1024)
def instant(value: datetime) -> str:
    """An instant as the graph writes it: UTC, microseconds, so that text order is time order."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def node_properties(kind: str, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The allowed properties of a node of this kind, in graph form; absent where unknown."""
    return _kept(_OF_NODES[kind], values)


def edge_properties(edge: Edge, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The allowed properties of an edge of this type, in graph form; absent where unknown."""
    return _kept(_OF_EDGES.get(edge, ()), values)


_Form: TypeAlias = Callable[[JsonValue], JsonValue]


def _kept(
    allowed: Iterable[tuple[str, _Form]], values: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    kept: dict[str, JsonValue] = {}
    for name, form in allowed:
        value = values.get(name)
        if value is not None and (written := form(value)) is not None:
            kept[name] = written
    return kept


def _form(name: str) -> _Form:
    for names, form in (
        (_TIMES, _time), (_NUMBERS, _number), (_MEASURES, _measure), (_FLAGS, _flag),
        (_PHRASES, _phrase),
    ):  # fmt: skip
        if name in names:
            return form
    return _code


def _number(value: JsonValue) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -_INT64 <= value < _INT64 else None


def _flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _phrase(value: JsonValue) -> str | None:
    fits = isinstance(value, str) and len(value) <= _LONGEST_PHRASE and _PHRASE.fullmatch(value)
    return value if fits else None


def _code(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else None


def _measure(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        measure = float(value)
    except OverflowError:
        return None
    return measure if math.isfinite(measure) else None


def _time(value: JsonValue) -> str | None:
    """A datetime, an RFC 3339 instant (no zone: UTC) or a date that may lack day and month."""
    if isinstance(value, str):
        if _PARTIAL_DATE.fullmatch(value):
            return value
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    try:
        return instant(value if value.tzinfo else value.replace(tzinfo=UTC))
    except OverflowError:
        return None


def _forms(names: Iterable[str]) -> tuple[tuple[str, _Form], ...]:
    return tuple((name, _form(name)) for name in sorted(names))


_OF_NODES: Final = {kind: _forms(GRAPH_COMMON | names) for kind, names in GRAPH_PROPERTIES.items()}
_OF_EDGES: Final = {edge: _forms(names) for edge, names in EDGE_PROPERTIES.items()}
