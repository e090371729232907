"""Where a quotation stands in a text: exactly, but for invisible differences, or nearly.

A place that is not the only one is no place: nothing is guessed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from lineage.content.normalise import Normalised, has_broken_words, normalised
from lineage.vocabulary import Anchor

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
# Equal places that are told apart by what stands around them; beyond, nothing is guessed.
_MOST_PLACES: Final = 1_000
# White space that may stand between a place and the words around it.
_SLACK: Final = 16
_SEVERAL: Final = -1


@dataclass(frozen=True, slots=True)
class Located:
    """A place in a text (code points, end exclusive) and how it was found.

    `anchor` is exact, normalised or relocated (a near match, then `similarity` < 1);
    ambiguous or unverifiable without a place (start and end None).
    """

    start: int | None
    end: int | None
    anchor: Anchor
    similarity: float = 1.0


AMBIGUOUS: Final = Located(None, None, Anchor.AMBIGUOUS)
NOWHERE: Final = Located(None, None, Anchor.UNVERIFIABLE, 0.0)


def occurrences(text: str, quote: str) -> Iterator[int]:
    """Where the quote begins in the text, overlapping ones too, from the left."""
    at = text.find(quote)
    while at >= 0:
        yield at
        at = text.find(quote, at + 1)


def locate(text: str, quote: str, *, prefix: str = "", suffix: str = "") -> Located:
    """The only place of the quote in the text.

    Of several equal places the one between `prefix` and `suffix` (the words before and
    after it, as a Web Annotation TextQuoteSelector has them) is taken, if it is the only
    one there. Near matches count from a similarity of 0.8 on.
    """
    if not quote.strip():
        return NOWHERE
    exact = _only(text, quote, prefix, suffix)
    if exact is not None:
        if exact == _SEVERAL:
            return AMBIGUOUS
        return Located(exact, exact + len(quote), Anchor.EXACT)
    plain = normalised(text)
    found = _alike(plain, normalised(quote).text, normalised(prefix).text, normalised(suffix).text)
    if found is None and (has_broken_words(text) or has_broken_words(quote)):
        words = [normalised(one, keep_hyphens=True).text for one in (quote, prefix, suffix)]
        found = _alike(normalised(text, keep_hyphens=True), words[0], words[1], words[2])
    return found or _near(plain, normalised(quote).text.strip())


def _alike(plain: Normalised, quote: str, prefix: str, suffix: str) -> Located | None:
    """The only place of a normalised quote; ambiguous, or None without any."""
    wanted = quote.strip()
    found = _only(plain.text, wanted, prefix, suffix)
    if found is None or found == _SEVERAL:
        return None if found is None else AMBIGUOUS
    start, end = plain.origin(found, found + len(wanted))
    return Located(start, end, Anchor.NORMALISED)


def _only(text: str, quote: str, prefix: str, suffix: str) -> int | None:
    """Where the only occurrence starts; _SEVERAL, or None without any."""
    places: list[int] = []
    for at in occurrences(text, quote):
        places.append(at)
        if len(places) > (_MOST_PLACES if prefix or suffix else 1):
            return _SEVERAL
    if len(places) > 1:
        places = [at for at in places if _between(text, at, at + len(quote), prefix, suffix)]
        return places[0] if len(places) == 1 else _SEVERAL
    return places[0] if places else None


def _between(text: str, start: int, end: int, prefix: str, suffix: str) -> bool:
    """Whether the words before and after this place are these; white space aside."""
    before, after = prefix.strip(), suffix.strip()
    left = text[max(0, start - len(before) - _SLACK) : start].rstrip()
    right = text[end : end + len(after) + _SLACK].lstrip()
    return left.endswith(before) and right.startswith(after)


def _near(plain: Normalised, quote: str) -> Located:
    """The only stretch of the text that is similar enough to the quote."""
    text = plain.text
    if len(quote) < _LEAST_LENGTH or len(text) > _MOST_TEXT:
        return NOWHERE
    found = _near_long(text, quote) if len(quote) > _LONG else _near_short(text, quote)
    if found.start is None or found.end is None:
        return found
    start, end = plain.origin(found.start, found.end)
    return Located(start, end, Anchor.RELOCATED, found.similarity)


def _near_short(text: str, quote: str) -> Located:
    best = _best(text, quote, LEAST_SIMILARITY)
    if best is None:
        return NOWHERE
    start, end, similarity = best
    bar = max(LEAST_SIMILARITY, similarity - AMBIGUITY_MARGIN)
    if _best(text[:start], quote, bar) or _best(text[end:], quote, bar):
        return AMBIGUOUS
    return Located(*_whole_words(text, start, end), Anchor.RELOCATED, similarity)


def _near_long(text: str, quote: str) -> Located:
    """A long quote by its two ends: both found, in order, and alike in between."""
    head, tail = _near_short(text, quote[:_END_LENGTH]), _near_short(text, quote[-_END_LENGTH:])
    if head.start is None or tail.end is None:
        ambiguous = Anchor.AMBIGUOUS in {head.anchor, tail.anchor}
        return AMBIGUOUS if ambiguous else NOWHERE
    if not head.start < tail.end <= head.start + 2 * len(quote):
        return NOWHERE
    between = text[head.start : tail.end]
    similarity = Indel.normalized_similarity(quote, between, score_cutoff=LEAST_SIMILARITY)
    if similarity < LEAST_SIMILARITY:
        return NOWHERE
    return Located(head.start, tail.end, Anchor.RELOCATED, similarity)


def _best(text: str, quote: str, least: float) -> tuple[int, int, float] | None:
    """The stretch most similar to the quote, and how similar; None below `least`."""
    if len(text) < len(quote) * least or not _has_something_of(text, quote):
        return None
    if len(text) <= len(quote):
        similarity = Indel.normalized_similarity(quote, text, score_cutoff=least)
        return (0, len(text), similarity) if similarity >= least else None
    found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=100 * least)
    if found is None or found.dest_end <= found.dest_start:
        return None
    similarity = Indel.normalized_similarity(quote, text[found.dest_start : found.dest_end])
    if similarity < least:
        return None  # only a part of the quote, cut by an end of the text
    return found.dest_start, found.dest_end, similarity


def _has_something_of(text: str, quote: str) -> bool:
    """Whether any of some short stretches of the quote stands in the text: a cheap refusal."""
    if len(quote) < 2 * _GRAM * _GRAM:
        return True
    step = max(1, (len(quote) - _GRAM) // _GRAMS)
    return any(quote[at : at + _GRAM] in text for at in range(0, len(quote) - _GRAM + 1, step))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without half words at its ends: a near match is a few characters off."""
    reach = 24
    left = start
    while left > max(0, start - reach) and text[left - 1].isalnum() and text[left].isalnum():
        left -= 1
    right = end
    while (
        right < min(len(text), end + reach) and text[right - 1].isalnum() and text[right].isalnum()
    ):
        right += 1
    while left < right and text[left].isspace():
        left += 1
    while right > left and text[right - 1].isspace():
        right -= 1
    return left, right
