"""Whether a licence is written as an SPDX expression (syntax only, SPDX 2.3 annex D)."""

import re
from typing import Final

_WORD: Final = re.compile(r"\(|\)|[A-Za-z0-9.:+-]+|\S")
_ID: Final = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]+:)?[A-Za-z0-9.-]+\+?")
_LENGTH: Final = 500


def is_license_expression(text: str) -> bool:
    """Identifiers and LicenseRefs joined by AND, OR and WITH, with parentheses in balance."""
    if len(text) > _LENGTH:
        return False
    depth, wants_id = 0, True
    for word in _WORD.findall(text):
        if word == "(" and wants_id:
            depth += 1
        elif word == ")" and not wants_id and depth:
            depth -= 1
        elif word in ("AND", "OR", "WITH"):
            if wants_id:
                return False
            wants_id = True
        elif wants_id and _ID.fullmatch(word):
            wants_id = False
        else:
            return False
    return depth == 0 and not wants_id
