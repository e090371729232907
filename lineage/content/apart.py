"""Texts and secrets that belong to no node: each under a key of its own, that is destroyed with it.

Their owners are no nodes: the ids are negative, and drawn at random from 62 bits. Payloads of
the inbox draw theirs from the same store by time; who meets a taken one draws again.
"""

import hashlib
import secrets
from collections.abc import Collection
from typing import Final

from django.db import IntegrityError

from lineage.content import sealed
from lineage.content.store import Keyed, OwnedText, read_texts, store_texts

_BITS: Final = 62
_TRIES: Final = 8
_SECRET: Final = "webhook:secret"  # noqa: S105 - no secret, but under which name one is kept


def new_owner() -> int:
    """An owner id that nothing has had; its key is made."""
    for _ in range(_TRIES):
        owner_id = -1 - secrets.randbits(_BITS)
        try:
            sealed.make_key(owner_id)
        except IntegrityError:
            continue
        return owner_id
    message = "no owner id was free"
    raise RuntimeError(message)


def keep_text(workspace: Keyed, owner_id: int, text: str) -> str:
    """Keep a text under the owner's key; the digest by which it is found again."""
    digest = f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    store_texts(workspace, [OwnedText(owner_id, digest, text)])
    return digest


def texts(workspace: Keyed, owner_id: int, digests: Collection[str]) -> dict[str, str]:
    """The texts of these digests that can be read."""
    found = read_texts(workspace, [(owner_id, digest) for digest in sorted(set(digests) - {""})])
    return {digest: text for (_, digest), text in found.items()}


def keep_secret(workspace: Keyed, owner_id: int, secret: bytes) -> None:
    """Keep a secret under the owner's key."""
    key = sealed.key_of(owner_id)
    assert key is not None  # made by new_owner a moment ago
    sealed.seal(workspace, owner_id, key, {_SECRET: secret})


def secret_of(workspace: Keyed, owner_id: int) -> bytes | None:
    """The secret; None where it was destroyed."""
    key = sealed.key_of(owner_id)
    return None if key is None else sealed.unseal(workspace, owner_id, key, _SECRET)


def secrets_of(workspace: Keyed, owner_ids: Collection[int]) -> dict[int, bytes]:
    """The secrets of these owners that were not destroyed; the queries do not grow with them."""
    return sealed.unseal_all(workspace, owner_ids, _SECRET)


def destroy(owner_ids: Collection[int]) -> None:
    """Destroy the keys of these owners, then what lies under them."""
    sealed.destroy(owner_ids)
