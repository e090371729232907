"""The impact report: which answers rest on what a question names, counted, parted and listed.

Everything in it comes from one definition (lineage.impact.affected), so that numbers, list,
facets and exports agree.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lineage.cases.register import states_of
from lineage.impact.affected import Affected, Listed, affected
from lineage.impact.chains import chains_of
from lineage.impact.facets import Facet, facets
from lineage.impact.list_page import page_of
from lineage.impact.question import Question
from lineage.impact.question_values import UnknownWord
from lineage.impact.targets import Targets
from lineage.nodes.find import find
from lineage.nodes.paging import DEFAULT_LIMIT
from lineage.types import Viewer
from lineage.vocabulary import AnswerState, Grade

__all__ = [
    "ImpactItem",
    "ImpactReport",
    "UnknownWord",
    "affected",
    "counts_of",
    "impact",
    "items_of",
    "listed",
    "report",
]


@dataclass(frozen=True, slots=True)
class ImpactItem:
    """An answer that rests on what was asked about.

    `grade` is a word of lineage.vocabulary.Grade; `origin_grade` that of the answer it was
    served from, None unless `grade` is "served". `state` is current, review or stale.
    `because`: uids of the explaining chain from the node asked about, itself included, towards
    the answer, which is not (its uid is `uid`); not empty.
    """

    uid: str
    key: str
    grade: str
    origin_grade: str | None
    state: str
    occurred_at: datetime | None
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImpactReport:
    """`counts` by grade before filters, every grade present; the rest after them.

    `facets` say how many answers each value of a filter would keep, the others holding.
    """

    counts: dict[str, int]
    items: tuple[ImpactItem, ...]
    next: str | None
    total: int
    facets: tuple[Facet, ...] = ()


def report(
    viewer: Viewer, question: Question, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> ImpactReport:
    """The report of a question, all of it counted now, however long that takes.

    lineage.impact.kept counts large ones in the background. Raises NotFound, QuestionInvalid
    (UnknownWord among it), CursorInvalid.
    """
    found = affected(viewer, question)
    counts = found.counts()
    items, following = listed(found, limit=limit, cursor=cursor, counts=counts)
    return ImpactReport(counts, items, following, total_of(found, counts), facets(found))


def impact(
    viewer: Viewer,
    uid: str,
    *,
    grades: Collection[str] = (),
    states: Collection[str] = (),
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> ImpactReport:
    """The answers that rest on a node, newest first, unknown times last, then by uid; without facets.

    `grades` and `states` keep those named; empty keeps all. Raises NotFound, Moved,
    UnknownWord, CursorInvalid.
    """
    target = find(viewer, uid)
    question = Question(nodes=(uid,), grades=tuple(grades), states=tuple(states))
    found = affected(viewer, question, targets=Targets((target.pk,), None, 1))
    counts = found.counts()
    items, following = listed(found, limit=limit, cursor=cursor, counts=counts)
    return ImpactReport(counts, items, following, total_of(found, counts))


def counts_of(viewer: Viewer, uid: str) -> dict[str, int]:
    """The number of answers by grade alone. Raises NotFound, Moved."""
    target = find(viewer, uid)
    question = Question(nodes=(uid,))
    return affected(viewer, question, targets=Targets((target.pk,), None, 1)).counts()


def listed(
    found: Affected, *, limit: int, cursor: str | None, counts: Mapping[str, int] | None = None
) -> tuple[tuple[ImpactItem, ...], str | None]:
    """A page of the list, and the cursor of the next; `counts` where they are known. Raises CursorInvalid."""
    rows, following = page_of(found, limit=limit, cursor=cursor, counts=counts)
    return items_of(found, rows), following


def total_of(found: Affected, counts: dict[str, int]) -> int:
    """The number of answers that the question keeps; `counts` are those before the filters."""
    if found.conditions.keys() <= {"grade"}:
        words = found.question.grades or counts
        return sum(counts[word] for word in set(words))
    return found.count()


def items_of(found: Affected, rows: Sequence[Listed]) -> tuple[ImpactItem, ...]:
    """What the list shows of these rows, in their order: state and explaining chain of each."""
    ids = [row.answer_id for row in rows]
    standings = states_of(found.viewer.workspace_id, ids, any_active=found.any_active)
    because = chains_of({row.answer_id: row.target_id for row in rows})
    return tuple(_item(row, standings[row.answer_id].state, because[row.answer_id]) for row in rows)


def _item(row: Listed, state: AnswerState, because: tuple[str, ...]) -> ImpactItem:
    served: Any = Grade(row.origin_grade).word if row.origin_grade else None
    return ImpactItem(
        uid=row.uid,
        key=row.key,
        grade=Grade(row.grade).word,
        origin_grade=served,
        state=state.word,
        occurred_at=row.occurred_at,
        because=because,
    )
