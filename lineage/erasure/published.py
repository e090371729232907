"""What catalogues had published about an erased source: the texts of its notices go.

All notices of a workspace lie under one key, which stays: what was published is in everybody's
hands, and a backup of the main database is to have the notices of all other works yet. After a
restore they are erased again, as all places are.
"""

from collections.abc import Collection

from django.db import transaction

from lineage.models import Erasure, NoticeShelf
from lineage.models.turns import take_turn
from lineage.notices.erased import about_sources, forget_texts, with_texts


def clear_notices(erasure: Erasure, erased: Collection[int]) -> int:
    """Erase the texts of the notices about these nodes; how many notices had any. Idempotent."""
    ids = about_sources(erased)
    if not ids:
        return 0
    with transaction.atomic():
        take_turn(erasure.workspace_id)
        # Whoever imports notices has this row meanwhile.
        NoticeShelf.objects.select_for_update().filter(workspace_id=erasure.workspace_id).first()
        return forget_texts(
            erasure.workspace, erasure.workspace_id, ids, describing=erasure.describing
        )


def left_of_notices(erased: Collection[int]) -> tuple[int, int]:
    """How many notices about these nodes there are, and how many of them still have a text."""
    ids = about_sources(erased)
    return len(ids), len(with_texts(ids))
