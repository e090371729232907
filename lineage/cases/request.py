"""Requests that something be put right: whoever may read asks, as a draft; editors decide.

A request is a case like any other, drafted on behalf of somebody who could not draft it. It
takes effect only as others do: tried out by an operator, approved by an editor.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from lineage.cases import workflow
from lineage.cases.errors import CaseConflict, CaseNotFound, DraftRefused, ScopeMissing
from lineage.models import Case, CorrectionRequest
from lineage.nodes.paging import after_instant, bounded, write_cursor
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Membership, User

# What is wrong, and the kind of case that it asks for.
WRONGS: Final[Mapping[str, str]] = {
    "attribution": "correction",
    # The answer is at fault, not the source.
    "misquoted": "concern",
    "outdated": "supersession",
    "licence": "license_change",
    "withdraw": "revocation",
    "other": "concern",
}
# Requests of one person in one workspace that nobody has decided yet.
MOST_OPEN: Final = 20
LONGEST_REASON: Final = 4_000
LONGEST_EVIDENCE: Final = 2_000
# Not decided: neither approved nor closed.
_OPEN: Final = (Case.State.DRAFT, Case.State.READY)


class TooManyOpen(DraftRefused):
    """The person has as many open requests as one may have."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. `by`: who asked, for those who work on cases and for who asked; else None.

    `state` is that of the case; `reinstated`: it was in effect and has been lifted.
    """

    case_uid: str
    wrong: str
    about_uid: str
    at: datetime
    by: str | None
    mine: bool
    state: str
    reinstated: bool
    reason: str
    open: bool


@dataclass(frozen=True, slots=True)
class AskedPage:
    """Requests of one person, newest first; `open` of them are not decided."""

    items: tuple[Asked, ...]
    next: str | None
    total: int
    open: int


def ask(
    viewer: Viewer,
    *,
    wrong: str,
    about_uid: str,
    targets: Sequence[str],
    reason: str,
    evidence: str = "",
) -> tuple[str, bool]:
    """The uid of the case that was drafted, and whether it is new.

    Who asks the same of the same thing again, while it is open, is given what is there: a
    double click is one request. Raises ScopeMissing for who is no member, DraftRefused
    with a JSON pointer (TooManyOpen at the limit), TargetRefused.
    """
    if wrong not in WRONGS:
        raise DraftRefused("/wrong", _("Choose what is wrong."))
    if not reason.strip():
        raise DraftRefused("/reason", _("Say what is wrong, in a sentence or two."))
    if len(reason) > LONGEST_REASON:
        raise DraftRefused("/reason", _("At most 4,000 characters."))
    if len(evidence) > LONGEST_EVIDENCE:
        raise DraftRefused("/evidence", _("At most 2,000 characters."))
    with transaction.atomic():
        # One at a time for each person, so that the limit holds.
        if "read" not in viewer.scopes or not _locked(viewer):
            raise ScopeMissing("read")
        undecided = _of(viewer).filter(case__state__in=_OPEN)
        same = undecided.filter(about_uid=about_uid, wrong=wrong).order_by("pk").first()
        if same is not None:
            return same.case.uid, False
        if undecided.count() >= MOST_OPEN:
            raise TooManyOpen(
                "/",
                _(
                    "You have %(most)d open requests. Wait until one of them is decided, or withdraw one."
                )
                % {"most": MOST_OPEN},
            )
        drafted = workflow.draft(
            _on_behalf(viewer),
            workflow.NewCase(
                kind=WRONGS[wrong],
                targets=[{"uid": uid} for uid in targets],
                reason=reason.strip(),
                evidence=[evidence.strip()] if evidence.strip() else [],
            ),
        )
        CorrectionRequest.objects.create(
            workspace_id=viewer.workspace_id,
            case=Case.objects.get(workspace_id=viewer.workspace_id, uid=drafted.uid),
            wrong=wrong,
            about_uid=about_uid,
            asked_by_id=viewer.user_id,
            asked_at=clock.now(),
        )
    return drafted.uid, True


def withdraw(viewer: Viewer, case_uid: str) -> None:
    """Close a request of one's own that is not decided yet. Doing it twice is doing it once.

    Raises CaseNotFound for what is no request of the viewer, CaseConflict once it is decided.
    """
    request = _of(viewer).filter(case__uid=case_uid).first()
    if request is None:
        raise CaseNotFound(case_uid)
    try:
        workflow.cancel(_on_behalf(viewer), case_uid)
    except ScopeMissing as error:
        # Approved for a later instant: it is the editors' now.
        detail = _("It has been approved; an editor can still close it.")
        raise CaseConflict("approved", detail, state=request.case.state) from error


def requests_of(viewer: Viewer, case_uids: Collection[str]) -> dict[str, Asked]:
    """The requests among these cases, by the uid of the case."""
    rows = CorrectionRequest.objects.filter(
        workspace_id=viewer.workspace_id, case__uid__in=sorted(case_uids)
    )
    rows = rows.select_related("case", "asked_by").order_by("pk")
    return {asked.case_uid: asked for asked in _told(viewer, list(rows))} if case_uids else {}


def mine(viewer: Viewer, *, limit: int = 30, cursor: str | None = None) -> AskedPage:
    """The requests of who looks. Raises CursorInvalid."""
    every = _of(viewer)
    size = bounded(limit)
    rows = list(
        every.filter(after_instant(cursor, "asked_at", "case__uid"))
        .select_related("case", "asked_by")
        .order_by("-asked_at", "case__uid")[: size + 1]
    )
    page = rows[:size]
    following = len(rows) > size
    return AskedPage(
        items=_told(viewer, page),
        next=write_cursor(page[-1].asked_at.isoformat(), page[-1].case.uid) if following else None,
        total=every.count(),
        open=every.filter(case__state__in=_OPEN).count(),
    )


def open_requests(viewer: Viewer) -> int:
    """How many requests of who looks are not decided."""
    return _of(viewer).filter(case__state__in=_OPEN).count()


def _locked(viewer: Viewer) -> bool:
    """Whether who looks is a member, whose row is then held until the transaction ends."""
    if viewer.user_id is None:
        return False
    rows = Membership.objects.select_for_update().filter(
        workspace_id=viewer.workspace_id, user_id=viewer.user_id
    )
    return rows.order_by("pk").first() is not None


def _of(viewer: Viewer) -> QuerySet[CorrectionRequest]:
    """The requests of the person who looks; a key is nobody."""
    return CorrectionRequest.objects.filter(
        workspace_id=viewer.workspace_id, asked_by_id=viewer.user_id, asked_by__isnull=False
    ).select_related("case")


def _on_behalf(viewer: Viewer) -> Viewer:
    """Who drafts, and closes a draft, for somebody who may only ask."""
    return replace(viewer, scopes=viewer.scopes | {"operate"})


def _told(viewer: Viewer, rows: Sequence[CorrectionRequest]) -> tuple[Asked, ...]:
    lifted = set(
        Case.objects.filter(
            workspace_id=viewer.workspace_id, reinstates__in=[row.case_id for row in rows]
        ).values_list("reinstates_id", flat=True)
    )
    return tuple(
        Asked(
            case_uid=row.case.uid,
            wrong=row.wrong,
            about_uid=row.about_uid,
            at=row.asked_at,
            by=_name(row.asked_by) if _may_know(viewer, row) else None,
            mine=_is_mine(viewer, row),
            state=row.case.state,
            reinstated=row.case_id in lifted,
            reason=row.case.reason,
            open=row.case.state in _OPEN,
        )
        for row in rows
    )


def _is_mine(viewer: Viewer, row: CorrectionRequest) -> bool:
    return row.asked_by_id is not None and row.asked_by_id == viewer.user_id


def _may_know(viewer: Viewer, row: CorrectionRequest) -> bool:
    return "operate" in viewer.scopes or _is_mine(viewer, row)


def _name(user: User | None) -> str | None:
    return (user.get_full_name() or user.get_username()) if user is not None else None
