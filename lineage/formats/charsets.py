"""The charset that a media type names."""

import codecs
import re
from typing import Final

_CHARSET: Final = re.compile(r"\bcharset\s*=\s*[\"']?([^\"';]*)", re.IGNORECASE)
_UTF_8: Final = frozenset({"utf-8", "utf-8-sig"})


def is_utf_8(parameters: str) -> bool:
    """Whether the parameters of a media type name no charset other than UTF-8, by whatever name of it."""
    return all(_codec(name) in _UTF_8 for name in _CHARSET.findall(parameters))


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return ""
