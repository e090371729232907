"""A difference laid out for reading: what stayed is folded, and long ones have pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from citations.alignment import words_of
from citations.differences import Difference, Kind, Stretch
from citations.gaps import spoken
from citations.marks import Piece, Span, needs_mark, pieces_of

# Code points that stay in sight before and after a change; what is longer is folded.
_CONTEXT: Final = 160
_LEAST_FOLDED: Final = 2 * _CONTEXT + 120
# Of a longer changed stretch so much stays in sight.
_SEEN: Final = 900
_LEAST_CHANGED: Final = 2_400
# What is folded stands in the page up to this length. Beyond, what stayed is only counted;
# what changed has several folds.
_MOST_FOLDED: Final = 4_000
# One page: HTML elements and code points; a stretch is cut into parts of this length.
_MOST_ELEMENTS: Final = 2_500
_MOST_LENGTH: Final = 60_000
_PART: Final = 1_500
_FOLD: Final = _MOST_FOLDED - 200
# What may be invisible: all but printable ASCII and layout.
_SUSPECT: Final = re.compile(r"[^ -~\n\r\t]")
# Elements of a changed stretch and of a fold, those of invisible characters aside.
_ELEMENTS: Final = {Kind.SAME: 0, Kind.REMOVED: 3, Kind.ADDED: 3}
_ELEMENTS_OF_A_FOLD: Final = 6


@dataclass(frozen=True, slots=True)
class Shown:
    """Words of one kind as they are printed, and the white space behind them."""

    kind: Kind
    pieces: tuple[Piece, ...]
    space: str


@dataclass(frozen=True, slots=True)
class Row:
    """Words in sight, or so many `folded` ones of one `kind`.

    Of those that stayed, `shown` is empty where they are too many to stand in the page.
    `new` is where the row begins in the new text.
    """

    shown: tuple[Shown, ...]
    folded: int
    new: int
    kind: Kind = Kind.SAME


@dataclass(frozen=True, slots=True)
class DifferencePage:
    """One of the pages of a difference; `number` counts from 1."""

    rows: tuple[Row, ...]
    number: int
    pages: int

    @property
    def earlier(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def later(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of a stretch that stands or is folded as a whole."""

    stretch: Stretch
    folded: bool


def laid_out(found: Difference, page: int = 1) -> DifferencePage:
    """One page of a difference, the nearest there is to the number asked for."""
    pages = list(_pages(found.stretches))
    number = max(1, min(page, len(pages)))
    return DifferencePage(tuple(_rows(pages[number - 1])), number, len(pages))


def around(found: Difference, passage: Span, *, in_new: bool = False, margin: int = 300) -> Difference:  # fmt: skip
    """Only what stands within a passage of the old text (or of the new one), and near it."""
    low, high = passage.start - margin, passage.end + margin
    kept: list[Stretch] = []
    for each in found.stretches:
        start = each.new if in_new else each.old
        length = 0 if each.kind is (Kind.REMOVED if in_new else Kind.ADDED) else len(each.text)
        if start > high or start + length < low:
            continue
        if each.kind is Kind.SAME:
            first, last = max(0, low - start), min(length, high - start)
            first = _to_space(each.text, first) if first else 0
            each = _cut(each, first, last)  # noqa: PLW2901
        kept.append(each)
    changed = [each for each in kept if each.kind is not Kind.SAME]
    return Difference(
        tuple(kept),
        changes=_changes(kept),
        removed=sum(each.words for each in changed if each.kind is Kind.REMOVED),
        added=sum(each.words for each in changed if each.kind is Kind.ADDED),
        coarse=found.coarse,
    )


def _changes(stretches: Sequence[Stretch]) -> int:
    """Places that differ: what is removed and what is added in its stead are one."""
    count, within = 0, False
    for each in stretches:
        changed = each.kind is not Kind.SAME
        count += changed and not within
        within = changed
    return count


def _pages(stretches: Sequence[Stretch]) -> Iterator[list[_Item]]:
    """At least one page, empty if there is nothing."""
    page: list[_Item] = []
    elements = length = 0
    for item in _items(stretches):
        more, longer = _cost(item)
        if page and (elements + more > _MOST_ELEMENTS or length + longer > _MOST_LENGTH):
            yield page
            page, elements, length = [], 0, 0
        page.append(item)
        elements, length = elements + more, length + longer
    yield page


def _cost(item: _Item) -> tuple[int, int]:
    text = item.stretch.text
    if item.folded and len(text) > _MOST_FOLDED:
        return _ELEMENTS_OF_A_FOLD, 0
    printable = text.isascii() and text.isprintable()
    marks = 0 if printable else sum(map(needs_mark, _SUSPECT.findall(text)))
    base = _ELEMENTS_OF_A_FOLD if item.folded else _ELEMENTS[item.stretch.kind]
    return base + marks, len(text)


def _items(stretches: Sequence[Stretch]) -> Iterator[_Item]:
    for at, each in enumerate(stretches):
        if each.kind is not Kind.SAME and len(each.text) > _LEAST_CHANGED:
            seen = _to_space(each.text, _SEEN)
            yield from _parts(_cut(each, 0, seen))
            yield from _parts(_cut(each, seen, len(each.text), counted=True), _FOLD, folded=True)
            continue
        if each.kind is not Kind.SAME or len(each.text) < _LEAST_FOLDED:
            yield from _parts(each)
            continue
        head = _to_space(each.text, _CONTEXT) if at else 0
        tail = len(each.text)
        if at < len(stretches) - 1:
            tail = max(head, _to_space(each.text, tail - _CONTEXT))
        yield from _parts(_cut(each, 0, head))
        yield _Item(_cut(each, head, tail, counted=True), folded=True)
        yield from _parts(_cut(each, tail, len(each.text)))


def _parts(stretch: Stretch, length: int = _PART, *, folded: bool = False) -> Iterator[_Item]:
    """A stretch in parts that fit a page."""
    start = 0
    while start < len(stretch.text):
        end = len(stretch.text)
        if end - start > length:
            end = _to_space(stretch.text, start + length)
        yield _Item(_cut(stretch, start, end, counted=folded), folded)
        start = end


def _to_space(text: str, at: int, *, most: int = 80) -> int:
    """The end of the word and of the white space at a position, or so many characters on."""
    end = min(len(text), at + most)
    while 0 < at < end and not text[at - 1].isspace():
        at += 1
    return at


def _cut(stretch: Stretch, start: int, end: int, *, counted: bool = False) -> Stretch:
    """A part of a stretch; its words are `counted` only where the page tells how many they are."""
    if (start, end) == (0, len(stretch.text)):
        return stretch
    text = stretch.text[start:end]
    return replace(
        stretch,
        text=text,
        words=spoken(words_of(text).words) if counted else 0,
        old=stretch.old + (start if stretch.kind is not Kind.ADDED else 0),
        new=stretch.new + (start if stretch.kind is not Kind.REMOVED else 0),
    )


def _rows(items: Sequence[_Item]) -> Iterator[Row]:
    shown: list[Shown] = []
    first = 0
    for item in items:
        each = item.stretch
        if item.folded:
            if shown:
                yield Row(tuple(shown), 0, first)
            shown = []
            text = (_shown(each),) if len(each.text) <= _MOST_FOLDED else ()
            yield Row(text, each.words, each.new, each.kind)
            continue
        if not shown:
            first = each.new
        shown.append(_shown(each))
    if shown:
        yield Row(tuple(shown), 0, first)


def _shown(stretch: Stretch) -> Shown:
    text = stretch.text.rstrip()
    return Shown(stretch.kind, pieces_of(text), stretch.text[len(text) :])
