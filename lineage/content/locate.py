"""Where a quotation stands in a text: exactly, but for invisible differences, or nearly.

A place that is not the only one is no place: nothing is guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.content.graphemes import whole
from lineage.content.near import Several, near, similarity
from lineage.content.normalise import Normalised, has_broken_words, normalised
from lineage.vocabulary import Anchor

# Equal places that are told apart by what stands around them; beyond, nothing is guessed.
_MOST_PLACES: Final = 1_000
# White space that may stand between a place and the words around it.
_SLACK: Final = 16
# The words around a place are these from this similarity on, and the second best such place
# is behind by this much: unrelated words come to about 0.5.
_LEAST_AROUND: Final = 0.8
_AHEAD_AROUND: Final = 0.15
_SEVERAL: Final = -1


@dataclass(frozen=True, slots=True)
class Located:
    """A place in a text (code points, end exclusive) and how it was found.

    `anchor` is exact, normalised or relocated (a near match, as similar as `similarity` says);
    ambiguous or unverifiable without a place (start and end None).
    """

    start: int | None
    end: int | None
    anchor: Anchor
    similarity: float = 1.0

    def moved(self, by: int) -> "Located":
        """The same place in a text in which this one begins `by` code points further on."""
        if self.start is None or self.end is None:
            return self
        return Located(self.start + by, self.end + by, self.anchor, self.similarity)


AMBIGUOUS: Final = Located(None, None, Anchor.AMBIGUOUS)
NOWHERE: Final = Located(None, None, Anchor.UNVERIFIABLE, 0.0)


def occurrences(text: str, quote: str) -> Iterator[int]:
    """Where the quote begins in the text, overlapping ones too, from the left.

    Only in whole visible characters: a scientist's emoji does not hold a woman's.
    """
    at = text.find(quote)
    while at >= 0:
        if whole(text, at, at + len(quote)):
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
    words = [normalised(one).text for one in (quote, prefix, suffix)]
    found = _alike(plain, *words)
    if found is None and (has_broken_words(text) or has_broken_words(quote)):
        kept = [normalised(one, keep_hyphens=True).text for one in (quote, prefix, suffix)]
        found = _alike(normalised(text, keep_hyphens=True), *kept)
    return found or _near(plain, *words)


def locate_same(text: str, quote: str, *, prefix: str = "", suffix: str = "") -> Located:
    """As `locate`, but only where it stands word for word, invisible differences aside."""
    if not quote.strip():
        return NOWHERE
    exact = _only(text, quote, prefix, suffix)
    if exact is not None:
        if exact == _SEVERAL:
            return AMBIGUOUS
        return Located(exact, exact + len(quote), Anchor.EXACT)
    words = [normalised(one).text for one in (quote, prefix, suffix)]
    return _alike(normalised(text), *words) or NOWHERE


def _alike(plain: Normalised, quote: str, prefix: str, suffix: str) -> Located | None:
    """The only place of a normalised quote; ambiguous, or None without any."""
    wanted = quote.strip()
    found = _only(plain.text, wanted, prefix, suffix) if wanted else None
    if found is None or found == _SEVERAL:
        return None if found is None else AMBIGUOUS
    start, end = plain.origin(found, found + len(wanted))
    return Located(start, end, Anchor.NORMALISED)


def _only(text: str, quote: str, prefix: str, suffix: str) -> int | None:
    """Where the only occurrence starts; _SEVERAL, or None without any."""
    places: list[int] = []
    for at in occurrences(text, quote):
        places.append(at)
        if len(places) > (_MOST_PLACES if prefix.strip() or suffix.strip() else 1):
            return _SEVERAL
    if len(places) > 1:
        return _between(text, places, len(quote), prefix.strip(), suffix.strip())
    return places[0] if places else None


def _between(text: str, places: Sequence[int], length: int, before: str, after: str) -> int:
    """The only place between these words, white space aside; else the one nearly between them."""
    same = [at for at in places if _around(text, at, length, before, after) == 1.0]
    if len(same) == 1:
        return same[0]
    if same:
        return _SEVERAL
    ranked = sorted(((_around(text, at, length, before, after), at) for at in places), reverse=True)
    (best, at), (second, _) = ranked[:2]
    return at if best >= _LEAST_AROUND and best - second >= _AHEAD_AROUND else _SEVERAL


def _around(text: str, at: int, length: int, before: str, after: str) -> float:
    """How similar the words around a place are to these, from 0 to 1; 1 exactly if equal."""
    left = text[max(0, at - len(before) - _SLACK) : at].rstrip()
    right = text[at + length : at + length + len(after) + _SLACK].lstrip()
    sides = [
        similarity(said, found)
        for said, found in (
            (before, left[max(0, len(left) - len(before)) :]),
            (after, right[: len(after)]),
        )
        if said
    ]
    return sum(sides) / len(sides) if sides else 1.0


def _near(plain: Normalised, quote: str, prefix: str, suffix: str) -> Located:
    """The only stretch of the text that is similar enough to the quote."""
    wanted = quote.strip()
    try:
        found = near(plain.text, wanted)
    except Several:
        found = _near_between(plain.text, wanted, prefix, suffix)
        if found is None:
            return AMBIGUOUS
    if found is None:
        return NOWHERE
    start, end = plain.origin(found[0], found[1])
    return Located(start, end, Anchor.RELOCATED, found[2])


def _near_between(text: str, quote: str, prefix: str, suffix: str) -> tuple[int, int, float] | None:
    """Of several stretches that are similar the one that stands between these words."""
    if not (prefix.strip() or suffix.strip()):
        return None
    try:
        wide = near(text, f"{prefix}{quote}{suffix}".strip())
        found = near(text[wide[0] : wide[1]], quote) if wide is not None else None
    except Several:
        return None
    if wide is None or found is None:
        return None
    return wide[0] + found[0], wide[0] + found[1], found[2]
