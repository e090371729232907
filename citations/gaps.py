"""Where two texts differ, moved and joined so that a reader sees whole sentences change."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from citations.alignment import Alignment, Shared, Words

# So many words that stay between two longer changes are shown as changed with them: a "the"
# here and there of an old sentence in a new one says nothing.
_ISLAND: Final = 2
# Words by which a place of an insertion or deletion is moved at most.
_MOST_MOVED: Final = 40
_ENDS: Final = frozenset(".!?\u2026\u3002\uff01\uff1f")


@dataclass(frozen=True, slots=True)
class Gap:
    """Words of either text between two places where they agree; of one there may be none."""

    old: tuple[int, int]
    new: tuple[int, int]


def spoken(words: Sequence[str]) -> int:
    """How many of these are words, not signs."""
    return sum(word[0].isalnum() for word in words)


def gaps_of(found: Alignment) -> list[Gap]:
    """What is not shared, in order."""
    pairs = pairwise([Shared(0, 0, 0), *found.shared])
    gaps = [
        Gap((one.old + one.length, two.old), (one.new + one.length, two.new)) for one, two in pairs
    ]
    return [gap for gap in gaps if gap.old[0] < gap.old[1] or gap.new[0] < gap.new[1]]


def told(gaps: Sequence[Gap], old: Words, new: Words) -> list[Gap]:
    """The same differences as people tell them: at the ends of sentences, not in crumbs."""
    kept: list[Gap] = []
    for gap in gaps:
        if kept and _is_island(kept[-1], gap, old, new):
            last = kept.pop()
            kept.append(Gap((last.old[0], gap.old[1]), (last.new[0], gap.new[1])))
        else:
            kept.append(gap)
    end = Gap((len(old.words),) * 2, (len(new.words),) * 2)
    moved: list[Gap] = []
    for at, gap in enumerate(kept):
        low = gap.old[0] - (moved[-1].old[1] if moved else 0)
        high = (kept[at + 1] if at + 1 < len(kept) else end).old[0] - gap.old[1]
        moved.append(_moved(gap, min(low, _MOST_MOVED), min(high, _MOST_MOVED), old, new))
    return moved


def _is_island(before: Gap, after: Gap, old: Words, new: Words) -> bool:
    first, end = before.new[1], after.new[0]
    between = new.words[first:end]
    if spoken(between) > _ISLAND or any(word[0].isdigit() for word in between):
        return False  # numbers are no crumbs
    sizes = [max(_length(old, gap.old), _length(new, gap.new)) for gap in (before, after)]
    return _length(new, (first, end)) < min(sizes) // 2


def _length(text: Words, words: tuple[int, int]) -> int:
    return text.start(words[1]) - text.start(words[0])


def _moved(gap: Gap, low: int, high: int, old: Words, new: Words) -> Gap:
    """An insertion or deletion, by words that it has at both ends, to where a sentence begins.

    "a. b" inserted between "." and the end reads the same as "b." after it, but the latter
    is how it was written. At most `low` words back and `high` on.
    """
    if gap.old[0] < gap.old[1] and gap.new[0] < gap.new[1]:
        return gap
    text, (first, end) = (old, gap.old) if gap.old[0] < gap.old[1] else (new, gap.new)
    steps = [0]
    while -steps[-1] < low and text.words[first + steps[-1] - 1] == text.words[end + steps[-1] - 1]:
        steps.append(steps[-1] - 1)
    on = 0
    while on < high and text.words[first + on] == text.words[end + on]:
        on += 1
        steps.append(on)
    # The last of equals: what is written first stays.
    by = max(steps, key=lambda step: (_begins(text, first + step), step))
    return Gap((gap.old[0] + by, gap.old[1] + by), (gap.new[0] + by, gap.new[1] + by))


def _begins(text: Words, word: int) -> int:
    """How much begins with a word: a line, a sentence, a part of one, or nothing."""
    if word == 0:
        return 3
    before = text.words[word - 1]
    end = text.starts[word] if word < len(text.starts) else len(text.text)
    if "\n" in text.text[text.starts[word - 1] + len(before) : end] or word == len(text.words):
        return 3
    if before in _ENDS:
        return 2
    return 0 if before[0].isalnum() else 1
