"""What people and keys do with a case: draft, dry run, approve, cancel, pause, resume, reinstate.

Every step is one conditional update, so that a double click, two editors at once or a
request sent again change nothing twice. Operators draft, editors approve.
"""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from lineage import outbox
from lineage.cases import targets as case_targets
from lineage.cases.dry_run import dry_run_counts
from lineage.cases.epoch import raise_epoch
from lineage.cases.errors import CaseConflict, CaseNotFound, DraftRefused, ScopeMissing
from lineage.cases.view import CaseView, case_view
from lineage.identifiers import address_of
from lineage.models import Case, CaseTarget, Withdrawal
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import CASE_KINDS, REINSTATEMENT
from provexplorer import clock

_State = Case.State
# In effect, whatever propagation has got to.
IN_EFFECT = (_State.APPROVED, _State.PROPAGATING, _State.PAUSED, _State.VERIFIED, _State.INCOMPLETE)
_BEFORE_EFFECT = (_State.DRAFT, _State.READY, _State.SCHEDULED)
_LONGEST_REASON = 10_000
_MOST_EVIDENCE = 100
_LONGEST_EVIDENCE = 4_000


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
    _require(viewer, "operate")
    if kind not in CASE_KINDS:
        raise DraftRefused("/kind", _("This is no kind of case."))
    if len(reason) > _LONGEST_REASON:
        raise DraftRefused("/reason", _("A reason has at most 10,000 characters."))
    _check_evidence(evidence)
    if effective_at is not None and effective_at.tzinfo is None:
        effective_at = effective_at.replace(tzinfo=UTC)
    uid = _fresh_uid(viewer, key)
    if key and Case.objects.filter(workspace_id=viewer.workspace_id, uid=uid).exists():
        return case_view(viewer, uid)
    nodes = case_targets.bound(viewer, targets)
    try:
        with transaction.atomic():
            case = _create(
                viewer,
                uid=uid,
                kind=kind,
                reason=reason,
                evidence=list(evidence),
                effective_at=effective_at,
                drafted_by_id=viewer.user_id,
            )
            CaseTarget.objects.bulk_create([CaseTarget(case=case, node=node) for node in nodes])
    except IntegrityError:
        # Another request has drafted the same just now.
        if not key:
            raise
    return case_view(viewer, uid)


def dry_run(viewer: Viewer, uid: str) -> CaseView:
    """What the case would do, counted; changes nothing but the case, which is ready then."""
    _require(viewer, "operate")
    case = _case(viewer, uid)
    if case.state not in (_State.DRAFT, _State.READY):
        raise _conflict(case, "not_a_draft", _("Only a draft can be tried out."))
    counts = dry_run_counts(case)
    Case.objects.filter(id=case.id, state__in=(_State.DRAFT, _State.READY)).update(
        state=_State.READY, counts=counts, total=counts["answers"]
    )
    return case_view(viewer, uid)


def approve(viewer: Viewer, uid: str) -> CaseView:
    """Put the case into effect, now or at its effective instant. Approving twice is approving once.

    When this returns, every read obeys the case. Raises CaseConflict for a draft without dry
    run and for a case that was cancelled or rejected.
    """
    _require(viewer, "edit")
    case = _case(viewer, uid)
    now = clock.now()
    later = case.effective_at is not None and case.effective_at > now
    with transaction.atomic():
        # First of all: approvals and requests of records take turns on the epoch's row.
        epoch = raise_epoch(viewer.workspace_id)
        approved = Case.objects.filter(id=case.id, state=_State.READY).update(
            state=_State.SCHEDULED if later else _State.PROPAGATING,
            approved_at=now, approved_by_id=viewer.user_id, epoch=epoch,
            cursor=0, done=0, total=0, attempts=0, lease_until=None,
        )  # fmt: skip
        if approved:
            _register(case, case.effective_at if later and case.effective_at else now)
            outbox.enqueue("lineage.project_case", case_id=case.id)
            if not later:
                outbox.enqueue("lineage.propagate_case", case_id=case.id)
    if not approved:
        case.refresh_from_db()
        if case.state == _State.DRAFT:
            raise _conflict(case, "no_dry_run", _("A case is tried out before it is approved."))
        if case.state not in (*IN_EFFECT, _State.SCHEDULED):
            raise _conflict(case, "closed", _("This case was closed before it took effect."))
    return case_view(viewer, uid)


def cancel(viewer: Viewer, uid: str) -> CaseView:
    """Close a case that has not taken effect. Cancelling a scheduled one needs an editor."""
    case = _case(viewer, uid)
    _require(viewer, "edit" if case.state == _State.SCHEDULED else "operate")
    now = clock.now()
    due = Q(state=_State.SCHEDULED, effective_at__lte=now)
    with transaction.atomic():
        cancelled = (
            Case.objects.filter(id=case.id, state__in=_BEFORE_EFFECT)
            .filter(~due, state=case.state)
            .update(state=_State.CANCELLED)
        )
        if cancelled:
            Withdrawal.objects.filter(case=case, ended_at__isnull=True).update(ended_at=now)
            outbox.enqueue("lineage.project_case", case_id=case.id)
    if not cancelled:
        case.refresh_from_db()
        if case.state != _State.CANCELLED:
            raise _conflict(case, "in_effect", _("It has taken effect: reinstate it instead."))
    return case_view(viewer, uid)


