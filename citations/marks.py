"""Text cut into pieces that a page can print: characters nobody can see become visible marks.

A right-to-left override or a zero-width space inside a passage can make a reader see
something else than what is stored. The text itself is kept as it is; only its display
names such characters.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

# Of the control characters (Cc) these are layout that every page shows anyway.
_LAYOUT: Final = frozenset("\n\r\t")
# Format characters (Cf) that writing systems and emoji need; they change no order and hide no text.
_JOINERS: Final = frozenset("\u200c\u200d\u00ad")
# Characters of other categories that show as nothing at all.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u2028\u2029")
# Everything but printable ASCII and layout: what is worth a closer look.
_SUSPECT: Final = re.compile(r"[^ -~\n\r\t]")
# Letters and digits of the scripts that are written from right to left, by their blocks.
_FROM_RIGHT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open interval of code points, relative to the text that it comes with."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters printed alike.

    `mark` names the invisible character that the piece stands for ("U+202E RIGHT-TO-LEFT
    OVERRIDE"; then `text` is its code, "U+202E"); it is empty for ordinary text.
    """

    text: str
    mark: str = ""
    highlighted: bool = False


def needs_mark(character: str) -> bool:
    """Whether a reader could not see this character, or it could reorder what stands around it."""
    if character in _LAYOUT or character in _JOINERS:
        return False
    return character in _BLANK or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co"}


def runs_from_right(text: str) -> bool:
    """Whether it has letters that are written from right to left, which reorder what stands beside them."""
    return not text.isascii() and _FROM_RIGHT.search(text) is not None


def mark_of(character: str) -> Piece:
    """The visible mark of one character: its code, and its name where Unicode gives one."""
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    return Piece(text=code, mark=f"{code} {name}".strip())


def pieces_of(text: str, highlights: Sequence[Span] = ()) -> tuple[Piece, ...]:
    """The text as pieces in order; `highlights` may touch, overlap or reach beyond the text.

    Nothing is escaped here: pieces are text nodes, and the template escapes them.
    """
    if text.isascii() and text.isprintable() and text and not highlights:
        return (Piece(text),)
    marks = [at.start() for at in _SUSPECT.finditer(text) if needs_mark(at.group())]
    if text and not marks and not highlights:
        return (Piece(text),)
    lit = _lit(highlights, len(text))
    cuts = {0, len(text)}
    for at in marks:
        cuts |= {at, at + 1}
    for start, end in lit:
        cuts |= {start, end}
    marked = set(marks)
    pieces: list[Piece] = []
    begins = iter([*lit, (len(text), len(text))])
    start, end = next(begins)
    for low, high in pairwise(sorted(cuts)):
        while low >= end and low < len(text) and start < len(text):
            start, end = next(begins)
        highlighted = start <= low < end
        if low in marked:
            mark = mark_of(text[low])
            pieces.append(Piece(mark.text, mark.mark, highlighted))
        else:
            pieces.append(Piece(text[low:high], "", highlighted))
    return tuple(pieces)


def _lit(highlights: Sequence[Span], length: int) -> list[tuple[int, int]]:
    """The highlights within the text, in order, those that touch or overlap as one."""
    lit: list[tuple[int, int]] = []
    within = [(max(0, span.start), min(length, span.end)) for span in highlights]
    for start, end in sorted(one for one in within if one[0] < one[1]):
        if lit and start <= lit[-1][1]:
            lit[-1] = (lit[-1][0], max(lit[-1][1], end))
        else:
            lit.append((start, end))
    return lit
