"""Opaque, immutable uids: a prefix that names the kind and a hash keyed per workspace.

The same record gives the same uid in any order and any number of times; two
workspaces give unrelated uids for the same record, so that an id tells nothing
about another workspace's holdings.
"""

import hashlib
import hmac
import re
from functools import lru_cache
from typing import Final

from lineage.vocabulary import KIND_BY_PREFIX, KINDS, Kind

UID_PATTERN: Final = re.compile(r"^([a-z]{3})_[a-z2-7]{26}$")
_HASH_BYTES: Final = 16  # 128 bits: 26 characters of base32
_LOW_70_BITS: Final = (1 << 70) - 1
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS: Final = tuple(first + second for first in _LETTERS for second in _LETTERS)


def keyed_hash(key: bytes, *parts: str) -> str:
    """26 lower-case base32 characters of HMAC-SHA256 over length-prefixed parts."""
    message: list[bytes] = []
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        message += (len(data).to_bytes(8, "big"), data)
    keyed = _keyed(key).copy()
    keyed.update(b"".join(message))
    return _base32(keyed.digest()[:_HASH_BYTES])


@lru_cache(maxsize=256)
def _keyed(key: bytes) -> hmac.HMAC:
    """HMAC-SHA256 that has read its key: a copy of it takes a third of the time of a new one."""
    return hmac.new(key, digestmod=hashlib.sha256)


def _base32(data: bytes) -> str:
    """Lower-case base32 of 16 bytes without padding: 128 bits and two of zero, ten at a time.

    The standard library's takes four times as long, and ingestion writes five a record.
    """
    pairs = _PAIRS
    number = int.from_bytes(data, "big") << 2
    # Two halves of 60 and 70 bits: shifting the whole number costs twice as much.
    high, low = number >> 70, number & _LOW_70_BITS
    return (
        f"{pairs[high >> 50]}{pairs[high >> 40 & 1023]}{pairs[high >> 30 & 1023]}"
        f"{pairs[high >> 20 & 1023]}{pairs[high >> 10 & 1023]}{pairs[high & 1023]}"
        f"{pairs[low >> 60]}{pairs[low >> 50 & 1023]}{pairs[low >> 40 & 1023]}"
        f"{pairs[low >> 30 & 1023]}{pairs[low >> 20 & 1023]}{pairs[low >> 10 & 1023]}"
        f"{pairs[low & 1023]}"
    )


def address_of(key: bytes, kind: str, namespace: str, client_key: str) -> str:
    """The uid of a (kind, namespace, key): that of the node for kinds known by key alone, of the placeholder for others."""
    return f"{KINDS[kind].prefix}_{keyed_hash(key, 'key', kind, namespace, client_key)}"


def anywhere_of(key: bytes, kind: str, client_key: str) -> str:
    """Hash of a (kind, key) whatever its namespace, to find the only holder of a key."""
    return keyed_hash(key, "anywhere", kind, client_key)


def settled_uid(key: bytes, kind: str, address: str, digest: str, parent_uid: str) -> str:
    """The final uid of a revision: its address with its own digest and its place."""
    return f"{KINDS[kind].prefix}_{keyed_hash(key, 'settled', address, digest, parent_uid)}"


def provisional_uid(key: bytes, kind: str, address: str, digest: str, parent_address: str) -> str:
    """The uid of a revision while its digest or its place is unknown."""
    return f"{KINDS[kind].prefix}_{keyed_hash(key, 'provisional', address, digest, parent_address)}"


def kind_of_uid(uid: str) -> Kind | None:
    """The kind that a uid's prefix names; None for anything that is no uid."""
    match = UID_PATTERN.match(uid)
    return KIND_BY_PREFIX.get(match.group(1)) if match else None


def text_digest(text: str) -> str:
    """`sha256:HEX` of the UTF-8 text (lone surrogates kept, as JSON can carry them)."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
