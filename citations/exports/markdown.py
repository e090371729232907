"""Text that cannot become markup of CommonMark."""

import re
from typing import Final

# What Markdown may take for markup anywhere, and what only at the beginning of a line.
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|~&$])")
_LINE_START: Final = re.compile(r"^(\s*)([-+=#]|\d+(?=[.)]))", re.MULTILINE)


def escaped(text: str) -> str:
    """The text, to stand anywhere in CommonMark, also at the beginning of a line."""
    return _LINE_START.sub(_not_markup, _MARKUP.sub(r"\\\1", text))


def _not_markup(found: re.Match[str]) -> str:
    """The beginning of a line that is no list, heading or rule; of a number its stop is escaped."""
    space, sign = found.groups()
    return f"{space}{sign}\\" if sign.isdigit() else f"{space}\\{sign}"
