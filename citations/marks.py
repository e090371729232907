"""Text cut into pieces that a page can print: characters nobody can see become visible marks.

A right-to-left override or a zero-width space inside a passage can make a reader see
something else than what is stored. The text itself is kept as it is; only its display
names such characters.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

# Of the control characters (Cc) these are layout that every page shows anyway.
_LAYOUT: Final = frozenset("\n\r\t")
# Format characters (Cf) that writing systems and emoji need; they change no order and hide no text.
_JOINERS: Final = frozenset("\u200c\u200d\u00ad")
# Characters of other categories that show as nothing at all.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u2028\u2029")


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


def mark_of(character: str) -> Piece:
    """The visible mark of one character: its code, and its name where Unicode gives one."""
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    return Piece(text=code, mark=f"{code} {name}".strip())


def pieces_of(text: str, highlights: Sequence[Span] = ()) -> tuple[Piece, ...]:
    """The text as pieces in order; `highlights` may touch, overlap or reach beyond the text.

    Nothing is escaped here: pieces are text nodes, and the template escapes them.
    """
    lit = bytearray(len(text))
    for span in highlights:
        start, end = max(0, span.start), min(len(text), span.end)
        if start < end:
            lit[start:end] = b"\x01" * (end - start)
    pieces: list[Piece] = []
    begin = 0

    def close(end: int) -> None:
        if begin < end:
            pieces.append(Piece(text=text[begin:end], highlighted=bool(lit[begin])))

    for at, character in enumerate(text):
        if needs_mark(character):
            close(at)
            mark = mark_of(character)
            pieces.append(Piece(text=mark.text, mark=mark.mark, highlighted=bool(lit[at])))
            begin = at + 1
        elif at > begin and lit[at] != lit[at - 1]:
            close(at)
            begin = at
    close(len(text))
    return tuple(pieces)
