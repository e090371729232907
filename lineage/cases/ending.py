"""A reinstatement at work: ends the effects of the case that it reinstates, never deletes them."""

from django.db import transaction
from django.db.models import F

from lineage.cases import lease
from lineage.cases.flags import flag_answers
from lineage.cases.lease import Hold
from lineage.cases.reach import effects_of
from lineage.invalidation.changes import note_states
from lineage.models import Case
from lineage.models.turns import take_turn
from provexplorer import clock


def end_batch(hold: Hold, case: Case, most: int) -> bool:
    """End the next effects of the reinstated case; False where none are left."""
    if case.reinstates is None:
        return False
    rows = effects_of(case.reinstates)
    ids = list(rows.order_by("answer_id").values_list("answer_id", flat=True)[:most])
    if not ids:
        return False
    with transaction.atomic():
        take_turn(case.workspace_id)
        lease.keep(hold, done=F("done") + len(ids), attempts=0)
        rows.filter(answer_id__in=ids).update(ended_at=clock.now())
        flag_answers(case.workspace_id, ids, only_clear=True)
        note_states(case.workspace_id, ids)
    return True
