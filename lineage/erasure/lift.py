"""The end of an erasure whose case is reinstated: the same may be sent again, what went stays gone."""

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce

from lineage.content import sealed
from lineage.content.keys import in_batches
from lineage.erasure import essence, hold
from lineage.models import Blob, DataKey, ErasedNode, Erasure, ErasurePlace
from lineage.models.turns import take_turn
from provexplorer import clock

_SWEEP: Final = 100


def lift_due() -> int:
    """End erasures of reinstated cases that nobody works on any more; how many."""
    rows = Erasure.objects.filter(lifted_at=None, case__reinstatements__isnull=False).exclude(
        state=Erasure.State.CHOSEN
    )
    return sum(map(_lift, list(rows.select_related("case").order_by("pk")[:_SWEEP])))


def _lift(erasure: Erasure) -> bool:
    now = clock.now()
    owners = [int(pk) for pk, _, whole in erasure.owners if whole]
    with transaction.atomic():
        take_turn(erasure.workspace_id)
        mine = Erasure.objects.filter(hold.free(now), pk=erasure.pk, lifted_at=None)
        # Whoever had it and comes back from the dead finds that it has lost it.
        if not mine.update(
            fence=F("fence") + 1,
            lease_until=None,
            lifted_at=now,
            state=Erasure.State.DONE,
            done_at=Coalesce("done_at", Value(now)),
        ):
            return False
        ErasurePlace.objects.filter(erasure=erasure).update(next_at=None)
        # In the other database, before this commits: done again where that fails, and to the same end.
        essence.lift([erasure.case.uid], now)
        _let_have_keys(erasure, owners)
        if erasure.working_owner is not None:
            sealed.destroy([erasure.working_owner])
    return True


def _let_have_keys(erasure: Erasure, owners: Collection[int]) -> None:
    """A destroyed key stays so; its owner may have a new one for what comes from now on.

    Not where another erasure stands that has destroyed it, too. What is left under the old one
    goes: the same text, sent again, would be taken for one that is kept.
    """
    for some in in_batches(owners):
        others = ErasedNode.objects.filter(
            workspace_id=erasure.workspace_id, node_id__in=some, erasure__lifted_at=None
        ).exclude(erasure=erasure)
        kept = set(others.order_by("pk").values_list("node_id", flat=True))
        destroyed = DataKey.objects.filter(owner_id__in=some, destroyed_at__isnull=False)
        freed = set(destroyed.order_by("owner_id").values_list("owner_id", flat=True)) - kept
        Blob.objects.filter(owner_id__in=freed).delete()
        destroyed.filter(owner_id__in=freed).delete()
