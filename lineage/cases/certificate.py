"""What is certified of a case, whatever its kind: uids, numbers, instants and codes; no text and no key."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from django.utils.translation import gettext as _

from lineage.cases.errors import CaseConflict
from lineage.cases.history import history
from lineage.cases.steps import case_of
from lineage.cases.view import case_view
from lineage.models import Case, CaseTarget
from lineage.types import JsonValue, Viewer
from provexplorer import clock

FORMAT: Final = "provexplorer-certificate/1"
_ENDED: Final = (Case.State.VERIFIED, Case.State.INCOMPLETE)
# Rows of the history that a certificate lists, the newest; a case has few of them.
_MOST_STEPS: Final = 200
# What was said, and who had it, is nobody's outside.
_STEPS: Final = frozenset(
    {
        "drafted", "tried", "approved", "started", "paused", "resumed", "verified", "incomplete",
        "reproved", "lifted",
    }
)  # fmt: skip


def certificate_of(viewer: Viewer, uid: str) -> dict[str, JsonValue]:
    """The certificate of a case whose marking has ended, proved or with what it falls short of.

    What of an erasure is certified stands apart (lineage.erasure.certificate).

    `answers_digest` is a keyed digest of the answers' uids, of proved cases alone. Raises
    CaseNotFound; CaseConflict (`not_ended`) before its end.
    """
    case = case_of(viewer, uid)
    if case.state not in _ENDED:
        raise CaseConflict(
            "not_ended", _("A case is certified once its marking has ended."), state=case.state
        )
    view = case_view(viewer, uid)
    proved: Mapping[str, JsonValue] = case.certificate or {}
    targets = CaseTarget.objects.filter(case=case).order_by("node__uid")
    steps = history(viewer, uid, limit=_MOST_STEPS).items
    return {
        "format": FORMAT,
        "case": case.uid,
        "kind": case.kind,
        "state": case.state,
        "targets": list(targets.values_list("node__uid", flat=True)),
        "reinstates": view.reinstates,
        "reinstated_by": view.reinstated_by,
        "drafted_at": _written(case.created_at),
        "drafted_by": view.drafted_by,
        "approved_at": _written(case.approved_at),
        "approved_by": view.approved_by,
        "effective_at": _written(case.effective_at or case.approved_at),
        "verified_at": _written(case.verified_at),
        "epoch": case.epoch,
        "answers": proved.get("answers", sum(view.counts.values())),
        "answers_digest": proved.get("answers_digest"),
        "grades": dict(view.counts),
        "states": dict(view.states),
        "claims": dict(view.claims),
        "readers": view.reached.readers if view.reached else None,
        "units": view.reached.units if view.reached else None,
        "proof": proved.get("proof"),
        "shortfall": dict(view.shortfall) if view.shortfall else None,
        "history": [
            {"what": step.what, "at": _written(step.at), "by": step.role or step.by}
            for step in reversed(steps)
            if step.what in _STEPS
        ],
        "certified_at": _written(clock.now().replace(microsecond=0)),
    }


def _written(instant: datetime | None) -> str | None:
    return instant.astimezone(UTC).isoformat() if instant else None
