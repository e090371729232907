"""Which characters of a title or an excerpt were found; pure.

Words are compared folded, but shown as they were written: accents, ligatures and case stand.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from lineage.ingest.search_words import folded

# A word with its combining marks, which the table of words does not have.
_WORD: Final = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
EXCERPT: Final = 160
# Characters of an excerpt before the first word that was found.
_LEAD: Final = 40
Meanings = Sequence[Sequence[str]]


def found_in(text: str, meanings: Meanings) -> list[tuple[int, int]]:
    """(start, end) of what was found, in order: a word that begins as asked, as far as it does.

    `meanings`: each word asked for, folded, with those that it may be mistyped for.
    """
    return list(_found(text, [word for several in meanings for word in several]))


def excerpt(text: str, meanings: Meanings) -> str | None:
    """Some 160 characters of a text, in one line, around the first word that was found; None without one."""
    line = " ".join(text.split())
    first = next(_found(line, [word for several in meanings for word in several]), None)
    if first is None:
        return None
    start = max(0, first[0] - _LEAD)
    if start:
        # At a word's beginning, unless that is too far off.
        space = line.find(" ", start, first[0])
        start = space + 1 if space >= 0 else start
    end = start + EXCERPT
    if end < len(line):
        space = line.rfind(" ", first[1], end)
        end = space if space > 0 else end
    return f"{'… ' if start else ''}{line[start:end]}{' …' if end < len(line) else ''}"


def _found(text: str, asked: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(start, end) of what of each word was asked for, the longest that it begins with."""
    if not asked:
        return
    for match in _WORD.finditer(text):
        word = folded(match.group())
        begun = max((each for each in asked if word.startswith(each)), key=len, default="")
        if begun:
            yield match.start(), match.start() + _reaches(match.group(), begun)


def _reaches(word: str, begun: str) -> int:
    """How many characters of a word, as written, its folded beginning takes."""
    for length in range(1, len(word) + 1):
        rest = word[length : length + 1]
        # A mark belongs to its letter.
        if rest and unicodedata.combining(rest):
            continue
        if len(folded(word[:length])) >= len(begun):
            return length
    return len(word)
