"""Bytes under a key of their own: what belongs to no node, and is erased by itself.

Owners of such keys have negative ids, which no node has. They are few bytes or many; each
is found by its owner and a name.
"""

import secrets
from collections.abc import Collection
from typing import Final

from cryptography.exceptions import InvalidTag

from lineage.content.keys import NONCE_BYTES, Key, in_batches, keys_of, new_key
from lineage.content.store import Keyed, blob_id
from lineage.models import Blob, DataKey

_ROWS_PER_DELETE: Final = 500


def make_key(owner_id: int) -> Key:
    """The key of a new owner, committed. Raises IntegrityError where the owner has one."""
    if owner_id >= 0:
        message = "owners that are no nodes have negative ids"
        raise ValueError(message)
    return new_key(owner_id)


def seal(workspace: Keyed, owner_id: int, key: Key, named: dict[str, bytes]) -> None:
    """Keep bytes by name under the owner's key; replaces what has the name. In the caller's transaction."""
    rows = []
    for name, data in named.items():
        uid = blob_id(workspace, owner_id, name)
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = key.encrypt(nonce, data, uid.encode("ascii"))
        rows.append(Blob(id=uid, owner_id=owner_id, ciphertext=nonce + sealed))
    Blob.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["id"], update_fields=["ciphertext"]
    )


def key_of(owner_id: int) -> Key | None:
    """The owner's key; None where it was destroyed. Raises MasterKeyError."""
    return keys_of([owner_id]).get(owner_id)


def unseal(workspace: Keyed, owner_id: int, key: Key, name: str) -> bytes | None:
    """The bytes of this name; None where there are none, or none that the key opens."""
    uid = blob_id(workspace, owner_id, name)
    row = Blob.objects.filter(id=uid).values_list("ciphertext", flat=True).first()
    return None if row is None else _opened(key, uid, bytes(row))


def unseal_all(workspace: Keyed, owner_ids: Collection[int], name: str) -> dict[int, bytes]:
    """The bytes of this name by owner, of those that have them and a key that opens them.

    Raises MasterKeyError.
    """
    keys = keys_of(owner_ids)
    owners = {blob_id(workspace, owner_id, name): owner_id for owner_id in keys}
    found: dict[int, bytes] = {}
    for batch in in_batches(owners.keys()):
        rows = Blob.objects.filter(id__in=batch).order_by("id")
        for uid, sealed in rows.values_list("id", "ciphertext"):
            data = _opened(keys[owners[uid]], uid, bytes(sealed))
            if data is not None:
                found[owners[uid]] = data
    return found


def _opened(key: Key, uid: str, sealed: bytes) -> bytes | None:
    try:
        return key.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], uid.encode("ascii"))
    except (InvalidTag, ValueError):
        return None


def destroy(owner_ids: Collection[int]) -> None:
    """Destroy the keys of these owners, then their bytes; idempotent.

    The rows of the keys go as well: an owner that is no node does not come back.
    """
    if any(owner_id >= 0 for owner_id in owner_ids):
        message = "nodes' keys are destroyed by lineage.content.keys.destroy_key"
        raise ValueError(message)
    for batch in in_batches(owner_ids):
        for start in range(0, len(batch), _ROWS_PER_DELETE):
            some = batch[start : start + _ROWS_PER_DELETE]
            DataKey.objects.filter(owner_id__in=some).delete()
            Blob.objects.filter(owner_id__in=some).delete()