def pause(viewer: Viewer, uid: str) -> CaseView:
    """Stop materialising; reads go on obeying the case. A batch under way is rolled back."""
    _require(viewer, "edit")
    return _switch(
        viewer, uid, _State.PROPAGATING, _State.PAUSED, _("Only a propagating case can be paused.")
    )


def resume(viewer: Viewer, uid: str) -> CaseView:
    """Go on where a paused case stopped."""
    _require(viewer, "edit")
    return _switch(
        viewer, uid, _State.PAUSED, _State.PROPAGATING, _("Only a paused case can be resumed.")
    )


def reinstate(viewer: Viewer, uid: str, *, reason: str = "") -> CaseView:
    """A new, approved case that ends this one: reads are free of it when this returns.

    Done twice, the second call gives the reinstatement that is there. Raises CaseConflict
    for a case that is not in effect, and for a reinstatement.
    """
    _require(viewer, "edit")
    case = _case(viewer, uid)
    if len(reason) > _LONGEST_REASON:
        raise DraftRefused("/reason", _("A reason has at most 10,000 characters."))
    if case.kind == REINSTATEMENT:
        raise _conflict(case, "is_reinstatement", _("A reinstatement is not reinstated."))
    now = clock.now()
    with transaction.atomic():
        epoch = raise_epoch(viewer.workspace_id)
        known = Case.objects.filter(reinstates=case).first()
        if known is not None:
            return case_view(viewer, known.uid)
        # A propagation under way loses its hold; what it has materialised is ended below.
        Case.objects.filter(id=case.id).update(fence=F("fence") + 1, lease_until=None)
        case.refresh_from_db()
        # Reads obey a scheduled case from its instant on, whether or not anybody has started it.
        due = case.state == _State.SCHEDULED and (case.effective_at or now) <= now
        if case.state not in IN_EFFECT and not due:
            raise _conflict(case, "not_in_effect", _("This case is not in effect."))
        cut_short = (_State.APPROVED, _State.SCHEDULED, _State.PROPAGATING, _State.PAUSED)
        if case.state in cut_short:
            counts = {**case.counts, "shortfall": {"code": "reinstated"}}
            Case.objects.filter(id=case.id).update(state=_State.INCOMPLETE, counts=counts)
        new = _create(
            viewer, uid=_fresh_uid(viewer), kind=REINSTATEMENT, reason=reason, reinstates=case,
            state=_State.PROPAGATING, approved_at=now, epoch=epoch,
            drafted_by_id=viewer.user_id, approved_by_id=viewer.user_id,
        )  # fmt: skip
        nodes = CaseTarget.objects.filter(case=case).values_list("node_id", flat=True)
        CaseTarget.objects.bulk_create([CaseTarget(case=new, node_id=node) for node in nodes])
        Withdrawal.objects.filter(case=case, ended_at__isnull=True).update(ended_at=now)
        outbox.enqueue("lineage.propagate_case", case_id=new.id)
    return case_view(viewer, new.uid)


def _switch(viewer: Viewer, uid: str, old: Case.State, new: Case.State, detail: str) -> CaseView:
    case = _case(viewer, uid)
    with transaction.atomic():
        switched = Case.objects.filter(id=case.id, state=old).update(
            state=new, fence=F("fence") + 1, lease_until=None, attempts=0
        )
        if switched and new == _State.PROPAGATING:
            outbox.enqueue("lineage.propagate_case", case_id=case.id)
    if not switched:
        case.refresh_from_db()
        if case.state != new:
            raise _conflict(case, "wrong_state", detail)
    return case_view(viewer, uid)


def _register(case: Case, at: datetime) -> None:
    """Write the register rows of an approval, agents expanded."""
    named = CaseTarget.objects.filter(case=case).values_list("node_id", flat=True)
    nodes = case_targets.expanded(case.workspace_id, set(named))
    Withdrawal.objects.bulk_create(
        [
            Withdrawal(workspace_id=case.workspace_id, case=case, node_id=node_id, at=at)
            for node_id in sorted(nodes)
        ],
        batch_size=1_000,
    )


def _create(viewer: Viewer, **columns: JsonValue) -> Case:
    return Case.objects.create(workspace_id=viewer.workspace_id, created_at=clock.now(), **columns)


def _fresh_uid(viewer: Viewer, key: str = "") -> str:
    """The uid of a new case: without a key, two drafts of the same words are two cases."""
    return address_of(viewer.hash_key, "case", "", key or secrets.token_hex(16))


def _case(viewer: Viewer, uid: str) -> Case:
    case = Case.objects.filter(workspace_id=viewer.workspace_id, uid=uid).first()
    if case is None:
        raise CaseNotFound(uid)
    return case


def _check_evidence(evidence: Sequence[JsonValue]) -> None:
    if len(evidence) > _MOST_EVIDENCE:
        raise DraftRefused("/evidence", _("At most 100 pieces of evidence."))
    for index, piece in enumerate(evidence):
        if not isinstance(piece, str | dict) or len(str(piece)) > _LONGEST_EVIDENCE:
            raise DraftRefused(
                f"/evidence/{index}",
                _("Evidence is a text or an object, of at most 4,000 characters."),
            )


def _require(viewer: Viewer, scope: str) -> None:
    if scope not in viewer.scopes:
        raise ScopeMissing(scope)


def _conflict(case: Case, code: str, detail: str) -> CaseConflict:
    return CaseConflict(code, detail, state=case.state)
