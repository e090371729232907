"""An answer's plain text to claims: what each citation marker vouches for, and what has none.

One module for all formats whose answers arrive as text. A claim is the trimmed text from the
previous marker group, or the start of the paragraph, to the next marker group; markers with no
word between them form one group, and all of them belong to the claim before them. What is left
without a marker becomes one uncited claim per sentence. Intervals are code points, end
exclusive; markers stand outside them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.formats.markers import MARKER, Marker, marker_of

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
# Where a line starts a block of its own: list items, headings, table rows.
_BLOCK_START: Final = re.compile(r"[ \t]*(?:(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+|#{1,6}[ \t]+|\|)")
# "[^1]: Smith 2003" and "[1]: https://…" say what a marker means; they claim nothing.
_DEFINITION: Final = re.compile(r" {0,3}\[\^?[^\]\n]{1,40}\]:")
_WORD_CHARACTER: Final = re.compile(r"\w")
# What ends the sentence of the claim before, printed after its marker: "Fees fell [4]. They rose".
_AFTER_MARKER: Final = re.compile(r"[ \t]*+[.,;:!?…。，、；：！？)”»]++(?![0-9])")
# Possessive and anchored at the first stop of a run, so that a million stops take one pass.
_SENTENCE_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[。！？]++[”」』）]*+")
_ABBREVIATIONS: Final = frozenset(
    (
        *("e.g", "i.e", "al", "cf", "vs", "approx", "dr", "mr", "mrs", "ms", "prof", "st", "jr"),
        *("sr", "fig", "figs", "eq", "no", "vol", "ref", "refs", "u.s", "u.k"),
    )
)


@dataclass(frozen=True, slots=True)
class SplitClaim:
    """A claim: its interval in the answer (code points, end exclusive) and the markers after it."""

    start: int
    end: int
    markers: tuple[Marker, ...] = ()


def claims_of(text: str, *, markers: Sequence[str] = ()) -> list[SplitClaim]:
    """The claims of an answer, in the order of the text.

    `markers` are printed markers that the answer's sender says to be such, whatever they look
    like ("[k2]", "(Smith 2003)"); they have no positions of their own.
    """
    code = [match.span() for match in _CODE.finditer(text)]
    known = MARKER if not markers else _with(markers)
    claims: list[SplitClaim] = []
    for start, end in _blocks(text):
        groups = list(_groups(text, start, end, code, known))
        found = list(_claims_in(text, start, end, groups))
        if not found and groups and claims:
            # A paragraph of nothing but markers cites what stands before it.
            last = claims.pop()
            cited = last.markers + tuple(m for group in groups for m in group.markers)
            found = [SplitClaim(last.start, last.end, cited)]
        claims.extend(found)
    return claims


def _with(markers: Sequence[str]) -> re.Pattern[str]:
    """The marker pattern with further literal markers, the longest first."""
    literal = "|".join(re.escape(each) for each in sorted(set(markers), key=lambda m: (-len(m), m)))
    return re.compile(rf"(?-i:{literal})|{MARKER.pattern}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Group:
    start: int
    end: int
    markers: tuple[Marker, ...]


def _claims_in(text: str, start: int, end: int, groups: list[_Group]) -> Iterator[SplitClaim]:
    cursor = start
    for group in groups:
        opening, closing = _trim(text, cursor, group.start, after_marker=cursor != start)
        if opening < closing:
            yield SplitClaim(opening, closing, group.markers)
        cursor = group.end
    opening, closing = _trim(text, cursor, end, after_marker=cursor != start)
    yield from _sentences(text, opening, closing)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, and within them list items, headings and table rows; without their marks."""
    start: int | None = None
    offset = 0
    for line in text.splitlines(keepends=True):
        mark = _BLOCK_START.match(line)
        skipped = not line.strip() or _DEFINITION.match(line) is not None
        if start is not None and (mark or skipped):
            yield start, offset
            start = None
        if start is None and not skipped:
            start = offset + (mark.end() if mark else 0)
        offset += len(line)
    if start is not None:
        yield start, offset


def _groups(
    text: str, start: int, end: int, code: list[tuple[int, int]], known: re.Pattern[str]
) -> Iterator[_Group]:
    markers: list[Marker] = []
    opened = closed = start
    for match in known.finditer(text, start, end):
        before = bisect_right(code, (match.start(), len(text)))
        if before and match.start() < code[before - 1][1]:
            continue
        if markers and _WORD_CHARACTER.search(text, closed, match.start()):
            yield _Group(opened, closed, tuple(markers))
            markers = []
        if not markers:
            opened = match.start()
        markers.append(marker_of(match))
        closed = match.end()
    if markers:
        yield _Group(opened, closed, tuple(markers))


def _trim(text: str, start: int, end: int, *, after_marker: bool) -> tuple[int, int]:
    """The interval without surrounding space; empty where no word is left."""
    if after_marker:
        ending = _AFTER_MARKER.match(text, start, end)
        start = ending.end() if ending else start
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "(["):
        end -= 1
    return (start, end) if _WORD_CHARACTER.search(text, start, end) else (end, end)


def _sentences(text: str, start: int, end: int) -> Iterator[SplitClaim]:
    cursor = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if match.end() < end and _goes_on(text, cursor, match, end):
            continue
        opening, closing = _trim(text, cursor, match.end(), after_marker=False)
        if opening < closing:
            yield SplitClaim(opening, closing)
        cursor = match.end()
    opening, closing = _trim(text, cursor, end, after_marker=False)
    if opening < closing:
        yield SplitClaim(opening, closing)


def _goes_on(text: str, start: int, mark: re.Match[str], end: int) -> bool:
    """Whether the sentence goes on: after an abbreviation or initial, or with a small letter."""
    following = mark.end()
    while following < end and text[following].isspace():
        following += 1
    if following < end and text[following].islower():
        return True
    if mark.group() != ".":
        return False
    token = mark.start()
    while token > start and not text[token - 1].isspace() and mark.start() - token < 12:
        token -= 1
    word = text[token : mark.start()].lstrip("([\"'“‘")
    return word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper())
