"""Keys that read alike: the same words and numbers, written another way."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process, utils

# Likeness below this is chance.
LEAST: Final = 75
# A shorter key stands in too many others by chance: it must be like the whole.
_SHORT: Final = 3
# What stands within a longer key, or has its words in another order, is less like it.
_WITHIN: Final = 0.9
_SHUFFLED: Final = 0.95
# A longer key is compared by its end, where file names, pages and numbers stand.
_LONGEST: Final = 200


class Candidate(NamedTuple):
    """A key that was sent, and the node that bears it."""

    node_id: int
    key: str


class Alike(NamedTuple):
    """A candidate and how like the missing key its key is, from 75 to 100."""

    node_id: int
    likeness: int


def similar_keys(key: str, candidates: Sequence[Candidate], *, most: int) -> list[Alike]:
    """The candidates most like the key, the most like first, of equal ones the earlier.

    Numbers must agree, since that is what tells one page, year or chunk from the next: those
    of the key with fewer must all stand in the other.
    """
    numbers = _numbers(key)
    fitting = {
        place: one.key[-_LONGEST:]
        for place, one in enumerate(candidates)
        if _agree(numbers, _numbers(one.key))
    }
    found = process.extract(
        key[-_LONGEST:], fitting, scorer=_likeness, processor=utils.default_process,
        limit=most, score_cutoff=LEAST,
    )  # fmt: skip
    return [Alike(candidates[place].node_id, int(score)) for _, score, place in found]


def _numbers(key: str) -> Counter[str]:
    return Counter(number.lstrip("0") or "0" for number in re.findall(r"[0-9]+", key))


def _agree(one: Counter[str], other: Counter[str]) -> bool:
    return one <= other or other <= one


def _likeness(one: str, other: str, *, score_cutoff: float | None = None) -> float:
    """From 0 to 100, 0 below the cutoff. Not by common words: one would be enough."""
    shuffled = _SHUFFLED * fuzz.token_sort_ratio(one, other)
    within = fuzz.partial_ratio(one, other) if min(len(one), len(other)) >= _SHORT else 0
    likeness = max(fuzz.ratio(one, other), shuffled, _WITHIN * within)
    return likeness if likeness >= (score_cutoff or 0) else 0
