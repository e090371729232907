"""The content store: texts, encrypted per owner, found by (owner, digest).

Nothing is shared between owners, not even equal texts: the id of a blob is a keyed hash
of both, so that a text cannot be found without knowing whose it is. Encryption is
AES-256-GCM; the blob id is authenticated with it, so a blob cannot pass for another.
"""

import logging
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from django.db import transaction

from lineage import bulk_rows
from lineage.compiled import Compiled
from lineage.content.keys import (
    NONCE_BYTES,
    destroy_key,
    ensure_keys,
    erased_owners,
    in_batches,
    keys_of,
)
from lineage.identifiers import keyed_hash
from lineage.models import Blob

__all__ = [
    "OwnedText",
    "blob_id",
    "destroy_key",
    "erased_owners",
    "forget_texts",
    "read_texts",
    "rehome",
    "store_texts",
]
logger = logging.getLogger(__name__)

# Rows per INSERT: three values each, and a bound on the memory of one statement.
_ROWS_PER_INSERT: Final = 300

_BLOBS: Final = Compiled(
    lambda given: (
        Blob.objects.filter(id__in=given.texts("ids"))
        .order_by("id")
        .values_list("id", "ciphertext")
    )
)


class Keyed(Protocol):
    """What has the hash key of one workspace: a Workspace or a lineage.types.Viewer."""

    @property
    def hash_key(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class OwnedText:
    """A text to keep: the node id of its owner, `sha256:HEX` of the text, the text."""

    owner_id: int
    digest: str
    text: str


def blob_id(workspace: Keyed, owner_id: int, digest: str) -> str:
    """The id under which a text of an owner is kept."""
    return keyed_hash(workspace.hash_key, "blob", str(owner_id), digest)[:32]


def store_texts(workspace: Keyed, texts: Sequence[OwnedText]) -> None:
    """Keep these texts; those that are already kept cost one look-up and are left alone.

    A look-up and an insert per 300 texts, and at most four statements on the keys. Runs in
    the caller's transaction. Raises OwnerErased before anything is stored where the key of
    an owner was destroyed (see erased_owners), MasterKeyError where keys cannot be wrapped.
    """
    wanted = {blob_id(workspace, each.owner_id, each.digest): each for each in texts}
    for known in _known(wanted.keys()):
        del wanted[known]
    if not wanted:
        return
    keys = ensure_keys({each.owner_id for each in wanted.values()})
    rows: list[bulk_rows.Row] = []
    for uid, each in wanted.items():
        nonce = secrets.token_bytes(NONCE_BYTES)
        plain = each.text.encode("utf-8", "surrogatepass")
        sealed = keys[each.owner_id].encrypt(nonce, plain, uid.encode("ascii"))
        rows.append((uid, each.owner_id, nonce + sealed))
    for start in range(0, len(rows), _ROWS_PER_INSERT):
        some = rows[start : start + _ROWS_PER_INSERT]
        bulk_rows.insert(Blob, ("pk", "owner_id", "ciphertext"), some, unless_there=True)


def _known(ids: Collection[str]) -> Iterable[str]:
    for batch in in_batches(ids):
        yield from Blob.objects.filter(id__in=batch).order_by("id").values_list("id", flat=True)


def read_texts(workspace: Keyed, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """The texts of these (owner id, digest) that can be read; the others are erased or unknown.

    A blob that is damaged is logged by its id and counts as unreadable. Raises
    MasterKeyError where the master key is not the one that wrapped the keys.
    """
    places = {
        blob_id(workspace, owner_id, digest): (owner_id, digest) for owner_id, digest in wanted
    }
    if not places:
        return {}
    keys = keys_of({owner_id for owner_id, _ in places.values()})
    readable = [uid for uid, (owner_id, _) in places.items() if owner_id in keys]
    texts: dict[tuple[int, str], str] = {}
    for batch in in_batches(readable):
        for uid, ciphertext in _BLOBS.rows(ids=batch):
            sealed = bytes(ciphertext)
            key = keys[places[uid][0]]
            try:
                plain = key.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], uid.encode("ascii"))
            except (InvalidTag, ValueError):
                logger.error("blob %s is damaged and cannot be read", uid)  # noqa: TRY400 - no trace needed
                continue
            texts[places[uid]] = plain.decode("utf-8", "surrogatepass")
    return texts


def rehome(workspace: Keyed, moves: Sequence[tuple[int, int, str]]) -> None:
    """Re-encrypt texts from (old owner, new owner, digest): the old blob goes, the new one stays.

    For the repair of a placeholder that owned texts. Idempotent: what is no longer with the
    old owner was moved before, or erased. Every node that keeps the text under the old
    owner must move with it. Raises OwnerErased where the new owner was erased.
    """
    real = [move for move in moves if move[0] != move[1]]
    if not real:
        return
    with transaction.atomic():
        found = read_texts(workspace, [(old, digest) for old, _, digest in real])
        moved = [move for move in real if (move[0], move[2]) in found]
        store_texts(
            workspace,
            [OwnedText(new, digest, found[(old, digest)]) for old, new, digest in moved],
        )
        forget_texts(workspace, [(old, digest) for old, _, digest in moved])


def forget_texts(workspace: Keyed, unwanted: Sequence[tuple[int, str]]) -> None:
    """Delete the blobs of these (owner id, digest); the owners keep their keys."""
    for batch in in_batches({blob_id(workspace, owner, digest) for owner, digest in unwanted}):
        Blob.objects.filter(id__in=batch).delete()
