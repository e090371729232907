"""Text without the differences that a reader does not see, and the way back to its offsets.

Parsers and models disagree about white space, composed characters, soft hyphens and words
broken at the end of a line. Two texts that are equal here say the same.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_SOFT_HYPHEN: Final = "\u00ad"
_BREAK: Final = re.compile(
    # A soft hyphen, with the line break it may stand before; else a hyphen at the end of a line.
    rf"{_SOFT_HYPHEN}(?:[^\S\n]*\r?\n\s*)?|(?<=\w)([-\u2010])[^\S\n]*\r?\n\s*(?=\w)"
    # White space that is not one plain space already.
    r"|\s{2,}|[^\S ]"
)
_BROKEN_WORD: Final = re.compile(r"\w[-\u2010][^\S\n]*\r?\n\s*\w")
_JAMO: Final = ("\u1160", "\u11ff")  # vowels and finals, which join the syllable before them


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch that was replaced: where it stands in the new text, and stood in the old one."""

    new_start: int
    new_end: int
    old_start: int
    old_end: int


class Normalised:
    """A normalised text that knows where each of its characters came from."""

    def __init__(self, text: str, edits: list[Edit], before: "Normalised | None" = None) -> None:
        self.text = text
        self._edits = edits
        self._starts = [edit.new_start for edit in edits]
        self._before = before

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The interval of the original text from which this interval came; start < end."""
        begin, finish = self._old(start, at_end=False), self._old(end - 1, at_end=True)
        return self._before.origin(begin, finish) if self._before else (begin, finish)

    def _old(self, position: int, *, at_end: bool) -> int:
        """Where the character at this position began, or ended, in the text before."""
        at = bisect_right(self._starts, position) - 1
        if at < 0:
            return position + at_end
        edit = self._edits[at]
        if position < edit.new_end:
            return edit.old_end if at_end else edit.old_start
        return edit.old_end + (position - edit.new_end) + at_end


def normalised(text: str, *, keep_hyphens: bool = False) -> Normalised:
    r"""The text in NFC, each run of white space as one space, broken words joined.

    A hyphen at the end of a line may belong to the word ("well-\nknown"): with
    `keep_hyphens` the parts are joined by it, else without it. Space at the ends stays.
    """
    composed = _composed(text)
    out: list[str] = []
    edits: list[Edit] = []
    done = new = 0
    for match in _BREAK.finditer(composed.text):
        kept = composed.text[done : match.start()]
        hyphen = match.group(1)
        if hyphen is not None:
            put = hyphen if keep_hyphens else ""
        else:
            put = "" if match.group().startswith(_SOFT_HYPHEN) else " "
        new += len(kept)
        edits.append(Edit(new, new + len(put), match.start(), match.end()))
        out += (kept, put)
        new += len(put)
        done = match.end()
    if not edits:
        return composed
    out.append(composed.text[done:])
    return Normalised("".join(out), edits, composed)


def has_broken_words(text: str) -> bool:
    """Whether a hyphen at the end of a line leaves two ways to join a word."""
    return _BROKEN_WORD.search(text) is not None


def same_words(first: str, second: str) -> bool:
    """Whether two texts are equal once normalised, whichever way broken words are joined."""
    return any(
        normalised(first, keep_hyphens=keep).text.strip()
        == normalised(second, keep_hyphens=keep).text.strip()
        for keep in (False, True)
    )


def _composed(text: str) -> Normalised:
    """NFC, cluster by cluster, so that the way back stays known."""
    if unicodedata.is_normalized("NFC", text):
        return Normalised(text, [])
    out: list[str] = []
    edits: list[Edit] = []
    start = new = 0
    for at in range(1, len(text) + 1):
        if at < len(text) and _joins(text[at]):
            continue
        cluster = text[start:at]
        put = unicodedata.normalize("NFC", cluster)
        if put != cluster:
            edits.append(Edit(new, new + len(put), start, at))
        out.append(put)
        new += len(put)
        start = at
    return Normalised("".join(out), edits)


def _joins(character: str) -> bool:
    """Whether the character may be composed with what stands before it."""
    return unicodedata.category(character)[0] == "M" or _JAMO[0] <= character <= _JAMO[1]
