"""Quotations of an erased text that are too short for its windows, told from words of one's own.

A short run of equal words may be chance; what its writer sets apart as somebody's words is not.
So a stretch is only compared where it is a unit: what stands between quotation marks, a sentence
or a part of one (to a colon, a semicolon, a marker). It is a quotation if all of it stands word for
word in an erased text, whatever its white space, its capitals and its quotation marks.

Known by hashes of windows of a few code points, under a key that lives as long as the erasure
runs (windows.py): each of a stretch's windows is one of the text's. Of very long texts not
every window is kept; of a stretch that is shorter than the gaps nothing can be said.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lineage.content.normalise import normalised
from lineage.erasure.windows import HASH_BYTES, KEY_BYTES, Span, Windows, hashed, lowered, merged

# Code points of a window, and so the least between quotation marks that is compared.
WIDTH: Final = 8
# The least of a sentence or its part, in code points and words: shorter ones everybody writes.
LEAST_SAID: Final = 12
LEAST_WORDS: Final = 3
# Windows that are kept of all texts together: 4 MB.
MOST_WINDOWS: Final = 500_000

# Looked for in normalised text, in which quotation marks are straight and white space is one blank.
_BETWEEN: Final = re.compile(
    r'"([^"]+)"|«([^«»]+)»|‹([^‹›]+)›|「([^「」]+)」|『([^『』]+)』|(?<!\w)\'([^\']+)\'(?!\w)'
)
_END: Final = re.compile(
    r"(?<![.!?])[.!?]++(?=\s|[\"')\]»]|$)|[。！？；：]|[;:](?=\s)|\[[^\]]{0,40}\]|【[^】]{0,40}】|\n"
)
_WORD: Final = re.compile(r"\w+")
# Scripts that put no blanks between words begin here.
_UNSPACED: Final = "\u2e80"


class Quotations:
    """What tells short quotations of some texts."""

    def __init__(self, key: bytes, stride: int, hashes: Iterable[int]) -> None:
        self._key, self._stride = key, stride
        # Searched by halving: a set of them would take ten times the memory.
        self._hashes = array("Q", sorted(set(hashes)))

    @classmethod
    def of(cls, texts: Sequence[str], key: bytes, *, most: int = MOST_WINDOWS) -> "Quotations":
        """Of these texts; every `stride`-th window where there would be more than `most`."""
        read = [lowered(normalised(text).text) for text in texts]
        total = sum(max(0, len(text) - WIDTH + 1) for text in read)
        stride = max(1, -(-total // most))
        hashes = (
            hashed(key, text[at : at + WIDTH])
            for text in read
            for at in range(0, len(text) - WIDTH + 1, stride)
        )
        return cls(key, stride, hashes)

    def spans(self, text: str) -> list[Span]:
        """The stretches of the text, in order and apart, that are quotations of one of the texts."""
        if not self._hashes or len(text) < WIDTH:
            return []
        read = normalised(text)
        words = lowered(read.text)
        found = merged(unit for unit in _units(words) if self._stands(words[slice(*unit)]))
        return merged(read.origin(start, end) for start, end in found)

    def to_bytes(self) -> bytes:
        """As `from_bytes` reads it."""
        return self._key + self._stride.to_bytes(4, "big") + self._hashes.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Quotations":
        """What `to_bytes` wrote, on this machine's byte order."""
        hashes = array("Q")
        hashes.frombytes(data[KEY_BYTES + 4 :])
        return cls(data[:KEY_BYTES], int.from_bytes(data[KEY_BYTES : KEY_BYTES + 4]), hashes)

    def _stands(self, said: str) -> bool:
        """Whether all of it stands in a text: in the text's order of kept windows none is missing."""
        places = len(said) - WIDTH + 1
        return any(
            all(self._kept(said[at : at + WIDTH]) for at in range(first, places, self._stride))
            for first in range(self._stride if places >= self._stride else 0)
        )

    def _kept(self, window: str) -> bool:
        sought = hashed(self._key, window)
        at = bisect_left(self._hashes, sought)
        return at < len(self._hashes) and self._hashes[at] == sought


assert array("Q").itemsize == HASH_BYTES


class Repeated:
    """What an answer repeats of erased texts: long stretches, and short quotations."""

    def __init__(self, windows: Windows, quotations: Quotations) -> None:
        self._long, self._short = windows, quotations

    def spans(self, text: str) -> list[Span]:
        """The stretches of the text, in order and apart."""
        return merged([*self._long.spans(text), *self._short.spans(text)])


def _units(words: str) -> Iterator[Span]:
    """What is compared of a normalised text: between quotation marks, sentences, parts of them."""
    for match in _BETWEEN.finditer(words):
        start, end = _trimmed(words, *match.span(match.lastindex or 0))
        if end - start >= WIDTH:
            yield start, end
    begun = 0
    for ends, next_begins in [
        *(match.span() for match in _END.finditer(words)),
        (len(words), len(words)),
    ]:
        start, end = _trimmed(words, begun, ends)
        begun = next_begins
        if end - start >= LEAST_SAID and _says(words[start:end]):
            yield start, end


def _trimmed(words: str, start: int, end: int) -> Span:
    """Without what is no word at either end."""
    while start < end and not words[start].isalnum():
        start += 1
    while start < end and not words[end - 1].isalnum():
        end -= 1
    return start, end


def _says(said: str) -> bool:
    """Whether it is more than a name or a heading of a word or two."""
    return any(one >= _UNSPACED for one in said) or len(_WORD.findall(said)) >= LEAST_WORDS
