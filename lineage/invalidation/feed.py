"""The changes of a workspace's answers since a cursor: what a semantic cache must look at again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce, Greatest

from lineage.cases.errors import ScopeMissing
from lineage.models import AnswerChange, Case, ChangeSequence
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.types import Viewer
from provexplorer import clock


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `became`: stale, review, current or regenerated; `case`: the gravest that makes it
    so; `born`: recorded when the case was in effect already; `by`: the answer that took its place.
    """

    sequence: int
    answer: str
    became: str
    at: datetime
    case: str | None
    born: bool
    by: str | None


@dataclass(frozen=True, slots=True)
class Coming:
    """A case that reads obey since then, and of which not every change is kept yet.

    Of a reinstatement the answers that it frees are still to come.
    """

    case: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Changes:
    """Some changes in their order. `cursor`: after the last of them, to be asked with next time.

    `coming`: cases more of whose changes will follow, the oldest first, at most MOST_COMING;
    `coming_total` how many there are. Looked for before the changes: a case that is not named
    has all of its changes before the end of the list.
    """

    items: tuple[Change, ...]
    cursor: str
    more: bool
    coming: tuple[Coming, ...]
    coming_total: int


MOST_COMING: Final = 50
# In effect and not at its end. An incomplete one is at its end, unless it was given up.
_UNDER_WAY: Final = (Case.State.APPROVED, Case.State.PROPAGATING, Case.State.PAUSED)


def changes_since(
    viewer: Viewer, cursor: str | None = None, *, limit: int = DEFAULT_LIMIT
) -> Changes:
    """What has become of answers after the cursor, the oldest change first; without one, from the first.

    A cursor holds for ever: nothing is ever put before it. Raises ScopeMissing, CursorInvalid.
    """
    if "read" not in viewer.scopes:
        raise ScopeMissing("read")
    after = _after(cursor)
    coming, coming_total = _coming(viewer.workspace_id)
    last = (
        ChangeSequence.objects.filter(workspace_id=viewer.workspace_id)
        .values_list("last", flat=True)
        .first()
        or 0
    )
    size = bounded(limit)
    rows = list(
        AnswerChange.objects.filter(
            workspace_id=viewer.workspace_id, sequence__gt=after, sequence__lte=last
        )
        .order_by("sequence")
        .values_list("sequence", "answer__uid", "became", "at", "case_uid", "born", "by__uid")[
            : size + 1
        ]
    )
    page = rows[:size]
    return Changes(
        items=tuple(
            Change(number, uid, became, at, case_uid or None, born, by)
            for number, uid, became, at, case_uid, born, by in page
        ),
        cursor=write_cursor(page[-1][0] if page else after),
        more=len(rows) > size,
        coming=coming,
        coming_total=coming_total,
    )


def _coming(workspace_id: int) -> tuple[tuple[Coming, ...], int]:
    """Cases in effect that are not marked to their end, from when reads obey them."""
    now = clock.now()
    due = Q(state=Case.State.SCHEDULED, effective_at__lte=now)
    given_up = Q(state=Case.State.INCOMPLETE, counts__shortfall__code="gave_up")
    lifted = Case.objects.filter(reinstates=OuterRef("pk"))
    cases = (
        Case.objects.filter(Q(state__in=_UNDER_WAY) | due | given_up, workspace_id=workspace_id)
        .filter(~Exists(lifted))
        .annotate(since=Greatest("approved_at", Coalesce("effective_at", "approved_at")))
        .order_by("since", "id")
    )
    rows = list(cases.values_list("uid", "since")[:MOST_COMING])
    total = len(rows) if len(rows) < MOST_COMING else cases.count()
    return tuple(Coming(uid, since) for uid, since in rows), total


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    (after,) = read_cursor(cursor, int)
    if after is None or after < 0:
        raise CursorInvalid
    return int(after)
