"""The file format of capsules: HTML whose every byte is covered by digests and one signature. Pure.

    … <!--part answer-->BYTES<!--/part--> … <script type="application/json" id="capsule-manifest">
    {"answer":…,"exported_at":…,"format":…,"key":{JWK},"parts":[{"id","sha256"}…],"signature":…,"whole":…}
    </script> …

A part's digest is over the bytes between its marks, `whole` over the file with nothing
between the tags of the manifest, the signature (Ed25519, RFC 8032) over the canonical JSON
of the manifest without it. The key is a JWK (RFC 8037), its fingerprint the thumbprint of
RFC 7638. The manifest itself is canonical JSON, so that none of its bytes is free.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from lineage.formats.canonical import canonical_json
from lineage.types import JsonValue

FORMAT: Final = "provexplorer-capsule/1"
_OPENS: Final = b'<script type="application/json" id="capsule-manifest">'
_CLOSES: Final = b"</script>"
_PART: Final = re.compile(rb"<!--part ([a-z0-9_-]+)-->(.*?)<!--/part-->", re.DOTALL)
_FIELDS: Final = frozenset(
    {"answer", "exported_at", "format", "key", "parts", "signature", "whole"}
)


class NotGenuine(Exception):
    """The file is no capsule, or not as it was signed; the message says where."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the file with a digest of its own; `id` of small letters, digits, "_", "-"."""

    id: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Genuine:
    """What a capsule says of itself, once it has been found to be as it was signed."""

    answer: str
    exported_at: str
    fingerprint: str
    parts: tuple[str, ...]


def sealed(
    head: bytes, parts: Sequence[Part], tail: bytes, *, answer: str, exported_at: str,
    key: Ed25519PrivateKey,
) -> bytes:  # fmt: skip
    """The bytes of a capsule. Raises ValueError for content that holds the marks of the format."""
    before = head + b"".join(
        b"<!--part %s-->%s<!--/part-->\n" % (part.id.encode("ascii"), part.content)
        for part in parts
    )
    blank = before + _OPENS + _CLOSES + tail
    found = [(match[1].decode(), match[2]) for match in _PART.finditer(blank)]
    if found != [(part.id, part.content) for part in parts] or blank.count(_OPENS) != 1:
        raise ValueError("the content holds marks of the capsule's own format")
    manifest: dict[str, JsonValue] = {
        "format": FORMAT,
        "answer": answer,
        "exported_at": exported_at,
        "parts": [{"id": part.id, "sha256": _sha256(part.content)} for part in parts],
        "whole": _sha256(blank),
        "key": jwk_of(key.public_key()),
    }
    manifest["signature"] = encoded(key.sign(_signed(manifest)))
    return before + _OPENS + canonical_json(manifest) + _CLOSES + tail


def verify(content: bytes) -> Genuine:
    """Check every byte of a capsule. Raises NotGenuine with what does not agree."""
    manifest, blank = _manifest(content)
    key = public_key(manifest["key"])
    try:
        key.verify(decoded(manifest["signature"], "signature"), _signed(manifest))
    except InvalidSignature:
        raise NotGenuine(
            "The signature does not fit: the manifest, the key or the signature was changed."
        ) from None
    there = dict(_PART.findall(blank))
    listed = [(str(part["id"]), str(part["sha256"])) for part in manifest["parts"]]
    for name, digest in listed:
        part = there.get(name.encode())
        if part is None:
            raise NotGenuine(f"The part “{name}” is not where it was: its marks were changed.")
        if _sha256(part) != digest:
            raise NotGenuine(f"The part “{name}” was changed.")
    if _sha256(blank) != manifest["whole"]:
        raise NotGenuine("The file was changed outside of its parts.")
    return Genuine(
        answer=str(manifest["answer"]),
        exported_at=str(manifest["exported_at"]),
        fingerprint=fingerprint(key),
        parts=tuple(name for name, _ in listed),
    )


def jwk_of(key: Ed25519PublicKey) -> dict[str, str]:
    """The key as a JWK (RFC 8037), with the members that its thumbprint is made of."""
    return {"crv": "Ed25519", "kty": "OKP", "x": encoded(key.public_bytes_raw())}


def fingerprint(key: Ed25519PublicKey) -> str:
    """The thumbprint of the key (RFC 7638): 43 characters."""
    return encoded(hashlib.sha256(canonical_json(jwk_of(key))).digest())


def _manifest(content: bytes) -> tuple[dict[str, JsonValue], bytes]:
    """The manifest, and the file without it."""
    if content.count(_OPENS) != 1:
        raise NotGenuine("This is no capsule, or the tag of its manifest was changed.")
    start = content.index(_OPENS) + len(_OPENS)
    end = content.find(_CLOSES, start)
    if end < 0:
        raise NotGenuine("The tag that ends the manifest was changed.")
    written = content[start:end]
    try:
        manifest = json.loads(written)
    except ValueError:
        raise NotGenuine("The manifest was changed: it is no JSON any more.") from None
    if not isinstance(manifest, dict) or manifest.keys() != _FIELDS:
        raise NotGenuine("The manifest was changed: it has other members than it should.")
    if canonical_json(manifest) != written:
        raise NotGenuine("The manifest was changed: it is not written as it was signed.")
    if manifest["format"] != FORMAT:
        raise NotGenuine(f"The capsule is of another format than {FORMAT}.")
    if not _is_list_of_parts(manifest["parts"]):
        raise NotGenuine("The manifest was changed: its list of parts cannot be read.")
    return manifest, content[:start] + content[end:]


def _is_list_of_parts(value: JsonValue) -> bool:
    return isinstance(value, list) and all(
        isinstance(part, dict) and part.keys() == {"id", "sha256"} for part in value
    )


def public_key(jwk: JsonValue) -> Ed25519PublicKey:
    """The key of a JWK. Raises NotGenuine."""
    if isinstance(jwk, dict) and jwk.keys() == {"crv", "kty", "x"}:
        raw = decoded(jwk["x"], "key")
        if len(raw) == 32 and jwk_of(key := Ed25519PublicKey.from_public_bytes(raw)) == jwk:
            return key
    raise NotGenuine("The manifest was changed: its key is no Ed25519 key.")


def _signed(manifest: dict[str, JsonValue]) -> bytes:
    """What the signature is over."""
    told = {name: value for name, value in manifest.items() if name != "signature"}
    return canonical_json(told)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def encoded(raw: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decoded(text: JsonValue, what: str) -> bytes:
    """Bytes of which the text is the only spelling. Raises NotGenuine, naming `what`."""
    if isinstance(text, str):
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        if raw and encoded(raw) == text:
            return raw
    raise NotGenuine(f"The manifest was changed: its {what} cannot be read.")
