"""Outcomes as they are kept: counted in clear, one by one only encrypted (they name clients' keys)."""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.types import JsonValue, Outcome, Problem, Warned

# Reasons in a payload's row, and characters of a pointer in one: what a list can show.
_REASONS: Final = 20
_POINTER: Final = 200
# Outcomes kept of a request that will not be answered again: what an operator can read.
KEPT: Final = 500


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of outcomes, and why items were refused or warned of."""

    items: int
    stored: int
    unchanged: int
    rejected: int
    warned: int
    reasons: tuple[dict[str, JsonValue], ...]


def summary(outcomes: Sequence[Outcome]) -> Summary:
    """The counts; of the reasons the most frequent, those of refusals first."""
    statuses = Counter(outcome.status for outcome in outcomes)
    reasons: Counter[tuple[bool, str, str]] = Counter()
    warned = 0
    for outcome in outcomes:
        if outcome.problem is not None:
            reasons[True, outcome.problem.slug, outcome.problem.pointer[:_POINTER]] += 1
        if outcome.warnings:
            warned += 1
            reasons.update((False, each.code, each.pointer[:_POINTER]) for each in outcome.warnings)
    ordered = sorted(reasons.items(), key=lambda each: (not each[0][0], -each[1], each[0]))
    return Summary(
        items=len(outcomes),
        stored=statuses["stored"] + statuses["accepted"],
        unchanged=statuses["unchanged"],
        rejected=statuses["rejected"],
        warned=warned,
        reasons=tuple(
            {"code": code, "pointer": pointer, "count": count, "refused": refused}
            for (refused, code, pointer), count in ordered[:_REASONS]
        ),
    )


def noteworthy(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those that were refused or warned of."""
    return [each for each in outcomes if each.problem is not None or each.warnings]


def pack(outcomes: Iterable[Outcome], *, projected: bool) -> bytes:
    """Outcomes as bytes that `unpack` reads."""
    document = {"projected": projected, "outcomes": [_written(each) for each in outcomes]}
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode("ascii"), 1)


def unpack(data: bytes) -> tuple[tuple[Outcome, ...], bool]:
    """The outcomes that were packed, and whether the graph had them."""
    document = json.loads(zlib.decompress(data))
    return tuple(_read(*each) for each in document["outcomes"]), document["projected"]


def _written(outcome: Outcome) -> list[JsonValue]:
    problem = outcome.problem
    return [
        outcome.index,
        outcome.status,
        outcome.kind,
        outcome.key,
        outcome.uid,
        [[each.code, each.pointer, each.detail] for each in outcome.warnings],
        problem and [problem.slug, problem.title, problem.status, problem.detail, problem.pointer],
    ]


def _read(
    index: int,
    status: JsonValue,
    kind: str,
    key: str,
    uid: str | None,
    warnings: list[list[str]],
    problem: list[JsonValue] | None,
) -> Outcome:
    return Outcome(
        index,
        status,
        kind,
        key,
        uid,
        tuple(Warned(*each) for each in warnings),
        None if problem is None else Problem(*problem),
    )
