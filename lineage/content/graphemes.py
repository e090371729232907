"""Where a text can be cut without splitting what a reader sees as one character.

Of the rules of Unicode (UAX #29) those that text in the wild needs: combining marks, joined
emoji with their skin tones and flags, Hangul letters, a carriage return with its line feed.
"""

import unicodedata
from typing import Final

_JOINER: Final = "\u200d"
_SKIN_TONES: Final = ("\U0001f3fb", "\U0001f3ff")
_TAGS: Final = ("\U000e0020", "\U000e007f")  # of the flags of regions
_FLAG_LETTERS: Final = ("\U0001f1e6", "\U0001f1ff")
_JAMO: Final = ("\u1160", "\u11ff")  # vowels and finals, which join the syllable before them
# Below this nothing joins but the line feed.
_PLAIN: Final = "\u0300"


def joins(character: str) -> bool:
    """Whether the character may be composed with what stands before it."""
    return unicodedata.category(character)[0] == "M" or _JAMO[0] <= character <= _JAMO[1]


def is_cut(text: str, at: int) -> bool:
    """Whether the position is inside of one visible character; never at the ends of the text."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if after < _PLAIN:
        return after == "\n" and before == "\r"
    if joins(after) or after == _JOINER:
        return not before.isspace()
    if _SKIN_TONES[0] <= after <= _SKIN_TONES[1] or _TAGS[0] <= after <= _TAGS[1]:
        return unicodedata.category(before) in {"So", "Cf"}
    if before == _JOINER:
        return unicodedata.category(after) == "So"
    return _is_flag_letter(after) and _flag_letters_before(text, at) % 2 == 1


def whole(text: str, start: int, end: int) -> bool:
    """Whether the interval holds whole visible characters only."""
    return not (is_cut(text, start) or is_cut(text, end))


def _is_flag_letter(character: str) -> bool:
    return _FLAG_LETTERS[0] <= character <= _FLAG_LETTERS[1]


def _flag_letters_before(text: str, at: int) -> int:
    """How many letters of flags stand directly before the position; two make one flag."""
    count = 0
    while count < at and _is_flag_letter(text[at - 1 - count]):
        count += 1
    return count
