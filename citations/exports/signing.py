"""The key that signs the capsules of this installation."""

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from citations.exports.capsule_file import fingerprint, jwk_of
from lineage.types import JsonValue
from provexplorer.embedded.secret_files import secret

# Where the public key can be had without signing in.
PUBLISHED_AT: Final = ".well-known/provexplorer-capsule-keys.json"


def signing_key() -> Ed25519PrivateKey:
    """The key of the setting, else that of the data folder (mode 600), made at the first call.

    Raises ValueError for a key that is not 32 bytes as hex, OSError where the file can
    be neither read nor made.
    """
    text = settings.CAPSULE_KEY or secret(settings.CAPSULE_KEY_PATH)
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text))


def own_fingerprint() -> str:
    """The fingerprint of the public key: what `provexplorer verify` names."""
    return fingerprint(signing_key().public_key())


def key_set() -> dict[str, JsonValue]:
    """The public key as a JWK Set (RFC 7517)."""
    public = signing_key().public_key()
    return {"keys": [jwk_of(public) | {"kid": fingerprint(public), "use": "sig", "alg": "EdDSA"}]}
