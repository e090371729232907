"""Where in the passage the support of a citation stands.

The citation's own words come first (quote, Web Annotation selector, support interval), else
the claim's. What is not found, or found at several places, is not highlighted: a wrong mark
would be worse than none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from citations.marks import Span
from lineage.content.intervals import verify
from lineage.content.locate import Located, locate
from lineage.types import Interval, JsonValue
from lineage.vocabulary import Anchor

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


@dataclass(frozen=True, slots=True)
class Support:
    """What a citation says of the place of its support; empty and None where it says nothing.

    `interval` is as sent, `within` the document or the chunk.
    """

    quote: str | None = None
    selector: JsonValue = None
    interval: Interval | None = None
    claim_text: str | None = None


@dataclass(frozen=True, slots=True)
class Anchored:
    """Highlights relative to the passage, to the text before it and to the text after it."""

    highlights: tuple[Span, ...] = ()
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    anchor: Anchor | None = None
    cut: bool = False


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
    return Surroundings(text, before, after, start, first > 0, last < len(document))


def _leading_word(text: str) -> int:
    """The length of the half word that the text begins with; 0 where it is too long for one."""
    length = next((at for at, character in enumerate(text) if not character.isalnum()), 0)
    return length if length <= _HALF_WORD else 0


def anchor_support(around: Surroundings, support: Support) -> Anchored:
    """Where the support stands; nothing highlighted where it was not found at one place only.

    `cut`: the support begins before the passage or goes on behind it.
    """
    quote, prefix, suffix = _words(support)
    if support.interval is not None:
        placed = _by_interval(around, support.interval, quote)
        if placed is not None:
            return placed
    wanted = quote if quote is not None else support.claim_text
    if wanted is None or not wanted.strip():
        return Anchored()
    return _located(around, wanted, prefix, suffix)


def _words(support: Support) -> tuple[str | None, str, str]:
    """The quote with what stands around it; the selector's, where the citation quotes nothing."""
    exact, prefix, suffix = _text_quote(support.selector)
    if support.quote is not None and support.quote.strip():
        return support.quote, prefix, suffix
    return exact, prefix, suffix


def _text_quote(selector: JsonValue) -> tuple[str | None, str, str]:
    """exact, prefix and suffix of a TextQuoteSelector, alone, in a list or as a refinement."""
    waiting, seen = [selector], 0
    while waiting and seen < 16:  # selectors nest (refinedBy, Choice); a bound keeps it short
        seen += 1
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting += one[:16]
        elif isinstance(one, Mapping):
            exact = one.get("exact")
            if one.get("type", "TextQuoteSelector") == "TextQuoteSelector" and (
                isinstance(exact, str) and exact.strip()
            ):
                sides = [
                    side if isinstance(side, str) else ""
                    for side in (one.get("prefix"), one.get("suffix"))
                ]
                return exact, sides[0], sides[1]
            waiting += [one[name] for name in ("selector", "refinedBy", "items") if name in one]
    return None, "", ""


def _by_interval(around: Surroundings, interval: Interval, quote: str | None) -> Anchored | None:
    """The support interval, proved by the quote; None where it proves nothing."""
    if interval.within == "chunk":
        verified = verify(around.text, interval, quote)
        offset = len(around.before)
    else:
        if around.start is None or interval.unit != "codepoint":
            return None
        # What is shown of the document, so that its offsets can be checked against it.
        shown = around.before + around.text + around.after
        first = around.start - len(around.before)
        moved = Interval(interval.start - first, interval.end - first)
        if moved.start < 0:
            # Begins before what is shown: only a quote can tell where it stands.
            return None
        verified = verify(shown, moved, quote)
        offset = 0
    if verified.start is None or verified.end is None or verified.start == verified.end:
        return None
    found = Located(verified.start + offset, verified.end + offset, verified.anchor or Anchor.EXACT)
    return _intersected(around, found)


def _located(around: Surroundings, wanted: str, prefix: str, suffix: str) -> Anchored:
    """In the passage; else, where it is surer, in the passage with its neighbours."""
    inside = locate(around.text, wanted, prefix=prefix, suffix=suffix)
    begin = len(around.before)
    if inside.anchor in _SURE:
        return _intersected(around, _moved(inside, begin)) or Anchored()
    shown = around.before + around.text + around.after
    outside = locate(shown, wanted, prefix=prefix, suffix=suffix)
    crossing = _intersected(around, outside)
    if outside.anchor in _SURE and crossing is not None:
        return crossing
    if inside.start is not None:
        return _intersected(around, _moved(inside, begin)) or Anchored()
    if inside.anchor is Anchor.AMBIGUOUS:
        return Anchored(anchor=Anchor.AMBIGUOUS)
    if crossing is not None:
        return crossing
    return Anchored(anchor=Anchor.UNVERIFIABLE)


def _moved(found: Located, by: int) -> Located:
    if found.start is None or found.end is None:
        return found
    return Located(found.start + by, found.end + by, found.anchor, found.similarity)


def _intersected(around: Surroundings, found: Located) -> Anchored | None:
    """A place in all that is shown, split at the passage's edges; None outside of the passage."""
    if found.start is None or found.end is None:
        return None
    begin = len(around.before)
    end = begin + len(around.text)
    inside = Span(max(found.start, begin) - begin, min(found.end, end) - begin)
    if inside.start >= inside.end:
        return None
    before = (Span(found.start, begin),) if found.start < begin else ()
    after = (Span(0, found.end - end),) if found.end > end else ()
    return Anchored((inside,), before, after, found.anchor, cut=bool(before or after))
