"""Which words two texts share, in order: what a word diff is made of.

Long texts are cut where both have the same rare run of words, so that what is compared word
by word stays small: its cost is the product of both lengths.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Final

from rapidfuzz.distance import LCSseq

# Scripts without spaces: each character is a word, or one changed letter would change a sentence.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARKS: Final = "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a\ufe00-\ufe0f"
# What is no part of a word (but see _JOINING), ASCII and beyond.
_PUNCTUATION: Final = (
    "!-/:-@\\[-^`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b4-\u00b8\u00bb-\u00bf\u00d7\u00f7"
    "\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u257f\u3001-\u303f\uff01-\uff0f\uff1a-\uff20"
)
# Between two letters or digits these belong to the word: don't, 1,240, io.example, well-known.
_JOINING: Final = "'\u2019.,_\u2010\\-"
_LETTERS: Final = rf"[^\s{_PUNCTUATION}{_UNSPACED}]+"
_SPELLED: Final = rf"{_LETTERS}(?:[{_JOINING}]{_LETTERS})*|\S[{_MARKS}]*"
_SPACED: Final = re.compile(rf"(?:[{_UNSPACED}][{_MARKS}]*|{_SPELLED})\s*")
_PHRASED: Final = re.compile(rf"(?:[{_UNSPACED}{_MARKS}]+|{_SPELLED})\s*")
# Lengths of the runs that are looked for, the surest first.
_RUNS: Final = (4, 2)
# More than the words of two texts together; for numbers made of several words.
_BITS: Final = 24
# Words of the one times words of the other that are compared in one go, and in all.
_MOST_AT_ONCE: Final = 9_000_000
_MOST_IN_ALL: Final = 64_000_000


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, and where each begins; the white space behind a word belongs to it."""

    text: str
    words: Sequence[str]
    starts: Sequence[int]

    def start(self, word: int) -> int:
        """Where the stretch of this word begins: the first one's with the text."""
        if word == 0:
            return 0
        return self.starts[word] if word < len(self.starts) else len(self.text)


@dataclass(frozen=True, slots=True)
class Shared:
    """So many words from `old` of the one text on are those from `new` of the other on."""

    old: int
    new: int
    length: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """What is shared, in order, ending with an empty one at both ends.

    `coarse`: a part was too long to be compared by words and was compared by lines.
    """

    shared: tuple[Shared, ...]
    coarse: bool


def words_of(text: str, *, phrases: bool = False) -> Words:
    """A text in words: runs of letters and digits, and each sign of punctuation by itself.

    Of scripts without spaces each character is a word, or, with `phrases`, what stands
    between punctuation.
    """
    spaced = (_PHRASED if phrases else _SPACED).findall(text)
    blank = len(text) - len(text.lstrip())
    starts = list(accumulate(map(len, spaced), initial=blank))
    return Words(text, [*map(str.rstrip, spaced)], starts[:-1])


def align(old: Words, new: Words) -> Alignment:
    """The words that both share, as many as can be found in order."""
    a, b = old.words, new.words
    head = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        head += 1
    tail, most = 0, min(len(a), len(b)) - head
    while tail < most and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    work = _Work(old, new)
    middle = list(work.between((head, len(a) - tail), (head, len(b) - tail), _RUNS))
    ends = [Shared(len(a) - tail, len(b) - tail, tail), Shared(len(a), len(b), 0)]
    return Alignment(tuple(_joined([Shared(0, 0, head), *middle, *ends])), work.coarse)


def _joined(found: Sequence[Shared]) -> Iterator[Shared]:
    """What follows one another as one; the last stays by itself."""
    last: Shared | None = None
    for each in found[:-1]:
        if not each.length:
            continue
        if last and (last.old + last.length, last.new + last.length) == (each.old, each.new):
            last = Shared(last.old, last.new, last.length + each.length)
            continue
        if last:
            yield last
        last = each
    if last:
        yield last
    yield found[-1]


