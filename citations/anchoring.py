"""Where in the passage the support of a citation stands.

The citation's own words come first (support interval, quote, Web Annotation selector), else
the claim's. What is not found, or found at several places, is not highlighted: a wrong mark
would be worse than none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from citations.marks import Span
from citations.selectors import Place, resolve
from lineage.content.graphemes import whole
from lineage.content.intervals import verify
from lineage.content.locate import AMBIGUOUS, Located, locate
from lineage.content.normalise import same_words
from lineage.formats.selectors import Selected, read_selectors
from lineage.types import Interval, JsonValue
from lineage.vocabulary import HIGHLIGHTED, Anchor

# Most code points shown of the document on either side of the passage.
NEIGHBOUR_LENGTH: Final = 300
_SURE: Final = frozenset({Anchor.EXACT, Anchor.NORMALISED})
# At the far end of a neighbour, half a word of at most this length is left out.
_HALF_WORD: Final = 30


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The passage with its neighbours; `start`: its place in the document, None if unknown."""

    text: str
    before: str = ""
    after: str = ""
    start: int | None = None
    more_before: bool = False  # the document begins before the text before
    more_after: bool = False
    document: str | None = None  # its text, where the passage's place in it is known

    @property
    def shown(self) -> str:
        """The passage between its neighbours."""
        return self.before + self.text + self.after

    @property
    def first(self) -> int:
        """Where what is shown begins in the document; 0 where that is unknown."""
        return (self.start or 0) - len(self.before) if self.start is not None else 0


@dataclass(frozen=True, slots=True)
class Support:
    """What a citation says of the place of its support; empty and None where it says nothing.

    `interval` is as sent, `within` the document or the chunk; `selector` a Web Annotation
    selector; `pages` the places of pages in the document, by index from 0.
    """

    quote: str | None = None
    selector: JsonValue = None
    interval: Interval | None = None
    claim_text: str | None = None
    pages: Mapping[int, Place] = field(default_factory=dict)


class Grade(StrEnum):
    """How well the support of a citation is known to stand where; the best comes first."""

    EXACT = "exact"
    NORMALISED = "normalised"
    RELOCATED = "relocated"
    PAGE = "page"  # nothing is highlighted, but the page is known
    NOT_LOCATED = "not_located"


def grade_of(anchor: Anchor | None, *, page_known: bool) -> Grade | None:
    """The grade of a passage; None where the citation says nothing of a place."""
    if anchor in HIGHLIGHTED:
        return Grade(anchor)
    if page_known:
        return Grade.PAGE
    return None if anchor is None else Grade.NOT_LOCATED


@dataclass(frozen=True, slots=True)
class Anchored:
    """Highlights relative to the passage, to the text before it and to the text after it.

    `as_stated`: an offset alone names the place, and no words were sent to compare with it.
    """

    highlights: tuple[Span, ...] = ()
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    anchor: Anchor | None = None
    cut: bool = False
    page_index: int | None = None  # the page that a selector names, from 0
    as_stated: bool = False


# A place that is none, or that holds half an emoji or a letter without its marks.
_UNPROVEN: Final = Anchored(anchor=Anchor.UNVERIFIABLE)


def surroundings(text: str, document: str | None, place: tuple[int, int] | None) -> Surroundings:
    """The passage between its neighbours in the document's text (place: verified code points)."""
    if document is None or place is None or not 0 <= place[0] <= place[1] <= len(document):
        return Surroundings(text)
    start, end = place
    first, last = max(0, start - NEIGHBOUR_LENGTH), min(len(document), end + NEIGHBOUR_LENGTH)
    before, after = document[first:start], document[end:last]
    if first > 0 and document[first - 1].isalnum():
        half = _leading_word(before)
        before = before[half:]
    if last < len(document) and document[last].isalnum():
        half = _leading_word(after[::-1])
        after = after[: len(after) - half]
    return Surroundings(text, before, after, start, first > 0, last < len(document), document)


def _leading_word(text: str) -> int:
    """The length of the half word that the text begins with; 0 where it is too long for one."""
    length = next((at for at, character in enumerate(text) if not character.isalnum()), 0)
    return length if length <= _HALF_WORD else 0


def anchor_support(around: Surroundings, support: Support) -> Anchored:
    """Where the support stands; nothing highlighted where it was not found at one place only.

    `cut`: the support begins before the passage or goes on behind it.
    """
    selected = read_selectors(support.selector)
    return replace(_anchored(around, support, selected), page_index=selected.page_index)


