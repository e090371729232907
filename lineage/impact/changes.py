"""What late or repeated records changed for a node since an instant: meanings and answers.

Exact by what the store keeps: every reference that came to mean another node, or was dropped by
a later record, is kept with the instant (Rebinding), every answer with the instant of its first
record. References that a record added are not kept as changes (lineage.impact.as_of says what
follows).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from lineage.content.keys import in_batches
from lineage.impact.as_of import AsRecorded, as_recorded
from lineage.ingest.relations import COMPUTED
from lineage.models import Node, Rebinding, RestsOn
from lineage.nodes import node as node_view
from lineage.nodes.find import find
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.types import Viewer
from lineage.vocabulary import Grade


@dataclass(frozen=True, slots=True)
class Rebound:
    """A reference that came to mean another node. `holder`: the uid of who states it; `relation` the field.

    `old` and `new` are uids, None where it meant nothing known, or is not said any more.
    """

    holder: str
    relation: str
    old: str | None
    new: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """An answer that was recorded since and rests on the node.

    `late`: it happened before the instant, and was told only after it.
    """

    uid: str
    grade: str
    occurred_at: datetime | None
    recorded_at: datetime
    late: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """An answer of before that rests on the node otherwise than then; a grade of None: it did not, or does not."""

    uid: str
    then: str | None
    now: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """A page of each list, the latest first; the cursor of each goes on in that list alone.

    `moved`, on the first page: the answers recorded by then whose grade has changed since, by
    uid, as far as the past can be told (`exact`, `truncated`: lineage.impact.as_of).
    """

    since: datetime
    moved: tuple[Moved, ...]
    exact: bool
    truncated: bool
    rebindings: tuple[Rebound, ...]
    next_rebindings: str | None
    answers: tuple[LateAnswer, ...]
    next_answers: str | None


def changes(
    viewer: Viewer,
    uid: str,
    since: datetime,
    *,
    limit: int = DEFAULT_LIMIT,
    rebindings_after: str | None = None,
    answers_after: str | None = None,
) -> Changes:
    """What changed for a node after an instant. Raises NotFound, Moved, Erased, CursorInvalid."""
    node_view(viewer, uid)
    node = find(viewer, uid)
    size = bounded(limit)
    bound = _rebindings(viewer, node, since, size, _position(rebindings_after))
    late = _answers(node, since, size, _position(answers_after))
    then = None
    if rebindings_after is None and answers_after is None:
        then = as_recorded(viewer, uid, since)
    return Changes(
        since=since,
        moved=_moved(node, then) if then else (),
        exact=then.exact if then else True,
        truncated=then.truncated if then else False,
        rebindings=tuple(_rebound(row) for row in bound[:size]),
        next_rebindings=write_cursor(bound[size - 1].pk) if len(bound) > size else None,
        answers=tuple(_late(row, since) for row in late[:size]),
        next_answers=write_cursor(late[size - 1].answer_id) if len(late) > size else None,
    )


def _moved(node: Node, then: AsRecorded) -> tuple[Moved, ...]:
    """The answers walked whose grade is another now."""
    before = {each.uid: each.grade for each in then.items}
    now: dict[str, str] = {}
    for some in in_batches(then.walked):
        rows = RestsOn.objects.filter(target=node, answer_id__in=some)
        for uid, grade in rows.values_list("answer__uid", "grade"):
            now[uid] = Grade(grade).word
    changed = (uid for uid in before.keys() | now.keys() if before.get(uid) != now.get(uid))
    return tuple(Moved(uid, before.get(uid), now.get(uid)) for uid in sorted(changed))


def _rebindings(
    viewer: Viewer, node: Node, since: datetime, size: int, before: int | None
) -> Sequence[Rebinding]:
    """References of the node, and those that meant it or mean it now, the last changed first."""
    beyond = Q() if before is None else Q(pk__lt=before)
    rows = Rebinding.objects.filter(
        beyond, workspace_id=viewer.workspace_id, recorded_at__gt=since
    ).select_related("holder")
    # Nobody stated those.
    rows = rows.exclude(relation__in=COMPUTED)
    found: dict[int, Rebinding] = {}
    # Three look-ups in an index each, instead of one that reads the workspace's history.
    for about in (Q(holder=node), Q(old_uid=node.uid), Q(new_uid=node.uid)):
        found |= {row.pk: row for row in rows.filter(about).order_by("-pk")[: size + 1]}
    return sorted(found.values(), key=lambda row: -row.pk)[: size + 1]


def _answers(node: Node, since: datetime, size: int, before: int | None) -> Sequence[RestsOn]:
    """The answers recorded since: answers get ids in the order of recording, so they come first."""
    rows = RestsOn.objects.filter(target=node).select_related("answer").order_by("-answer_id")
    if before is not None:
        rows = rows.filter(answer_id__lt=before)
    found: list[RestsOn] = []
    for row in rows[: size + 1]:
        if row.answer.recorded_at <= since:
            break
        found.append(row)
    return found


def _rebound(row: Rebinding) -> Rebound:
    return Rebound(
        row.holder.uid, row.relation, row.old_uid or None, row.new_uid or None, row.recorded_at
    )


def _late(row: RestsOn, since: datetime) -> LateAnswer:
    at = row.answer.occurred_at
    return LateAnswer(
        uid=row.answer.uid,
        grade=Grade(row.grade).word,
        occurred_at=at,
        recorded_at=row.answer.recorded_at,
        late=at is not None and at <= since,
    )


def _position(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    (last,) = read_cursor(cursor, int)
    if last is None:
        raise CursorInvalid
    return int(last)
