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
    "NewCase", "approve", "cancel", "draft", "draft_once", "dry_run", "pause", "reinstate", "reject", "resume",
]  # fmt: skip

_State, _What = Case.State, CaseEvent.What
_MOST_EVIDENCE = 100
_LONGEST_EVIDENCE = 4_000


@dataclass(frozen=True, slots=True)
class NewCase:
    """What a case is drafted to be. Targets are bound when it is; an instant without a zone is UTC."""

    kind: str
    targets: Sequence[JsonValue]
    reason: str = ""
    evidence: Sequence[JsonValue] = ()
    effective_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Once:
    """Drafts of one mark are one case; "" marks none.

    `digest`: a keyed one of what is asked for, where the mark may come with something else.
    """

    mark: str
    digest: str = ""


def draft(viewer: Viewer, wanted: NewCase, *, key: str = "") -> CaseView:
    """A new case, without effect.

    `key`: what the draft follows from (a notice of a feed, an event); a second draft of the
    same key is the first. Raises ScopeMissing, DraftRefused, TargetRefused.
    """
    uid, _new = _draft(viewer, wanted, _Once(key), _origin(viewer, key))
    return case_view(viewer, uid)


def draft_once(viewer: Viewer, key: str, wanted: NewCase) -> tuple[CaseView, bool]:
    """As `draft`, for whoever may send the same again: one case for each key of who sends it.

    The case as it stands, and whether it is new. The key holds as long as the case. Raises
    DraftDiffers where the key came with something else, and what `draft` raises.
    """
    at = wanted.effective_at
    said: JsonValue = [
        wanted.kind, list(wanted.targets), wanted.reason, list(wanted.evidence), at and at.isoformat()
    ]  # fmt: skip
    who = f"key:{viewer.key_id}" if viewer.key_id is not None else f"user:{viewer.user_id}"
    once = _Once(
        mark=keyed_hash(viewer.hash_key, "draft", who, key),
        digest=keyed_hash(viewer.hash_key, "drafted", canonical_json(said).decode("ascii")),
    )
    uid, new = _draft(viewer, wanted, once, _origin(viewer))
    drafted = CaseEvent.objects.filter(
        case__workspace_id=viewer.workspace_id, case__uid=uid, what=_What.DRAFTED
    )
    if not drafted.filter(digest=once.digest).exists():
        raise DraftDiffers
    return case_view(viewer, uid), new


def _draft(viewer: Viewer, wanted: NewCase, once: _Once, origin: Case.Origin) -> tuple[str, bool]:
    """The uid of the case, and whether it is new."""
    require(viewer, "operate")
    _check(wanted)
    uid = fresh_uid(viewer, once.mark)
    if once.mark and Case.objects.filter(workspace_id=viewer.workspace_id, uid=uid).exists():
        return uid, False
    at = wanted.effective_at
    nodes = case_targets.bound(viewer, wanted.targets)
    try:
        with transaction.atomic():
            case = create(
                viewer,
                uid=uid,
                kind=wanted.kind,
                reason=wanted.reason,
                evidence=list(wanted.evidence),
                effective_at=at.replace(tzinfo=UTC) if at and at.tzinfo is None else at,
                drafted_by_id=viewer.user_id,
                drafted_by_key_id=viewer.key_id,
                origin=origin,
            )
            CaseTarget.objects.bulk_create([CaseTarget(case=case, node=node) for node in nodes])
            record(case, _What.DRAFTED, viewer, digest=once.digest)
    except IntegrityError:
        # Another request has drafted the same just now.
        if not once.mark:
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


def _origin(viewer: Viewer, key: str = "") -> Case.Origin:
    if key:
        return Case.Origin.FEED
    return Case.Origin.MEMBER if viewer.key_id is None else Case.Origin.KEY


def _check(wanted: NewCase) -> None:
    if wanted.kind not in CASE_KINDS:
        raise DraftRefused("/kind", _("This is no kind of case."))
    if len(wanted.reason) > LONGEST_REASON:
        raise DraftRefused("/reason", _("A reason has at most 10,000 characters."))
    if len(wanted.evidence) > _MOST_EVIDENCE:
        raise DraftRefused("/evidence", _("At most 100 pieces of evidence."))
    for index, piece in enumerate(wanted.evidence):
        if not isinstance(piece, str | dict) or len(str(piece)) > _LONGEST_EVIDENCE:
            raise DraftRefused(
                f"/evidence/{index}",
                _("Evidence is a text or an object, of at most 4,000 characters."),
            )
