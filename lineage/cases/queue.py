"""The queue of cases that editors work off: by the damage that they name, a page at a time."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from django.db.models import Count, Q

from lineage.models import Case, CaseTarget
from lineage.nodes.paging import (
    DEFAULT_LIMIT,
    CursorInvalid,
    after_instant,
    bounded,
    read_cursor,
    write_cursor,
)
from lineage.types import Viewer

Order = Literal["newest", "damage"]
# Whose cases: given to who looks, given to nobody, or drafted by a feed of notices.
Whose = Literal["", "mine", "nobody", "feed"]
_NEWEST: Final = ("-created_at", "uid")
_BY_DAMAGE: Final = ("-stale", "-review", "-readers", "uid")
WHOSE: Final[tuple[Whose, ...]] = ("mine", "nobody", "feed")


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case in a list; `counts`: answers by grade, empty before its dry run.

    `damage`: answers stale and to review, and different readers, as they were last counted;
    None before the dry run. `assignee`: a name, empty for nobody and for readers.
    """

    uid: str
    kind: str
    state: str
    reason: str
    targets: int
    counts: Mapping[str, int]
    states: Mapping[str, int]
    damage: "Damage | None"
    origin: str
    assignee: str
    done: int
    total: int
    reinstates: str | None
    reinstated: bool
    created_at: datetime
    approved_at: datetime | None


@dataclass(frozen=True, slots=True)
class Damage:
    """What the queue is sorted by, the first before the second."""

    stale: int
    review: int
    readers: int


@dataclass(frozen=True, slots=True)
class CaseQueue:
    """A page of cases; `total` counts those asked for, `by_state` all that the other filters leave."""

    items: tuple[CaseRow, ...]
    next: str | None
    total: int
    by_state: Mapping[str, int]


def queue(
    viewer: Viewer,
    *,
    states: Collection[str] = (),
    kinds: Collection[str] = (),
    whose: Whose = "",
    order: Order = "newest",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> CaseQueue:
    """Cases of the workspace, newest first or the greatest damage first; of these states and kinds, or of all.

    Raises CursorInvalid, for a cursor of the other order, too.
    """
    every = Case.objects.filter(workspace_id=viewer.workspace_id)
    mine = every.filter(_whose(viewer, whose))
    if kinds:
        mine = mine.filter(kind__in=sorted(set(kinds)))
    numbers = mine.order_by("state").values_list("state").annotate(number=Count("id"))
    by_state = dict.fromkeys(Case.State.values, 0) | dict(numbers)
    chosen = mine.filter(state__in=states) if states else mine
    size = bounded(limit)
    by_damage = order == "damage"
    after = _after_damage(cursor) if by_damage else after_instant(cursor, "created_at")
    fields = _BY_DAMAGE if by_damage else _NEWEST
    rows = list(
        chosen.filter(after)
        .select_related("reinstates", "would_reinstate", "assignee")
        .order_by(*fields)[: size + 1]
    )
    page = rows[:size]
    ids = [case.id for case in page]
    reinstated = set(every.filter(reinstates__in=ids).values_list("reinstates_id", flat=True))
    targets = Counter(CaseTarget.objects.filter(case__in=ids).values_list("case_id", flat=True))
    works = "operate" in viewer.scopes
    return CaseQueue(
        items=tuple(
            _row(case, targets=targets[case.id], reinstated=case.id in reinstated, works=works)
            for case in page
        ),
        next=_cursor(page[-1], order) if len(rows) > size else None,
        total=sum(by_state[state] for state in set(states) & by_state.keys())
        if states
        else sum(by_state.values()),
        by_state=by_state,
    )


def _whose(viewer: Viewer, whose: Whose) -> Q:
    if whose == "mine":
        # A key is nobody: it has no cases.
        return Q(assignee_id=viewer.user_id, assignee__isnull=False)
    if whose == "nobody":
        return Q(assignee__isnull=True)
    return Q(origin=Case.Origin.FEED) if whose == "feed" else Q()


def _cursor(last: Case, order: Order) -> str:
    if order == "damage":
        return write_cursor(last.stale, last.review, last.readers, last.uid)
    return write_cursor(last.created_at.isoformat(), last.uid)


def _after_damage(cursor: str | None) -> Q:
    """Rows after the cursor: less damage, or as much and a later uid."""
    if cursor is None:
        return Q()
    position = read_cursor(cursor, int, int, int, str)
    if None in position:
        raise CursorInvalid
    stale, review, readers, uid = position
    return (
        Q(stale__lt=stale)
        | Q(stale=stale, review__lt=review)
        | Q(stale=stale, review=review, readers__lt=readers)
        | Q(stale=stale, review=review, readers=readers, uid__gt=uid)
    )


def _row(case: Case, *, targets: int, reinstated: bool, works: bool) -> CaseRow:
    lifts = case.reinstates or case.would_reinstate
    return CaseRow(
        uid=case.uid,
        kind=case.kind,
        state=case.state,
        reason=case.reason,
        targets=targets,
        counts=case.counts.get("grades", {}),
        states=case.counts.get("states", {}),
        damage=Damage(case.stale, case.review, case.readers) if case.counts else None,
        origin=case.origin,
        assignee=case.assignee.username if case.assignee and works else "",
        done=case.done,
        total=max(case.total, case.done),
        reinstates=lifts.uid if lifts else None,
        reinstated=reinstated,
        created_at=case.created_at,
        approved_at=case.approved_at,
    )
