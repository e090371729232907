"""A text without what may differ when the same is sent again by another way.

White space, case, forms of one character, hyphens, quotation marks and what shows as nothing
are left out or made one: parsers, models and clients change them, and nobody reads another
text. Other punctuation counts. For comparing by digest alone; no way leads back from it.
"""

import unicodedata
from typing import Final

from lineage.identifiers import text_digest

_HYPHENS: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
# Between the cells of a table, and for a word that goes on in the next line.
_BARS: Final = "|\u00ad"
# Joiners, marks of writing direction, variation selectors, tags: none of them shows.
_UNSEEN: Final = (
    (0x034F, 0x034F), (0x061C, 0x061C), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E),
    (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xE0000, 0xE01EF),
)  # fmt: skip
_CHANGED: Final[dict[int, str | None]] = {
    **{ord(one): None for one in _HYPHENS + _BARS},
    **{code: None for first, last in _UNSEEN for code in range(first, last + 1)},
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc`\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"'),
}


def folded(text: str) -> str:
    """The text as it is compared: NFKC, case folded, without white space, hyphens and the unseen."""
    # Before NFKC, which makes a space and an accent of some quotation marks.
    told = text.translate(_CHANGED)
    told = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", told).casefold())
    return "".join(told.translate(_CHANGED).split())


def folded_digest(text: str, *, least: int = 0) -> str:
    """The digest of the folded text, unlike that of any text; "" where `least` code points are not left."""
    told = folded(text)
    return f"folded:{text_digest(told)}" if len(told) >= least else ""
