"""How citeproc-py marks up a reference: with signs of Unicode's private use, so that all else is text.

The library's own HTML formatter does not escape everything that it is given.
"""

import re
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

_TAGS: Final = {"i": "\ue000", "b": "\ue001", "sup": "\ue002", "sub": "\ue003"}
_END: Final = "\ue00f"
_SIGNS: Final = re.compile("[\ue000-\ue00f]")


def _wrapping(tag: str) -> type[str]:
    sign = _TAGS[tag]

    def made(cls: type[str], text: object) -> str:
        return str.__new__(cls, f"{sign}{text}{_END}")

    return type(tag, (str,), {"__new__": made})


# The names are those that the library asks for.
Italic = Oblique = _wrapping("i")
Bold = _wrapping("b")
Superscript = _wrapping("sup")
Subscript = _wrapping("sub")
Light = Underline = SmallCaps = str


def preformat(text: object) -> str:
    """Text goes through as it is; it is escaped at the end, all of it."""
    return str(text)


def without_signs(text: str) -> str:
    """A client's text, which must not hold the signs itself."""
    return _SIGNS.sub("", text)


def as_text(rendered: str) -> str:
    """A rendered reference without markup."""
    return _SIGNS.sub("", rendered)


def as_html(rendered: str) -> SafeString:
    """A rendered reference as HTML; tags always close in the order in which they opened."""
    parts: list[str] = []
    opened: list[str] = []
    tag_of = {sign: tag for tag, sign in _TAGS.items()}
    at = 0
    for match in _SIGNS.finditer(rendered):
        parts.append(escape(rendered[at : match.start()]))
        at = match.end()
        if tag := tag_of.get(match.group()):
            opened.append(tag)
            parts.append(f"<{tag}>")
        elif match.group() == _END and opened:
            parts.append(f"</{opened.pop()}>")
    parts.append(escape(rendered[at:]))
    parts += (f"</{tag}>" for tag in reversed(opened))
    return mark_safe("".join(parts))  # noqa: S308 - all but our own tags was escaped above
