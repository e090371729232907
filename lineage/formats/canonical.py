"""Canonical JSON and digests of it: equal values give equal bytes."""

import json
import re
from typing import Final

from lineage.identifiers import text_digest
from lineage.types import JsonValue

# Made once: making one costs as much as writing a short record.
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_SHA256: Final = re.compile(r"sha256:[0-9a-f]{64}")


def canonical_json(value: JsonValue) -> bytes:
    """Sorted names, no white space, ASCII escapes (so that lone surrogates have bytes, too)."""
    return _CANONICAL.encode(value).encode("ascii")


def canonical_digest(value: JsonValue) -> str:
    """`sha256:HEX` of the canonical JSON."""
    return text_digest(canonical_json(value).decode("ascii"))


def as_digest(stated: str) -> str:
    """A configuration's or vector's digest as a content digest: itself, or that of its words."""
    lower = stated.lower()
    return lower if _SHA256.fullmatch(lower) else text_digest(stated)
