"""After a restore: whose texts no key opens any more, though they were not erased.

An answer that repeated something erased, and a source of which a part was erased, had what they
keep written anew under another key. A backup of either database from before has the text and
the key of two different times, and nothing brings them together: that is what keeps the erased
part unreadable in backups. These texts stay blank; whoever made them is to make them anew.
"""

from collections.abc import Collection
from typing import Final

from cryptography.exceptions import InvalidTag

from lineage.cases.ancestry import sliced
from lineage.content.keys import NONCE_BYTES, keys_of
from lineage.erasure.scope import dependents
from lineage.models import Blob, ErasedNode, Erasure, Node

# Uids that are told of all erasures together.
MOST_TOLD: Final = 1_000
_AT_ONCE: Final = 500


def blank() -> tuple[str, ...]:
    """Uids of the answers, retrievals and sources that a restore has left blank; at most 1,000."""
    found: set[str] = set()
    for erasure in Erasure.objects.filter(again=True).order_by("pk"):
        erased = ErasedNode.objects.filter(erasure=erasure, node__isnull=False)
        beside = dependents(
            erasure.workspace_id, set(erased.order_by("pk").values_list("node_id", flat=True))
        )
        partly = [int(pk) for pk, _, whole in erasure.owners if not whole]
        for ids in sliced({*beside, *partly}, _AT_ONCE):
            closed = _closed(ids)
            rows = Node.objects.filter(pk__in=closed).order_by("uid")
            found |= set(rows.values_list("uid", flat=True))
            if len(found) >= MOST_TOLD:
                return tuple(sorted(found)[:MOST_TOLD])
    return tuple(sorted(found))


def _closed(owner_ids: Collection[int]) -> list[int]:
    """Those of the owners whose first text their key does not open."""
    closed = []
    for owner_id, key in keys_of(owner_ids).items():
        first = Blob.objects.filter(owner_id=owner_id).order_by("pk")
        for uid, ciphertext in first.values_list("pk", "ciphertext")[:1]:
            sealed = bytes(ciphertext)
            try:
                key.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], uid.encode("ascii"))
            except (InvalidTag, ValueError):
                closed.append(owner_id)
    return closed
