"""The queue of cases that editors work off: by state, newest first, a page at a time."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from lineage.models import Case, CaseTarget
from lineage.nodes.paging import DEFAULT_LIMIT, after_instant, bounded, write_cursor
from lineage.types import Viewer


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case in a list; `counts`: answers by grade, empty before its dry run."""

    uid: str
    kind: str
    state: str
    reason: str
    targets: int
    counts: Mapping[str, int]
    states: Mapping[str, int]
    done: int
    total: int
    reinstates: str | None
    reinstated: bool
    created_at: datetime
    approved_at: datetime | None


@dataclass(frozen=True, slots=True)
class CaseQueue:
    """A page of cases; `total` counts those of the states asked for, `by_state` all of the workspace."""

    items: tuple[CaseRow, ...]
    next: str | None
    total: int
    by_state: Mapping[str, int]


def queue(
    viewer: Viewer,
    *,
    states: Collection[str] = (),
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> CaseQueue:
    """Cases of the workspace, newest first; of these states, or of all. Raises CursorInvalid."""
    mine = Case.objects.filter(workspace_id=viewer.workspace_id)
    numbers = mine.order_by("state").values_list("state").annotate(number=Count("id"))
    by_state = dict.fromkeys(Case.State.values, 0) | dict(numbers)
    chosen = mine.filter(state__in=states) if states else mine
    size = bounded(limit)
    rows = list(
        chosen.filter(after_instant(cursor, "created_at"))
        .select_related("reinstates")
        .order_by("-created_at", "uid")[: size + 1]
    )
    page = rows[:size]
    ids = [case.id for case in page]
    reinstated = set(mine.filter(reinstates__in=ids).values_list("reinstates_id", flat=True))
    targets = Counter(CaseTarget.objects.filter(case__in=ids).values_list("case_id", flat=True))
    following = len(rows) > size
    return CaseQueue(
        items=tuple(
            _row(case, targets=targets[case.id], reinstated=case.id in reinstated) for case in page
        ),
        next=write_cursor(page[-1].created_at.isoformat(), page[-1].uid) if following else None,
        total=sum(by_state[state] for state in states) if states else sum(by_state.values()),
        by_state=by_state,
    )


def _row(case: Case, *, targets: int, reinstated: bool) -> CaseRow:
    return CaseRow(
        uid=case.uid,
        kind=case.kind,
        state=case.state,
        reason=case.reason,
        targets=targets,
        counts=case.counts.get("grades", {}),
        states=case.counts.get("states", {}),
        done=case.done,
        total=max(case.total, case.done),
        reinstates=case.reinstates.uid if case.reinstates else None,
        reinstated=reinstated,
        created_at=case.created_at,
        approved_at=case.approved_at,
    )
