"""A highlight as others can find it again: its words, its place, its page, as selectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from citations.anchoring import Anchored, Surroundings
from citations.selectors import Place
from citations.text_fragment import Words
from lineage.content.graphemes import is_cut
from lineage.formats.selectors import PageStep, PositionStep, QuoteStep, Selected, Step

# Code points of context on either side of a quotation, as annotation tools take them.
CONTEXT_LENGTH: Final = 32


@dataclass(frozen=True, slots=True)
class Pointer:
    """The highlighted words between what stands around them in the document, else in the passage.

    `place` is theirs in the document (code points), `page` the place of the page that holds
    them all; None where not known.
    """

    words: Words
    place: Place | None = None
    page: tuple[int, Place] | None = None


def pointer_of(around: Surroundings, found: Anchored, pages: Mapping[int, Place]) -> Pointer | None:
    """Where the highlight points; None without one."""
    if not found.highlights:
        return None
    begin = len(around.before)
    start = found.before[0].start if found.before else begin + found.highlights[0].start
    inside = begin + found.highlights[-1].end
    end = begin + len(around.text) + found.after[-1].end if found.after else inside
    if around.document is None:
        return Pointer(_words(around.shown, start, end))
    start, end = start + around.first, end + around.first
    holding = (one for one in sorted(pages.items()) if one[1][0] <= start and end <= one[1][1])
    return Pointer(_words(around.document, start, end), (start, end), next(holding, None))


def _words(text: str, start: int, end: int) -> Words:
    return Words(text[start:end], text[:start], text[end:])


def selected_by(
    pointer: Pointer | None, *, page_index: int | None = None, paged: bool = True
) -> Selected:
    """Selectors for the words and their place, refining the page; for the page alone without words.

    `paged`: the source has pages that a reader can open (a PDF).
    """
    if pointer is None:
        known = paged and page_index is not None
        return Selected(((PageStep(page_index),),) if known and page_index is not None else ())
    within: tuple[Step, ...] = ()
    place = pointer.place
    if paged and pointer.page is not None and place is not None:
        index, (first, _) = pointer.page
        within = (PageStep(index),)
        place = place[0] - first, place[1] - first
    paths: list[tuple[Step, ...]] = [(*within, _quote(pointer.words))]
    if place is not None:
        paths.insert(0, (*within, PositionStep(*place)))
    return Selected(tuple(paths))


def _quote(words: Words) -> QuoteStep:
    """The words with whole characters of context."""
    first, last = max(0, len(words.before) - CONTEXT_LENGTH), min(len(words.after), CONTEXT_LENGTH)
    while is_cut(words.before, first):
        first += 1
    while is_cut(words.after, last):
        last -= 1
    return QuoteStep(words.marked, words.before[first:], words.after[:last])
