"""Text without the differences that a reader does not see, and the way back to its offsets.

Parsers and models disagree about white space, composed characters, soft hyphens, words
broken at the end of a line, quotation marks, dashes, ligatures, marks of writing direction
and the bars of tables. Two texts that are equal here say the same.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from lineage.content.graphemes import joins

_SOFT_HYPHEN: Final = "\u00ad"
# Characters that show as nothing: zero-width space, word joiner, byte order mark, marks of
# writing direction, the choice between text and picture of an emoji. Joiners stay: they
# make one emoji of several, and other words in Persian.
_UNSEEN: Final = "\u200b\u2060\ufeff\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufe0e\ufe0f"
# One character for another of the same meaning: quotation marks, dashes, ligatures of fonts.
_SAME: Final = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
    "\u2026": "...",
}
# The end of a line or of a page, with what is blank around it.
_LINE_END: Final = r"[^\S\n\f]*[\n\f]\s*"
_BLANK: Final = rf"[\s|{_UNSEEN}]"
# Begins with one class of characters, of which there are few in a text: so it is found quickly.
_CHANGED: Final = re.compile(
    rf"[\s|\-{_SOFT_HYPHEN}{_UNSEEN}{''.join(_SAME)}]"
    # A soft hyphen, with the line break it may stand before; else a hyphen at the end of a line.
    rf"(?:(?<={_SOFT_HYPHEN})(?:{_LINE_END})?|(?<=\w[-\u2010]){_LINE_END}(?=\w)"
    # White space that is not one plain space already, with the bars between cells of a table.
    rf"|(?<={_BLANK}){_BLANK}+|(?<=[^\S ])|(?<=[{_UNSEEN}{''.join(_SAME)}]))"
)
_BROKEN_WORD: Final = re.compile(rf"\w[-\u2010]{_LINE_END}\w")


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

    Bars beside white space (cells of a table) count as white space. A hyphen at the end of
    a line may belong to the word ("well-\nknown"): with `keep_hyphens` the parts are joined
    by it, else without it. Space at the ends stays.
    """
    composed = _composed(text)
    out: list[str] = []
    edits: list[Edit] = []
    done = new = 0
    for match in _CHANGED.finditer(composed.text):
        kept = composed.text[done : match.start()]
        put = _put(match.group(), keep_hyphens=keep_hyphens)
        new += len(kept)
        edits.append(Edit(new, new + len(put), match.start(), match.end()))
        out += (kept, put)
        new += len(put)
        done = match.end()
    if not edits:
        return composed
    out.append(composed.text[done:])
    return Normalised("".join(out), edits, composed)


def _put(found: str, *, keep_hyphens: bool) -> str:
    """What stands for white space, what is unseen, and characters of the same meaning."""
    if found in _SAME:
        return _SAME[found]
    if found[0] in "-\u2010":
        return "-" if keep_hyphens else ""
    if found[0] == _SOFT_HYPHEN:
        return ""
    return " " if any(map(str.isspace, found)) else "|" * found.count("|")


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
        if at < len(text) and joins(text[at]):
            continue
        cluster = text[start:at]
        put = unicodedata.normalize("NFC", cluster)
        if put != cluster:
            edits.append(Edit(new, new + len(put), start, at))
        out.append(put)
        new += len(put)
        start = at
    return Normalised("".join(out), edits)
