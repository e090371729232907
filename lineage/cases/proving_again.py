"""A case that ended incomplete by its proof, proved again: the graph has been written anew, or has time now."""

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from lineage import outbox
from lineage.cases.history import record
from lineage.cases.steps import case_of, conflict, require
from lineage.cases.view import CaseView, case_view
from lineage.models import Case, CaseEvent
from lineage.models.turns import take_turn
from lineage.types import Viewer


def prove_again(viewer: Viewer, uid: str) -> CaseView:
    """Take the case up where it stopped: answers out of line are marked, then it is proved as at first.

    Asked for twice it is proved once. Raises ScopeMissing, CaseNotFound; CaseConflict where it
    fell short of something else, or has been reinstated.
    """
    require(viewer, "edit")
    found = case_of(viewer, uid)
    with transaction.atomic():
        take_turn(viewer.workspace_id)
        case = Case.objects.get(pk=found.pk)
        if case.state != Case.State.PROPAGATING:
            if not case.falls_short_of_proof or Case.objects.filter(reinstates=case).exists():
                raise conflict(
                    case, "wrong_state", _("Only a case whose proof fell short is proved again.")
                )
            Case.objects.filter(pk=case.pk).update(
                state=Case.State.PROPAGATING,
                counts={**case.counts, "shortfall": None, "proofs": 0},
                fence=F("fence") + 1,
                lease_until=None,
                attempts=0,
            )
            record(case, CaseEvent.What.REPROVED, viewer)
            outbox.enqueue("lineage.propagate_case", case_id=case.pk)
    return case_view(viewer, uid)
