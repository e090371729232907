"""Signed JSON: one object, every byte of which its signature covers. Pure.

The bytes are the canonical JSON of the object with `key` (a JWK, RFC 8037) and `signature`
(Ed25519, RFC 8032), which is over the canonical JSON of the rest, `key` included.
"""

import json
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from citations.exports.capsule_file import (
    NotGenuine,
    decoded,
    encoded,
    fingerprint,
    jwk_of,
    public_key,
)
from lineage.formats.canonical import canonical_json
from lineage.types import JsonValue

_OWN: Final = frozenset({"key", "signature"})


@dataclass(frozen=True, slots=True)
class Signed:
    """What was signed, without key and signature, and the fingerprint of the key."""

    document: dict[str, JsonValue]
    fingerprint: str


def signed(document: dict[str, JsonValue], key: Ed25519PrivateKey) -> bytes:
    """The bytes of the signed object. Raises ValueError where it has names that signing needs."""
    if _OWN & document.keys():
        raise ValueError("key and signature are names of the signature itself")
    told = {**document, "key": jwk_of(key.public_key())}
    return canonical_json({**told, "signature": encoded(key.sign(canonical_json(told)))})


def verify(content: bytes) -> Signed:
    """Check every byte of a signed object. Raises NotGenuine with what does not agree."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        raise NotGenuine("This is no signed JSON, or it was changed: it cannot be read.") from None
    if not isinstance(whole, dict) or not whole.keys() >= _OWN:
        raise NotGenuine("This is no signed JSON, or its key or signature was taken away.")
    if canonical_json(whole) != content.rstrip(b"\n"):
        raise NotGenuine("The file is not written as it was signed.")
    key = public_key(whole["key"])
    told = {name: value for name, value in whole.items() if name != "signature"}
    try:
        key.verify(decoded(whole["signature"], "signature"), canonical_json(told))
    except InvalidSignature:
        raise NotGenuine(
            "The signature does not fit: the file, the key or the signature was changed."
        ) from None
    return Signed({name: whole[name] for name in whole if name not in _OWN}, fingerprint(key))