def _anchored(around: Surroundings, support: Support, selected: Selected) -> Anchored:
    stated, said, nothing = support.quote, selected.quote, Anchored()
    if stated is not None and not stated.strip():
        stated = None
    prefix, suffix = (said.prefix, said.suffix) if said is not None else ("", "")
    if support.interval is not None:
        quote = stated if stated is not None or said is None else said.exact
        placed = _by_interval(around, support.interval, quote)
        if placed is not None and placed is not _UNPROVEN:
            return replace(placed, as_stated=quote is None and bool(placed.highlights))
        nothing = placed or nothing
    if stated is not None:
        found = _located(around, stated, prefix, suffix)
        return found if found.highlights else _selected(around, support, selected, stated) or found
    if selected.paths:
        by_selector = _selected(around, support, selected, None)
        if by_selector is not None:
            return replace(by_selector, as_stated=said is None)
    if said is not None:
        return _located(around, said.exact, prefix, suffix)
    if support.claim_text is not None and support.claim_text.strip():
        return _located(around, support.claim_text, "", "")
    return nothing


def _selected(
    around: Surroundings, support: Support, selected: Selected, quote: str | None
) -> Anchored | None:
    """The selector's place in the document, if it holds the quote; None where it selects nothing here."""
    if around.document is None or not selected.paths:
        return None
    found = resolve(around.document, selected, support.pages)
    if found.start is None or found.end is None:
        return None
    if quote is not None and not same_words(around.document[found.start : found.end], quote):
        return None
    return _intersected(around, found.moved(-around.first))


def _by_interval(around: Surroundings, interval: Interval, quote: str | None) -> Anchored | None:
    """The support interval, proved by the quote; None where it says nothing of this passage.

    Where the quote stands elsewhere and several times, neither is believed: the place may
    be any of them. _UNPROVEN where it is impossible, or cuts what a reader sees as one character.
    """
    if interval.within == "chunk":
        verified = verify(around.text, interval, quote)
        offset = len(around.before)
    elif around.document is not None:
        verified = verify(around.document, interval, quote)
        offset = -around.first
    else:
        return None
    if verified.anchor is Anchor.AMBIGUOUS:
        return Anchored(anchor=Anchor.AMBIGUOUS)
    if verified.start is None or verified.end is None or verified.start == verified.end:
        return _UNPROVEN
    found = Located(verified.start, verified.end, verified.anchor or Anchor.EXACT)
    if _splits(around, found.moved(offset)):
        return _UNPROVEN
    placed = _intersected(around, found.moved(offset))
    if placed is None and quote is not None and found.anchor in _SURE:
        return Anchored(anchor=Anchor.UNVERIFIABLE)  # it holds the quote, but not in this passage
    return placed


def _located(around: Surroundings, wanted: str, prefix: str, suffix: str) -> Anchored:
    """In the passage; else, where it is surer, in the passage with its neighbours."""
    inside = locate(around.text, wanted, prefix=prefix, suffix=suffix)
    begin = len(around.before)
    # In whole characters of the passage, which may itself begin or end amid one.
    if _splits(around, inside.moved(begin)):
        return _UNPROVEN
    if inside.anchor in _SURE:
        return _intersected(around, inside.moved(begin)) or Anchored()
    outside = locate(around.shown, wanted, prefix=prefix, suffix=suffix)
    crossing = _intersected(around, outside)
    if outside.anchor in _SURE and crossing is not None:
        return crossing
    if inside.start is not None:
        return _intersected(around, inside.moved(begin)) or Anchored()
    if inside == AMBIGUOUS:
        return Anchored(anchor=Anchor.AMBIGUOUS)
    if crossing is not None:
        return crossing
    return Anchored(anchor=Anchor.UNVERIFIABLE)


def _splits(around: Surroundings, found: Located) -> bool:
    """Whether a place in all that is shown begins or ends inside of one visible character."""
    if found.start is None or found.end is None:
        return False
    return not whole(around.shown, found.start, found.end)


def _intersected(around: Surroundings, found: Located) -> Anchored | None:
    """A place in all that is shown, split at the passage's edges; None outside of the passage."""
    if found.start is None or found.end is None:
        return None
    begin = len(around.before)
    end = begin + len(around.text)
    inside = Span(max(found.start, begin) - begin, min(found.end, end) - begin)
    if inside.start >= inside.end:
        return None
    starts_before, goes_on = found.start < begin, found.end > end
    return Anchored(
        (inside,),
        before=(Span(max(0, found.start), begin),) if starts_before and begin else (),
        after=(Span(0, min(found.end - end, len(around.after))),)
        if goes_on and around.after
        else (),
        anchor=found.anchor,
        cut=starts_before or goes_on,
    )
