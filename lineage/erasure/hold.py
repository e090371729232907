"""Who works on an erasure: one process at a time, and nobody any more once its case is reinstated.

Taking it raises the fence, so that a process that was thought dead and comes back finds that
it has lost it. Whoever works on it asks before each step, in the step's own transaction.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from lineage.models import Case, Erasure
from provexplorer import clock

# Longer than one run may take (the task's time limit).
LEASE: Final = timedelta(minutes=5)


class LostErasure(Exception):
    """Another process has the erasure, its case was reinstated, or its workspace has gone."""


def free(now: datetime) -> Q:
    """Erasures that no process works on."""
    return Q(lease_until=None) | Q(lease_until__lt=now)


def take(case_id: int) -> Erasure | None:
    """The erasure, if it is running, nobody has it, and nobody has reinstated its case."""
    now = clock.now()
    mine = Erasure.objects.filter(
        free(now), ~_reinstated(), pk=case_id, state=Erasure.State.RUNNING
    )
    if not mine.update(fence=F("fence") + 1, lease_until=now + LEASE):
        return None
    return Erasure.objects.select_related("workspace", "case").filter(pk=case_id).first()


def keep(erasure: Erasure) -> None:
    """Have a further step only where it is still ours and still wanted. Raises LostErasure.

    In a transaction nobody takes it, and it is not deleted, before that ends.
    """
    _renew(_held(erasure).filter(~_reinstated()))


def keep_to_note(erasure: Erasure) -> None:
    """The same for writing down what has been done, reinstated or not. Raises LostErasure."""
    _renew(_held(erasure))


def let_go(erasure: Erasure) -> None:
    """Leave it to whoever comes next; does nothing where it was lost."""
    Erasure.objects.filter(pk=erasure.pk, fence=erasure.fence).update(lease_until=None)


def _held(erasure: Erasure) -> QuerySet[Erasure]:
    return Erasure.objects.filter(pk=erasure.pk, fence=erasure.fence, state=Erasure.State.RUNNING)


def _renew(held: QuerySet[Erasure]) -> None:
    if not held.update(lease_until=clock.now() + LEASE):
        raise LostErasure


def _reinstated() -> Exists:
    # Not by a join: the conditions on the row itself are asked again where another has just changed it.
    return Exists(Case.objects.filter(reinstates=OuterRef("pk")))
