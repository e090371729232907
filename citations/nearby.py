"""The stretch of two texts around a passage, between words that stand in both of them once.

To compare two books for the sake of one changed paragraph takes half a second; to compare
the pages between two landmarks on either side of it takes none.
"""

from typing import Final

from citations.marks import Span

# Code points of a landmark: too many to stand twice by chance.
_LANDMARK: Final = 64
# How far from the passage landmarks are looked for, and at what distance from each other.
_STEP: Final = 160
_MOST_STEPS: Final = 40
# What lies between two landmarks of the new text may be longer than in the old by this, and no more.
_TIMES: Final = 4
_BEYOND: Final = 20_000


def nearby(old: str, new: str, passage: Span) -> tuple[Span, Span] | None:
    """Where to compare in the old and in the new text, to see what became of a passage of the old.

    Both stretches begin and end alike. None where no landmark stands before or behind the
    passage, or where those of the new text are in another order or far apart: then the
    words around it have moved, and only the whole texts can tell.
    """
    before = _before(old, new, passage.start)
    after = _after(old, new, passage.end)
    if before is None or after is None:
        return None
    here, there = Span(before[0], after[0]), Span(before[1], after[1])
    room = _TIMES * (here.end - here.start) + _BEYOND
    return (here, there) if 0 < there.end - there.start <= room else None


def _before(old: str, new: str, place: int) -> tuple[int, int] | None:
    """Where the nearest landmark that ends at the place or earlier begins in both texts."""
    for end in range(place, max(_LANDMARK, place - _STEP * _MOST_STEPS) - 1, -_STEP):
        if (found := _once(old, new, end - _LANDMARK)) is not None:
            return end - _LANDMARK, found
    # The beginning is a landmark by itself, where it is near.
    return (0, 0) if place < _STEP * _MOST_STEPS else None


def _after(old: str, new: str, place: int) -> tuple[int, int] | None:
    """Where the nearest landmark that begins at the place or later ends in both texts."""
    last = min(len(old) - _LANDMARK, place + _STEP * _MOST_STEPS)
    for start in range(place, last + 1, _STEP):
        if (found := _once(old, new, start)) is not None:
            return start + _LANDMARK, found + _LANDMARK
    return (len(old), len(new)) if len(old) - place < _STEP * _MOST_STEPS else None


def _once(old: str, new: str, start: int) -> int | None:
    """Where the landmark that begins here in the old text stands in the new; None unless once in each."""
    words = old[start : start + _LANDMARK]
    found = new.find(words)
    if found < 0 or new.find(words, found + 1) >= 0:
        return None
    return found if old.find(words) == start and old.find(words, start + 1) < 0 else None
