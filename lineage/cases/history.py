"""The history of a case: who did what when, and what was said; written with the change, never changed.

Whoever works on cases reads all of it by name. Other members read the steps alone, by roles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage import outbox
from lineage.cases.steps import case_of
from lineage.content import apart
from lineage.models import Case, CaseEvent
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import JsonValue, Viewer
from lineage.webhooks import events as webhooks
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit
from provexplorer.workspaces.models import Membership

_What, _By = CaseEvent.What, CaseEvent.By
# What members may have to be told of by mail; lineage.cases.mail says whom.
MAILED: Final = (_What.TRIED, _What.APPROVED, _What.REJECTED, _What.VERIFIED, _What.INCOMPLETE)
# What addresses outside are told, by the types that they choose.
_TOLD: Final[Mapping[str, str]] = {
    _What.TRIED: "case.ready",
    _What.APPROVED: "case.approved",
    _What.VERIFIED: "case.verified",
    _What.INCOMPLETE: "case.incomplete",
    _What.LIFTED: "case.reinstated",
}
# What is said among those who work on a case, and is not for every reader.
_AMONG_WORKERS: Final = (_What.COMMENT, _What.FILE, _What.ASSIGNED)
MAIL: Final = "lineage.mail_case_event"


@dataclass(frozen=True, slots=True)
class EventView:
    """What was done or said.

    `by`: member, key or product. `author`: the name of the account, None for readers, for
    keys and where it is gone; `role` the role that it has now, empty where it has none. `text`
    of a comment or rejection, None where there is none or it was destroyed; `other` the uid of
    the case that lifted this one; `numbers`: answers by state and readers at that moment.
    """

    id: int
    what: str
    at: datetime
    by: str
    author: str | None
    role: str
    text: str | None
    assigned: str
    other: str | None
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class History:
    """A page of a case's history, newest first."""

    items: tuple[EventView, ...]
    next: str | None
    total: int


def record(
    case: Case, what: CaseEvent.What, viewer: Viewer | None = None, **more: JsonValue
) -> CaseEvent:
    """Write down what was done, in the transaction of the change, and have it told.

    `viewer`: who did it; None: the product by itself. `case` is as it was before or after the
    change: only its kind and uid are told.
    """
    by = _By.PRODUCT
    if viewer is not None and viewer.key_id is not None:
        by = _By.KEY
    elif viewer is not None and viewer.user_id is not None:
        by = _By.MEMBER
    event = CaseEvent.objects.create(
        case=case,
        what=what,
        at=clock.now(),
        by=by,
        author_id=viewer.user_id if viewer is not None else None,
        **more,
    )
    audit.record(f"case.{what}", viewer, workspace_id=case.workspace_id, object_uid=case.uid)
    if what in MAILED:
        outbox.enqueue(MAIL, event_id=event.pk)
    if what in _TOLD:
        webhooks.tell(case.workspace_id, _TOLD[what], case.uid, _data(case, event))
    return event


def numbers_of(counts: Mapping[str, JsonValue]) -> dict[str, int]:
    """What a row of the history keeps of a case's counts."""
    states = counts.get("states", {})
    return {**states, "readers": counts.get("readers", 0)}


def history(
    viewer: Viewer, uid: str, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> History:
    """What was done with a case, newest first. Raises CaseNotFound, CursorInvalid."""
    case = case_of(viewer, uid)
    works = "operate" in viewer.scopes
    mine = CaseEvent.objects.filter(case=case)
    if not works:
        mine = mine.exclude(what__in=_AMONG_WORKERS)
    size = bounded(limit)
    rows = list(
        mine.filter(before_id(cursor))
        .select_related("author", "assigned", "other")
        .order_by("-id")[: size + 1]
    )
    page = rows[:size]
    said = _said(viewer, case, page)
    roles = _roles(viewer, page)
    return History(
        items=tuple(
            EventView(
                id=row.pk,
                what=row.what,
                at=row.at,
                by=row.by,
                author=row.author.username if row.author and works else None,
                role=roles.get(row.author_id, ""),
                text=said.get(row.digest) if row.digest else None,
                assigned=row.assigned.username if row.assigned and works else "",
                other=row.other.uid if row.other else None,
                numbers=row.numbers,
            )
            for row in page
        ),
        next=write_cursor(page[-1].pk) if len(rows) > size else None,
        total=mine.count(),
    )


def _said(viewer: Viewer, case: Case, page: list[CaseEvent]) -> dict[str, str]:
    digests = [row.digest for row in page if row.digest]
    if not digests or case.owner_id is None:
        return {}
    return apart.texts(viewer, case.owner_id, digests)


def _roles(viewer: Viewer, page: list[CaseEvent]) -> dict[int | None, str]:
    users = {row.author_id for row in page if row.author_id is not None}
    rows = Membership.objects.filter(workspace_id=viewer.workspace_id, user_id__in=users)
    return dict(rows.order_by("pk").values_list("user_id", "role"))


def _data(case: Case, event: CaseEvent) -> dict[str, JsonValue]:
    """Uids, numbers and codes alone."""
    data: dict[str, JsonValue] = {
        "case": case.uid,
        "kind": case.kind,
        "address": f"/cases/{case.uid}",
        "answers": {word: event.numbers.get(word, 0) for word in ("stale", "review", "current")},
    }
    if event.other is not None:
        data["reinstatement"] = event.other.uid
    return data