class _Work:
    """The comparison of two texts, with what is left of its bound."""

    def __init__(self, old: Words, new: Words) -> None:
        self._old, self._new = old, new
        number: dict[str, int] = {}
        for word in chain(old.words, new.words):
            number.setdefault(word, len(number))
        self._a = [number[word] for word in old.words]
        self._b = [number[word] for word in new.words]
        self._left = _MOST_IN_ALL
        self.coarse = False

    def between(
        self, old: tuple[int, int], new: tuple[int, int], runs: Sequence[int]
    ) -> Iterator[Shared]:
        """What is shared by these words, from the first to before the second number."""
        cost = (old[1] - old[0]) * (new[1] - new[0])
        if not cost:
            return
        if cost <= _MOST_AT_ONCE and cost <= self._left:
            self._left -= cost
            yield from _compared(self._a[old[0] : old[1]], self._b[new[0] : new[1]], old[0], new[0])
            return
        if not runs:
            self.coarse = True
            yield from self._by_lines(old, new)
            return
        at_old, at_new = old[0], new[0]
        a, b = self._a[old[0] : old[1]], self._b[new[0] : new[1]]
        for run in _rare_runs(a, b, runs[0]):
            # Runs overlap: what the last one has taken is taken.
            skip = max(0, at_old - old[0] - run.old, at_new - new[0] - run.new)
            if skip >= run.length:
                continue
            first, other = run.old + old[0] + skip, run.new + new[0] + skip
            yield from self.between((at_old, first), (at_new, other), runs[1:])
            yield Shared(first, other, run.length - skip)
            at_old, at_new = first + run.length - skip, other + run.length - skip
        yield from self.between((at_old, old[1]), (at_new, new[1]), runs[1:])

    def _by_lines(self, old: tuple[int, int], new: tuple[int, int]) -> Iterator[Shared]:
        ours, theirs = _lines(self._old, *old), _lines(self._new, *new)
        if (len(ours) - 1) * (len(theirs) - 1) > _MOST_AT_ONCE:
            return
        a = [tuple(self._a[low:high]) for low, high in pairwise(ours)]
        b = [tuple(self._b[low:high]) for low, high in pairwise(theirs)]
        for same in _compared(a, b, 0, 0):
            first, other = ours[same.old], theirs[same.new]
            yield Shared(first, other, ours[same.old + same.length] - first)


def _compared(a: Sequence[object], b: Sequence[object], old: int, new: int) -> Iterator[Shared]:
    """The longest common subsequence."""
    for step in LCSseq.opcodes(a, b):
        if step.tag == "equal":
            length = step.src_end - step.src_start
            yield Shared(old + step.src_start, new + step.dest_start, length)


def _lines(words: Words, first: int, end: int) -> list[int]:
    """The words with which lines begin, the first one given, and the end."""
    begins = [
        at
        for at in range(first + 1, end)
        if "\n" in words.text[words.starts[at - 1] : words.starts[at]]
    ]
    return [first, *begins, end]


def _rare_runs(a: Sequence[int], b: Sequence[int], length: int) -> list[Shared]:
    """Runs of words that each text has once, in an order that both keep: the longest such row."""
    ours, theirs = _once(a, length), _once(b, length)
    pairs = sorted((at, theirs[run]) for run, at in ours.items() if run in theirs)
    if any(other <= one for (_, one), (_, other) in pairwise(pairs)):
        pairs = _rising(pairs)
    runs: list[Shared] = []
    first = other = count = 0
    for one, two in pairs:
        if count and (one, two) == (first + count, other + count):
            count += 1
            continue
        if count:
            runs.append(Shared(first, other, count + length - 1))
        first, other, count = one, two, 1
    return [*runs, Shared(first, other, count + length - 1)] if count else []


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs in which the second number rises as the first does."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for place, (_, at) in enumerate(pairs):
        rank = bisect_left(tails, at)
        before.append(last[rank - 1] if rank else -1)
        if rank == len(tails):
            tails.append(at)
            last.append(place)
        else:
            tails[rank] = at
            last[rank] = place
    row: list[tuple[int, int]] = []
    place = last[-1] if last else -1
    while place >= 0:
        row.append(pairs[place])
        place = before[place]
    return row[::-1]


def _once(words: Sequence[int], length: int) -> dict[int, int]:
    """The runs of this length that occur once, each as one number, with their places."""
    runs = words
    for skip in range(1, length):
        runs = [run << _BITS | word for run, word in zip(runs, words[skip:], strict=False)]
    place = dict(zip(runs, range(len(runs)), strict=True))
    return {run: place[run] for run, count in Counter(runs).items() if count == 1}
