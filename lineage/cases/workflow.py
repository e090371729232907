"""What people and keys do with a case: draft, dry run, cancel, pause, resume; deciding.py has the rest.

Every step is one conditional update with its row of the history in one transaction, so that
a double click, two editors at once or a request sent again change nothing twice. Operators
draft, editors approve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from lineage import outbox
from lineage.cases import targets as case_targets
from lineage.cases.deciding import approve, reinstate, reject
from lineage.cases.errors import DraftDiffers, DraftRefused
from lineage.cases.history import record
from lineage.cases.steps import (
    BEFORE_EFFECT,
    LONGEST_REASON,
    case_of,
    conflict,
    create,
    fresh_uid,
    require,
)
from lineage.cases.trying import try_out
from lineage.cases.view import CaseView, case_view
from lineage.formats.canonical import canonical_json
from lineage.identifiers import keyed_hash
from lineage.models import Case, CaseEvent, CaseTarget, Withdrawal
from lineage.models.turns import take_turn
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import CASE_KINDS, REINSTATEMENT
from provexplorer import clock

__all__ = [
    "approve", "cancel", "draft", "draft_once", "dry_run", "pause", "reinstate", "reject", "resume",
]  # fmt: skip

_State, _What = Case.State, CaseEvent.What
_MOST_EVIDENCE = 100
_LONGEST_EVIDENCE = 4_000


@dataclass(frozen=True, slots=True)
class _Sent:
    """A draft that may be sent again: the mark of its key, and a keyed digest of what it asks for."""

    mark: str
    digest: str


def draft(
    viewer: Viewer,
    *,
    kind: str,
    targets: Sequence[JsonValue],
    reason: str = "",
    evidence: Sequence[JsonValue] = (),
    effective_at: datetime | None = None,
    key: str = "",
) -> CaseView:
    """A new case, without effect. Targets are bound now; an instant without a zone is UTC.

    `key`: what the draft follows from (a notice of a feed, an event); a second draft of the
    same key is the first. Raises ScopeMissing, DraftRefused, TargetRefused.
    """
    uid, _new = _draft(
        viewer,
        kind=kind,
        targets=targets,
        reason=reason,
        evidence=evidence,
        effective_at=effective_at,
        key=key,
    )
    return case_view(viewer, uid)


def draft_once(
    viewer: Viewer,
    key: str,
    *,
    kind: str,
    targets: Sequence[JsonValue],
    reason: str = "",
    evidence: Sequence[JsonValue] = (),
    effective_at: datetime | None = None,
) -> tuple[CaseView, bool]:
    """As `draft`, for whoever may send the same again: one case for each key of who sends it.

    The case as it stands, and whether it is new. The key holds as long as the case. Raises
    DraftDiffers where the key came with something else, and what `draft` raises.
    """
    said: JsonValue = [
        kind, list(targets), reason, list(evidence), effective_at and effective_at.isoformat()
    ]  # fmt: skip
    who = f"key:{viewer.key_id}" if viewer.key_id is not None else f"user:{viewer.user_id}"
    sent = _Sent(
        mark=keyed_hash(viewer.hash_key, "draft", who, key),
        digest=keyed_hash(viewer.hash_key, "drafted", canonical_json(said).decode("ascii")),
    )
    uid, new = _draft(
        viewer,
        kind=kind,
        targets=targets,
        reason=reason,
        evidence=evidence,
        effective_at=effective_at,
        sent=sent,
    )
    drafted = CaseEvent.objects.filter(
        case__workspace_id=viewer.workspace_id, case__uid=uid, what=_What.DRAFTED
    )
    if not drafted.filter(digest=sent.digest).exists():
        raise DraftDiffers
    return case_view(viewer, uid), new


def _draft(
    viewer: Viewer,
    *,
    kind: str,
    targets: Sequence[JsonValue],
    reason: str,
    evidence: Sequence[JsonValue],
    effective_at: datetime | None,
    key: str = "",
    sent: _Sent | None = None,
) -> tuple[str, bool]:
    """The uid of the case, and whether it is new."""
    require(viewer, "operate")
    if kind not in CASE_KINDS:
        raise DraftRefused("/kind", _("This is no kind of case."))
    if len(reason) > LONGEST_REASON:
        raise DraftRefused("/reason", _("A reason has at most 10,000 characters."))
    _check_evidence(evidence)
    if effective_at is not None and effective_at.tzinfo is None:
        effective_at = effective_at.replace(tzinfo=UTC)
    once = key or (sent.mark if sent is not None else "")
    uid = fresh_uid(viewer, once)
    if once and Case.objects.filter(workspace_id=viewer.workspace_id, uid=uid).exists():
        return uid, False
    nodes = case_targets.bound(viewer, targets)
    try:
        with transaction.atomic():
            case = create(
                viewer,
                uid=uid,
                kind=kind,
                reason=reason,
                evidence=list(evidence),
                effective_at=effective_at,
                drafted_by_id=viewer.user_id,
                drafted_by_key_id=viewer.key_id,
                origin=_origin(viewer, key),
            )
            CaseTarget.objects.bulk_create([CaseTarget(case=case, node=node) for node in nodes])
            record(case, _What.DRAFTED, viewer, digest=sent.digest if sent is not None else "")
    except IntegrityError:
        # Another request has drafted the same just now.
        if not once:
            raise
        return uid, False
    return uid, True


def dry_run(viewer: Viewer, uid: str) -> CaseView:
    """What the case would do, counted; changes nothing but the case, which is ready then."""
    require(viewer, "operate")
    case = case_of(viewer, uid)
    if case.state not in (_State.DRAFT, _State.READY):
        raise conflict(case, "not_a_draft", _("Only a draft can be tried out."))
    if case.kind == REINSTATEMENT:
        raise conflict(case, "is_reinstatement", _("A reinstatement is not tried out."))
    try_out(viewer, case)
    return case_view(viewer, uid)


def cancel(viewer: Viewer, uid: str) -> CaseView:
    """Close a case that has not taken effect. Cancelling a scheduled one needs an editor."""
    case = case_of(viewer, uid)
    require(viewer, "edit" if case.state == _State.SCHEDULED else "operate")
    with transaction.atomic():
        # First of all: a request of records may be writing the register rows of what an agent gained.
        take_turn(viewer.workspace_id)
        now = clock.now()
        due = Q(state=_State.SCHEDULED, effective_at__lte=now)
        cancelled = (
            Case.objects.filter(id=case.id, state__in=BEFORE_EFFECT)
            .filter(~due, state=case.state)
            .update(state=_State.CANCELLED)
        )
        if cancelled:
            Withdrawal.objects.filter(case=case, ended_at__isnull=True).update(ended_at=now)
            record(case, _What.CANCELLED, viewer)
            outbox.enqueue("lineage.project_case", case_id=case.id)
    if not cancelled:
        case.refresh_from_db()
        if case.state == _State.REJECTED:
            raise conflict(case, "closed", _("This case was closed before it took effect."))
        if case.state != _State.CANCELLED:
            raise conflict(case, "in_effect", _("It has taken effect: reinstate it instead."))
    return case_view(viewer, uid)


def pause(viewer: Viewer, uid: str) -> CaseView:
    """Stop materialising; reads go on obeying the case. A batch under way is rolled back."""
    require(viewer, "edit")
    return _switch(
        viewer, uid, _State.PROPAGATING, _State.PAUSED, _("Only a propagating case can be paused.")
    )


def resume(viewer: Viewer, uid: str) -> CaseView:
    """Go on where a paused case stopped."""
    require(viewer, "edit")
    return _switch(
        viewer, uid, _State.PAUSED, _State.PROPAGATING, _("Only a paused case can be resumed.")
    )


def _switch(viewer: Viewer, uid: str, old: Case.State, new: Case.State, detail: str) -> CaseView:
    case = case_of(viewer, uid)
    with transaction.atomic():
        switched = Case.objects.filter(id=case.id, state=old).update(
            state=new, fence=F("fence") + 1, lease_until=None, attempts=0
        )
        if switched:
            record(case, _What.PAUSED if new == _State.PAUSED else _What.RESUMED, viewer)
        if switched and new == _State.PROPAGATING:
            outbox.enqueue("lineage.propagate_case", case_id=case.id)
    if not switched:
        case.refresh_from_db()
        if case.state != new:
            raise conflict(case, "wrong_state", detail)
    return case_view(viewer, uid)


def _origin(viewer: Viewer, key: str) -> Case.Origin:
    if key:
        return Case.Origin.FEED
    return Case.Origin.MEMBER if viewer.key_id is None else Case.Origin.KEY


def _check_evidence(evidence: Sequence[JsonValue]) -> None:
    if len(evidence) > _MOST_EVIDENCE:
        raise DraftRefused("/evidence", _("At most 100 pieces of evidence."))
    for index, piece in enumerate(evidence):
        if not isinstance(piece, str | dict) or len(str(piece)) > _LONGEST_EVIDENCE:
            raise DraftRefused(
                f"/evidence/{index}",
                _("Evidence is a text or an object, of at most 4,000 characters."),
            )
