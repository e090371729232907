"""Cases whose time has come, and cases whose propagation nobody carries on."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from lineage import outbox
from lineage.cases import lease
from lineage.cases.epoch import raise_epoch
from lineage.cases.history import record
from lineage.cases.late import texts_ruled
from lineage.models import Case, CaseEvent
from provexplorer import clock

# Taken up in one sweep; the next takes the rest.
_SWEEP: Final = 200
# A free case is left this long to the task that its last run asked for.
_PATIENCE: Final = timedelta(seconds=5)


def start_due() -> int:
    """Start scheduled cases whose effective instant has come; returns how many.

    Reads obey such a case from that instant on by themselves: its rows stand in the register.
    """
    due = Case.objects.filter(state=Case.State.SCHEDULED, effective_at__lte=clock.now())
    return sum(_start(case_id) for case_id in _ids(due))


def take_up_stalled() -> int:
    """Ask again for cases that are propagating and that nobody holds: their message or worker was lost.

    What is far in the future was written by a clock that is wrong.
    """
    now = clock.now()
    late = now - _PATIENCE
    unheld = Q(approved_at__lt=late) | Q(approved_at__gt=now + _PATIENCE)
    stalled = Case.objects.filter(
        Q(lease_until__lt=late)
        | Q(lease_until__gt=now + lease.NO_LEASE)
        | Q(unheld, lease_until__isnull=True),
        state=Case.State.PROPAGATING,
    )
    ids = _ids(stalled)
    for case_id in ids:
        outbox.enqueue("lineage.propagate_case", case_id=case_id)
    return len(ids)


def _start(case_id: int) -> int:
    with transaction.atomic():
        workspace_id = Case.objects.values_list("workspace_id", flat=True).get(id=case_id)
        epoch = raise_epoch(workspace_id)
        waiting = Case.objects.filter(id=case_id, state=Case.State.SCHEDULED)
        started = waiting.update(state=Case.State.PROPAGATING, epoch=epoch)
        if started:
            case = Case.objects.get(id=case_id)
            texts_ruled(case)
            record(case, CaseEvent.What.STARTED)
            outbox.enqueue("lineage.propagate_case", case_id=case_id)
    return started


def _ids(cases: QuerySet[Case]) -> list[int]:
    return list(cases.order_by("id").values_list("id", flat=True)[:_SWEEP])
