"""What changed between two texts, word by word, and how much of that a reader must look at."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

from citations.alignment import Alignment, Shared, Words, align, words_of
from citations.gaps import Gap, gaps_of, spoken, told
from citations.marks import Span
from lineage.content.normalise import same_words

# Quotation marks beyond those that lineage.content.normalise knows, for the plain ones.
_QUOTES: Final = str.maketrans(
    dict.fromkeys("\u00ab\u00bb\u300c\u300d\u300e\u300f\u301d\u301e\u301f\uff02", '"')
    | dict.fromkeys("\u2039\u203a\u0060\u00b4\uff07", "'")
)
# The letter-like apostrophe is one of the quotation marks.
_NO_LETTER: Final = re.compile(r"[\W_\u02bc]+")
# From this length of both texts on (code points), phrases of scripts without spaces are words.
_LONG: Final = 600_000
# Code points of white space between a word that stayed and one that was removed behind it.
_MOST_SPACE: Final = 8
# Least share of the words of a passage that a text must have kept to continue it.
_LEAST_KEPT: Final = 0.5
# Words that it may have come to, as often as it had, and so many more.
_MOST_TIMES: Final = 3
_MOST_MORE: Final = 12


class Verdict(StrEnum):
    """What has become of a text, the best first."""

    UNCHANGED = "unchanged"
    COSMETIC = "cosmetic"  # other white space, line breaks, kinds of quotation mark or dash
    CHANGED = "changed"
    GONE = "gone"


class Kind(StrEnum):
    """What a stretch is to the two texts."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some words that both texts have, or only the old or the new one.

    `words` counts them. `old` and `new` are where the stretch begins in each text; of one
    that is in both, `text` is that of the new one (white space may differ).
    """

    kind: Kind
    text: str
    words: int
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The stretches in order. `changes` counts places that differ, each once.

    `coarse`: where the texts are long and unlike each other, whole lines were compared.
    """

    stretches: tuple[Stretch, ...]
    changes: int
    removed: int  # words
    added: int
    coarse: bool


def verdict_on(old: str, new: str) -> Verdict:
    """Unchanged, cosmetic or changed.

    Cosmetic is what lineage.content.normalise calls the same words, and any kind of
    quotation mark for another. Letter case and every other sign of punctuation may carry
    meaning ("must" and "MUST", "let's eat, Grandma"), so they are changes.
    """
    if old == new:
        return Verdict.UNCHANGED
    if _skeleton(old) != _skeleton(new):
        return Verdict.CHANGED  # spares long texts the exact comparison
    plain = old.translate(_QUOTES), new.translate(_QUOTES)
    return Verdict.COSMETIC if same_words(*plain) else Verdict.CHANGED


def _skeleton(text: str) -> str:
    """The letters and digits alone, which nothing cosmetic changes."""
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text))


class Comparison:
    """Two texts compared once, for a diff of them and for what became of a passage."""

    def __init__(self, old: str, new: str) -> None:
        phrases = len(old) + len(new) > _LONG
        self._old, self._new = (words_of(text, phrases=phrases) for text in (old, new))
        self._found = align(self._old, self._new)

    def difference(self) -> Difference:
        """The word diff. What differs only in white space is the same."""
        return _Telling(self._old, self._new).difference(self._found)

    def continued(self, passage: Span) -> Span | None:
        """Where the new text goes on with a passage of the old one.

        None where it has kept less than half of its words, or these stand so far apart that
        they are there by chance. A change at an end of the passage belongs to it if it lies
        wholly within.
        """
        low = bisect_right(self._old.starts, passage.start) - 1
        low, high = max(0, low), bisect_left(self._old.starts, passage.end)
        kept, ends = 0, []
        for same, following in pairwise([Shared(0, 0, 0), *self._found.shared]):
            first, last = max(low, same.old), min(high, same.old + same.length)
            if first < last:
                shift = same.new - same.old
                kept += spoken(self._old.words[first:last])
                ends += [first + shift, last + shift]
            gap = same.old + same.length, following.old
            if gap[0] < gap[1] and low <= gap[0] and gap[1] <= high:
                ends += [same.new + same.length, following.new]
        wanted = spoken(self._old.words[low:high])
        if not wanted or kept < _LEAST_KEPT * wanted:
            return None
        if spoken(self._new.words[min(ends) : max(ends)]) > _MOST_TIMES * wanted + _MOST_MORE:
            return None
        start, end = self._new.start(min(ends)), self._new.start(max(ends))
        return Span(start, start + len(self._new.text[start:end].rstrip()))


def difference(old: str, new: str) -> Difference:
    """The word diff of two texts."""
    return Comparison(old, new).difference()


class _Telling:
    """An alignment put into stretches of text."""

    def __init__(self, old: Words, new: Words) -> None:
        self._old, self._new = old, new

    def difference(self, found: Alignment) -> Difference:
        stretches: list[Stretch] = []
        at_old = at_new = removed = added = 0
        gaps = told(gaps_of(found), self._old, self._new)
        end = Gap((len(self._old.words),) * 2, (len(self._new.words),) * 2)
        for gap in [*gaps, end]:
            same = self._stretch(Kind.SAME, (at_old, gap.old[0]), (at_new, gap.new[0]))
            gone = self._stretch(Kind.REMOVED, gap.old, (gap.new[0], gap.new[0]))
            come = self._stretch(Kind.ADDED, (gap.old[1], gap.old[1]), gap.new)
            # What followed in the old text stood apart there, though now nothing follows here.
            if same and gone and not same[0].text[-1].isspace():
                same = [replace(same[0], text=same[0].text + self._space(gap.old[0]))]
            removed += sum(each.words for each in gone)
            added += sum(each.words for each in come)
            stretches += same + gone + come
            at_old, at_new = gap.old[1], gap.new[1]
        return Difference(tuple(stretches), len(gaps), removed, added, found.coarse)

    def _stretch(self, kind: Kind, old: tuple[int, int], new: tuple[int, int]) -> list[Stretch]:
        """One, or none where it has no words."""
        text, (first, end) = (self._old, old) if kind is Kind.REMOVED else (self._new, new)
        if first == end:
            return []
        low, high = text.start(first), text.start(end)
        words = spoken(text.words[first:end])
        starts = self._old.start(old[0]), self._new.start(new[0])
        return [Stretch(kind, text.text[low:high], words, *starts)]

    def _space(self, word: int) -> str:
        """The white space before a word of the old text."""
        end = self._old.start(word)
        before = self._old.text[max(0, end - _MOST_SPACE) : end]
        return before[len(before.rstrip()) :]
