"""What catalogues had published about an erased source: the texts of its notices go.

All notices of a workspace lie under one key. Those that stay are encrypted anew under the next
one before the present one is destroyed, so that backups tell nothing of those that went.
"""

from collections.abc import Collection

from django.db import transaction

from lineage.content.keys import prepare_next_keys, take_next_keys
from lineage.erasure.owned_texts import rewrite_apart
from lineage.models import DataKey, Erasure, NoticeShelf
from lineage.models.turns import take_turn
from lineage.notices.erased import about_sources, forget_texts, with_texts


def clear_notices(erasure: Erasure, erased: Collection[int]) -> int:
    """Erase the texts of the notices about these nodes; how many notices had any. Idempotent."""
    row = NoticeShelf.objects.filter(workspace_id=erasure.workspace_id).first()
    ids = about_sources(erased)
    if row is None:
        return 0
    changing = DataKey.objects.filter(owner_id=row.owner_id).exclude(following=b"")
    if not ids and not changing.exists():
        return 0
    prepare_next_keys([row.owner_id])
    with transaction.atomic():
        take_turn(erasure.workspace_id)
        # Imports write under the key that they find while they have this row.
        NoticeShelf.objects.select_for_update().get(pk=row.pk)
        cleared = forget_texts(
            erasure.workspace, erasure.workspace_id, ids, describing=erasure.describing
        )
        rewrite_apart(erasure.workspace, row.owner_id, str)
    take_next_keys([row.owner_id])
    return cleared


def left_of_notices(erased: Collection[int]) -> tuple[int, int]:
    """How many notices about these nodes there are, and how many of them still have a text."""
    ids = about_sources(erased)
    return len(ids), len(with_texts(ids))
