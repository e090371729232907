"""The key that signs the capsules of this installation."""

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from citations.exports.capsule_file import fingerprint, jwk_of
from lineage.content.keys import master_key
from lineage.types import JsonValue
from provexplorer.embedded.secret_files import secret

# Where the public key can be had without signing in.
PUBLISHED_AT: Final = ".well-known/provexplorer-capsule-keys.json"
_PURPOSE: Final = b"provexplorer: key that signs capsules, 1"


def signing_key() -> Ed25519PrivateKey:
    """The key of the setting, else that of the data folder (mode 600), made at the first call.

    Where nothing can be written (containers), it is derived from the master key, so that
    all processes have the same one. Raises ValueError for a key that is not 32 bytes as hex.
    """
    return Ed25519PrivateKey.from_private_bytes(_seed())


def own_fingerprint() -> str:
    """The fingerprint of the public key: what `provexplorer verify` names."""
    return fingerprint(signing_key().public_key())


def key_set() -> dict[str, JsonValue]:
    """The public key as a JWK Set (RFC 7517)."""
    public = signing_key().public_key()
    return {"keys": [jwk_of(public) | {"kid": fingerprint(public), "use": "sig", "alg": "EdDSA"}]}


def _seed() -> bytes:
    if settings.CAPSULE_KEY:
        return bytes.fromhex(settings.CAPSULE_KEY)
    try:
        return bytes.fromhex(secret(settings.CAPSULE_KEY_PATH))
    except OSError:
        derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE)
        return derivation.derive(master_key())
