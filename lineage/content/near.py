"""Where a text stands that is similar to a quotation, though not the same words throughout."""

from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from lineage.content.graphemes import is_cut

# Least similarity (2 × common subsequence / both lengths) of a near match.
LEAST_SIMILARITY: Final = 0.8
# A second match that comes this close to the best makes the place ambiguous.
AMBIGUITY_MARGIN: Final = 0.05
# Shorter quotations are found exactly or not at all: one letter would make a fifth of them.
_LEAST_LENGTH: Final = 8
# Longer ones are found by their two ends, each this long (code points): the cost of a near
# match grows with the square of the length.
_LONG: Final = 1_000
_END_LENGTH: Final = 400
# No near match is looked for in texts beyond this (code points); exact ones are.
_MOST_TEXT: Final = 2_000_000
# Long enough not to occur by chance, short enough to survive scattered differences.
_GRAM: Final = 6
_GRAMS: Final = 32
# The edges of a near match are looked for within so many code points, and a quarter of the quote.
_LEAST_REACH: Final = 24

Stretch = tuple[int, int, float]  # start, end, similarity


class Several(Exception):
    """More than one stretch of the text is as similar."""


def near(text: str, quote: str) -> Stretch | None:
    """The only stretch of the text that is similar enough to the quote, in whole words.

    Small and capital letters are alike.
    None where there is none; raises Several where a second one is about as similar.
    """
    if len(quote) < _LEAST_LENGTH or len(text) > _MOST_TEXT:
        return None
    text, quote = _lowered(text), _lowered(quote)
    if len(quote) > _LONG:
        return _long(text, quote)
    return _short(text, quote)


def similarity(first: str, second: str) -> float:
    """From 0 (nothing in common) to 1 (equal)."""
    return Indel.normalized_similarity(first, second)


def _lowered(text: str) -> str:
    """In small letters, unless that would move its characters."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _short(text: str, quote: str) -> Stretch | None:
    best = _best(text, quote, LEAST_SIMILARITY)
    if best is None:
        return None
    start, end, alike = best
    bar = max(LEAST_SIMILARITY, alike - AMBIGUITY_MARGIN)
    if _best(text[:start], quote, bar) or _best(text[end:], quote, bar):
        raise Several
    start, end, alike = _with_true_edges(text, quote, best)
    start, end = _trimmed(text, start, end)
    return start, end, alike


def _long(text: str, quote: str) -> Stretch | None:
    """A long quote by its two ends: both found, in order, and alike in between."""
    head, tail = _short(text, quote[:_END_LENGTH]), _short(text, quote[-_END_LENGTH:])
    if head is None or tail is None:
        return None
    start, end = head[0], tail[1]
    if not start < end <= start + 2 * len(quote):
        return None
    alike = similarity(quote, text[start:end])
    return (start, end, alike) if alike >= LEAST_SIMILARITY else None


def _best(text: str, quote: str, least: float) -> Stretch | None:
    """The stretch most similar to the quote, and how similar; None below `least`."""
    if len(text) < len(quote) * least or not _has_something_of(text, quote):
        return None
    if len(text) <= len(quote):
        alike = Indel.normalized_similarity(quote, text, score_cutoff=least)
        return (0, len(text), alike) if alike >= least else None
    found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=100 * least)
    if found is None or found.dest_end <= found.dest_start:
        return None
    alike = similarity(quote, text[found.dest_start : found.dest_end])
    if alike < least:
        return None  # only a part of the quote, cut by an end of the text
    return found.dest_start, found.dest_end, alike


def _with_true_edges(text: str, quote: str, found: Stretch) -> Stretch:
    """The stretch in whole words whose ends suit the quote best.

    A stretch is found at the quote's own length: where the text has more in its middle, an
    end is missing; where it has less, an end is too much. One end is moved, then the other,
    each twice, since where the one belongs depends on the other.
    """
    start, end, alike = found
    reach = _LEAST_REACH + min(len(quote), _LONG) // 4
    starts = _edges(text, start, reach)
    ends = _edges(text, end, reach)
    for _ in range(2):
        alike, start = max(
            ((similarity(quote, text[at:end]), at) for at in starts if at < end),
            default=(alike, start),
        )
        alike, end = max(
            ((similarity(quote, text[start:at]), at) for at in ends if at > start),
            default=(alike, end),
        )
    return start, end, alike


def _edges(text: str, around: int, reach: int) -> list[int]:
    """Where a stretch may begin or end near this position: wherever no word is cut."""
    low, high = max(0, around - reach), min(len(text), around + reach)
    return [at for at in range(low, high + 1) if not _within_word(text, at)]


def _has_something_of(text: str, quote: str) -> bool:
    """Whether any of some short stretches of the quote stands in the text: a cheap refusal."""
    if len(quote) < 2 * _GRAM * _GRAM:
        return True
    step = max(1, (len(quote) - _GRAM) // _GRAMS)
    return any(quote[at : at + _GRAM] in text for at in range(0, len(quote) - _GRAM + 1, step))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _within_word(text: str, at: int) -> bool:
    """Whether a word, or one visible character, goes on over this position."""
    if not 0 < at < len(text):
        return False
    return is_cut(text, at) or (text[at - 1].isalnum() and text[at].isalnum())
