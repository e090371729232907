"""The register's epoch: tells which batches of records were begun before an approval.

A batch notes the epoch that it read before it starts (ApplyBatch). One that read a
lower epoch than a case's may not have seen the case; one that read the case's
epoch has. The closing pass waits for the former instead of locking anything.
"""

from datetime import timedelta
from typing import Final

from django.db.models import F

from lineage.models import ApplyBatch, RegisterEpoch
from provexplorer import clock

# A batch takes seconds, and a web process that takes more than two minutes for one is ended:
# after this the batch's process is dead and its transaction rolled back.
BATCH_IS_DEAD_AFTER: Final = timedelta(minutes=3)
# Long after: nobody waits for it any more, even by a clock that is hours off.
_LET_GO_AFTER: Final = timedelta(days=1)


def raise_epoch(workspace_id: int) -> int:
    """Raise the workspace's epoch, in the transaction that changes the register; returns the new one."""
    RegisterEpoch.objects.get_or_create(workspace_id=workspace_id)
    RegisterEpoch.objects.filter(workspace_id=workspace_id).update(epoch=F("epoch") + 1)
    return RegisterEpoch.objects.values_list("epoch", flat=True).get(workspace_id=workspace_id)


def open_batches(workspace_id: int, epoch: int) -> int:
    """How many living batches have read an epoch below this one.

    One that began in the future was told so by a clock that is wrong, and would be waited for
    until then: the turns that approvals and batches take keep them apart all the same.
    """
    now = clock.now()
    return ApplyBatch.objects.filter(
        workspace_id=workspace_id,
        epoch__lt=epoch,
        started_at__gt=now - BATCH_IS_DEAD_AFTER,
        started_at__lt=now + BATCH_IS_DEAD_AFTER,
    ).count()


def forget_dead() -> None:
    """Let go of batches whose processes died a day ago and more."""
    ApplyBatch.objects.filter(started_at__lt=clock.now() - _LET_GO_AFTER).delete()
