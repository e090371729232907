"""The changes of a workspace's answers since a cursor: what a semantic cache must look at again."""

from dataclasses import dataclass
from datetime import datetime

from lineage.cases.errors import ScopeMissing
from lineage.models import AnswerChange, ChangeSequence
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.types import Viewer


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
class Changes:
    """Some changes in their order. `cursor`: after the last of them, to be asked with next time."""

    items: tuple[Change, ...]
    cursor: str
    more: bool


def changes_since(
    viewer: Viewer, cursor: str | None = None, *, limit: int = DEFAULT_LIMIT
) -> Changes:
    """What has become of answers after the cursor, the oldest change first; without one, from the first.

    A cursor holds for ever: nothing is ever put before it. Raises ScopeMissing, CursorInvalid.
    """
    if "read" not in viewer.scopes:
        raise ScopeMissing("read")
    after = _after(cursor)
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
    )


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    (after,) = read_cursor(cursor, int)
    if after is None or after < 0:
        raise CursorInvalid
    return int(after)
