"""What editors decide: a case takes effect, is turned down, or is lifted by a reinstatement.

Where a workspace has another person decide, whoever drafted a case may not approve it, and a
reinstatement is a draft that waits for another's approval.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from lineage import outbox
from lineage.cases import targets as case_targets
from lineage.cases.discussion import keep_words
from lineage.cases.epoch import raise_epoch
from lineage.cases.errors import DraftRefused
from lineage.cases.history import numbers_of, record
from lineage.cases.late import texts_ruled
from lineage.cases.rules import A_KEY, another_person_decides, barred
from lineage.cases.steps import (
    IN_EFFECT,
    LONGEST_REASON,
    case_of,
    conflict,
    create,
    fresh_uid,
    require,
)
from lineage.cases.trying import check_numbers
from lineage.cases.view import CaseView, case_view
from lineage.models import Case, CaseEvent, CaseTarget, Withdrawal
from lineage.types import Viewer
from lineage.vocabulary import REINSTATEMENT
from provexplorer import clock

_State, _What = Case.State, CaseEvent.What
_UNDECIDED = (_State.DRAFT, _State.READY)


def approve(viewer: Viewer, uid: str, *, seen: int | None = None) -> CaseView:
    """Put the case into effect, now or at its effective instant. Approving twice is approving once.

    When this returns, every read obeys the case. `seen`: the number of the dry run whose
    counts are approved (CaseView.dry_runs); None: the last one. Raises CaseConflict for a
    draft without dry run (`no_dry_run`), for a case that was closed (`closed`), where the
    numbers have changed (`numbers_changed`), and where another person has to approve
    (`another_person`, `a_person`).
    """
    require(viewer, "edit")
    case = case_of(viewer, uid)
    if case.state == _State.READY:
        _check_person(viewer, case)
        if case.kind == REINSTATEMENT:
            return _approve_reinstatement(viewer, case)
        check_numbers(viewer, case, seen)
        case.refresh_from_db()
    now = clock.now()
    later = case.effective_at is not None and case.effective_at > now
    with transaction.atomic():
        # First of all: approvals and requests of records take turns on the epoch's row.
        epoch = raise_epoch(viewer.workspace_id)
        approved = Case.objects.filter(
            id=case.id, state=_State.READY, dry_runs=case.dry_runs
        ).update(
            state=_State.SCHEDULED if later else _State.PROPAGATING,
            approved_at=now, approved_by_id=viewer.user_id, epoch=epoch,
            cursor=0, done=0, total=0, attempts=0, lease_until=None,
        )  # fmt: skip
        if approved:
            _register(case, case.effective_at if later and case.effective_at else now)
            if not later:
                texts_ruled(case)
            record(case, _What.APPROVED, viewer, numbers=numbers_of(case.counts))
            outbox.enqueue("lineage.project_case", case_id=case.id)
            if not later:
                outbox.enqueue("lineage.propagate_case", case_id=case.id)
    if not approved:
        _check_approved(case)
    return case_view(viewer, uid)


def reject(viewer: Viewer, uid: str, *, reason: str) -> CaseView:
    """Turn down a case that nobody has approved, and say why. Twice is once.

    Raises DraftRefused without a reason, CaseConflict for a case that was approved or closed.
    """
    require(viewer, "edit")
    case = case_of(viewer, uid)
    if not reason.strip():
        raise DraftRefused("/reason", _("Say why the case is rejected."))
    rejected = 0
    if case.state in _UNDECIDED:
        digest = keep_words(viewer, case, reason.strip(), "/reason")
        with transaction.atomic():
            undecided = Case.objects.filter(id=case.id, state__in=_UNDECIDED)
            rejected = undecided.update(state=_State.REJECTED)
            if rejected:
                record(case, _What.REJECTED, viewer, digest=digest)
                outbox.enqueue("lineage.project_case", case_id=case.id)
    if not rejected:
        case.refresh_from_db()
        if case.state == _State.CANCELLED:
            raise conflict(case, "closed", _("This case was closed before it took effect."))
        if case.state != _State.REJECTED:
            raise conflict(case, "approved", _("It was approved already."))
    return case_view(viewer, uid)


def reinstate(viewer: Viewer, uid: str, *, reason: str = "") -> CaseView:
    """A new case that ends this one: reads are free of it when this returns.

    Where another person decides, it is a draft that somebody else approves, without effect
    until then. Done twice, the second call gives the reinstatement that is there. Raises
    CaseConflict for a case that is not in effect, and for a reinstatement.
    """
    require(viewer, "edit")
    case = case_of(viewer, uid)
    if len(reason) > LONGEST_REASON:
        raise DraftRefused("/reason", _("A reason has at most 10,000 characters."))
    if case.kind == REINSTATEMENT:
        raise conflict(case, "is_reinstatement", _("A reinstatement is not reinstated."))
    waits = another_person_decides(viewer.workspace_id)
    with transaction.atomic():
        epoch = raise_epoch(viewer.workspace_id)
        known = Case.objects.filter(reinstates=case).first()
        if known is None and waits:
            known = Case.objects.filter(would_reinstate=case, state=_State.READY).first()
        if known is not None:
            return case_view(viewer, known.uid)
        case.refresh_from_db()
        _check_in_effect(case)
        new = create(
            viewer, uid=fresh_uid(viewer), kind=REINSTATEMENT, reason=reason,
            state=_State.READY, would_reinstate=case,
            drafted_by_id=viewer.user_id, drafted_by_key_id=viewer.key_id,
            origin=Case.Origin.MEMBER if viewer.key_id is None else Case.Origin.KEY,
        )  # fmt: skip
        nodes = (
            CaseTarget.objects.filter(case=case).order_by("id").values_list("node_id", flat=True)
        )
        CaseTarget.objects.bulk_create([CaseTarget(case=new, node_id=node) for node in nodes])
        record(new, _What.DRAFTED, viewer)
        if waits:
            record(new, _What.TRIED, viewer)
        else:
            _lift(viewer, case, new, epoch)
    return case_view(viewer, new.uid)


def _approve_reinstatement(viewer: Viewer, new: Case) -> CaseView:
    """Put a reinstatement into effect that waited for another person."""
    with transaction.atomic():
        epoch = raise_epoch(viewer.workspace_id)
        new.refresh_from_db()
        if new.state != _State.READY:
            _check_approved(new)
            return case_view(viewer, new.uid)
        case = new.would_reinstate
        assert case is not None  # a reinstatement that waits names what it would lift
        if Case.objects.filter(reinstates=case).exists():
            raise conflict(new, "lifted_already", _("Another reinstatement has lifted the case."))
        _check_in_effect(case)
        _lift(viewer, case, new, epoch)
    return case_view(viewer, new.uid)


def _lift(viewer: Viewer, case: Case, new: Case, epoch: int) -> None:
    """End a case by its reinstatement, in a transaction that has raised the epoch."""
    now = clock.now()
    # A propagation under way loses its hold; what it has materialised is ended by the new case.
    Case.objects.filter(id=case.id).update(fence=F("fence") + 1, lease_until=None)
    case.refresh_from_db()
    _check_in_effect(case)
    if case.state in (_State.APPROVED, _State.SCHEDULED, _State.PROPAGATING, _State.PAUSED):
        counts: dict[str, Any] = {**case.counts, "shortfall": {"code": "reinstated"}}
        Case.objects.filter(id=case.id).update(state=_State.INCOMPLETE, counts=counts)
    Case.objects.filter(id=new.id, state=_State.READY).update(
        state=_State.PROPAGATING, reinstates=case, would_reinstate=None, approved_at=now,
        approved_by_id=viewer.user_id, epoch=epoch,
    )  # fmt: skip
    Withdrawal.objects.filter(case=case, ended_at__isnull=True).update(ended_at=now)
    texts_ruled(case, ended=True)
    record(new, _What.APPROVED, viewer)
    record(case, _What.LIFTED, viewer, other=new, numbers=numbers_of(case.counts))
    outbox.enqueue("lineage.propagate_case", case_id=new.id)


def _check_in_effect(case: Case) -> None:
    # Reads obey a scheduled case from its instant on, whether or not anybody has started it.
    now = clock.now()
    due = case.state == _State.SCHEDULED and (case.effective_at or now) <= now
    if case.state not in IN_EFFECT and not due:
        raise conflict(case, "not_in_effect", _("This case is not in effect."))


def _check_person(viewer: Viewer, case: Case) -> None:
    bar = barred(viewer, case)
    if bar == A_KEY:
        raise conflict(case, bar, _("Here a person approves cases, not a key."))
    if bar:
        raise conflict(case, bar, _("Whoever drafted a case does not approve it here."))


def _check_approved(case: Case) -> None:
    """Why an approval changed nothing: it was approved before, or it cannot be. Raises CaseConflict."""
    case.refresh_from_db()
    if case.state == _State.DRAFT:
        raise conflict(case, "no_dry_run", _("A case is tried out before it is approved."))
    if case.state == _State.READY:
        raise conflict(
            case,
            "numbers_changed",
            _("It was tried out again since. Look at the numbers, then approve it."),
        )
    if case.state not in (*IN_EFFECT, _State.SCHEDULED):
        raise conflict(case, "closed", _("This case was closed before it took effect."))


def _register(case: Case, at: datetime) -> None:
    """Write the register rows of an approval, agents expanded; they hold from this instant on."""
    named = CaseTarget.objects.filter(case=case).values_list("node_id", flat=True)
    nodes = case_targets.expanded(case.workspace_id, set(named))
    Withdrawal.objects.bulk_create(
        [
            Withdrawal(workspace_id=case.workspace_id, case=case, node_id=node_id, at=at)
            for node_id in sorted(nodes)
        ],
        batch_size=1_000,
    )
