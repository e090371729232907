"""The answers that a question is about: the one definition behind counts, list, facets, exports and watches.

Read from what is prepared (RestsOn). Every answer counts once, by its strongest row: of the
rows that join it to what is asked about the one with the greatest grade, then the greatest
grade of its origin, then the lowest id of what it rests on. What an answer's state is comes
from the register of withdrawals, fail closed.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import starmap
from typing import Any, Final, NamedTuple

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
)

from lineage.cases.register import has_active, in_state
from lineage.impact.given import given_with, in_languages
from lineage.impact.neighbourhood import micros
from lineage.impact.question import Question
from lineage.impact.question_values import UnknownWord
from lineage.impact.targets import Targets, ids_by_uid, targets_of
from lineage.models import RestsOn
from lineage.types import Viewer
from lineage.vocabulary import GRADE_BY_WORD, AnswerState, Grade

# The filters of a question, each of which a facet leaves out.
FILTERS: Final = ("grade", "state", "time", "model", "unit", "source", "language")
_SLICE: Final = 5_000
# Answers read at once while all of them are walked.
_CHUNK: Final = 500
# What a list shows of a row and its answer: the columns of Listed.
SHOWN: Final = (
    "answer_id", "target_id", "grade", "origin_grade", "at", "answer__uid", "answer__key",
    "answer__occurred_at",
)  # fmt: skip
# Of answers without a time: they come last in every order by time.
UNKNOWN: Final = -1

Rows = QuerySet[RestsOn]


class Listed(NamedTuple):
    """A row of RestsOn with what a list shows of its answer; `at` as RestsOn has it."""

    answer_id: int
    target_id: int
    grade: int
    origin_grade: int
    at: int
    uid: str
    key: str
    occurred_at: datetime | None


@dataclass(frozen=True)
class Affected:
    """The answers of one question, for one viewer; made by `affected`."""

    viewer: Viewer
    question: Question
    targets: Targets

    @cached_property
    def any_active(self) -> bool:
        """Whether any case is in effect in the workspace."""
        return has_active(self.viewer.workspace_id)

    def rows(self, *, without: str = "") -> Rows:
        """The strongest row of each answer that the question keeps, unordered.

        `without` names a filter that is not to narrow them (FILTERS).
        """
        return self.narrowed(self.strongest(), without=without)

    def narrowed(self, rows: Rows, *, without: str = "") -> Rows:
        """The rows that the question's filters keep, but for one of them."""
        for name, condition in self.conditions.items():
            if name != without:
                rows = rows.filter(condition)
        return rows

    def strongest(self) -> Rows:
        """The strongest row of each answer before the filters, unordered."""
        rows = self.joining()
        if self.single:
            return rows
        stronger = (
            Q(grade__gt=OuterRef("grade"))
            | Q(grade=OuterRef("grade"), origin_grade__gt=OuterRef("origin_grade"))
            | Q(
                grade=OuterRef("grade"),
                origin_grade=OuterRef("origin_grade"),
                target_id__lt=OuterRef("target_id"),
            )
        )
        others = self.joining().filter(stronger, answer_id=OuterRef("answer_id"))
        return rows.filter(~Exists(others))

    def joining(self) -> Rows:
        """Every row that joins an answer to what is asked about."""
        # The targets are the workspace's own, and so is what rests on them.
        return RestsOn.objects.filter(self.targets.condition())

    @property
    def single(self) -> bool:
        """Whether one node is asked about, so that no answer has two rows."""
        return self.targets.ids is not None and len(self.targets.ids) <= 1

    @cached_property
    def conditions(self) -> Mapping[str, Q]:
        """The question's filters by their names; those that keep everything are left out."""
        asked = self.question
        found: dict[str, Q] = {}
        if asked.grades:
            found["grade"] = Q(grade__in=sorted(GRADE_BY_WORD[word] for word in set(asked.grades)))
        if asked.states and set(asked.states) != {state.word for state in AnswerState}:
            found["state"] = self._in_states(asked.states)
        if asked.since is not None or asked.until is not None:
            # An answer without a time is in no window.
            found["time"] = ~Q(at=UNKNOWN)
            if asked.since is not None:
                found["time"] &= Q(at__gte=micros(asked.since))
            if asked.until is not None:
                found["time"] &= Q(at__lt=micros(asked.until))
        if asked.models:
            found["model"] = Q(answer__fields__model__in=asked.models)
        if asked.units:
            found["unit"] = Q(answer__fields__unit__in=asked.units)
        if asked.sources:
            ids = ids_by_uid(self.viewer, asked.sources).values()
            found["source"] = Q(Exists(given_with(target_id__in=sorted(ids))))
        if asked.languages:
            found["language"] = in_languages(self.viewer, asked.languages)
        return found

    def _in_states(self, words: Collection[str]) -> Q:
        by_word = {state.word: state for state in AnswerState}
        nothing = Q(pk__in=[])
        if not self.any_active:
            return Q() if AnswerState.CURRENT.word in words else nothing
        condition = nothing
        for word in sorted(set(words)):
            condition |= in_state(by_word[word], answer="answer_id")
        return condition

    def answer_ids(self, *, without: str = "") -> "QuerySet[RestsOn, Any]":
        """The ids of the answers that the question keeps, as a query that stands within another; not `rows`' order.

        Several ways to an answer are weighed by grouping, in one pass: to look for each row's
        stronger ones takes a planner without statistics from every row to all the others.
        """
        filters = self.conditions.keys() - {without}
        rows = self.joining().order_by()
        for name in sorted(filters if self.single else filters - {"grade"}):
            rows = rows.filter(self.conditions[name])
        if self.single:
            return rows.values("answer_id")
        answers = rows.values("answer_id").annotate(strongest=Max("grade"))
        if "grade" in filters:
            wanted = sorted(GRADE_BY_WORD[word] for word in set(self.question.grades))
            answers = answers.filter(strongest__in=wanted)
        return answers.values("answer_id")

    def counts(self) -> dict[str, int]:
        """The number of answers by grade before the filters; every grade present, the strongest first."""
        return by_grade(self.strongest()) if self.single else self._by_strongest_grade(())

    def count(self) -> int:
        """The number of answers that the question keeps."""
        if self.single:
            return self.rows().count()
        words = self.question.grades or GRADE_BY_WORD
        counts = self._by_strongest_grade([name for name in self.conditions if name != "grade"])
        return sum(counts[word] for word in set(words))

    def _by_strongest_grade(self, filters: Collection[str]) -> dict[str, int]:
        """The answers by the greatest grade of their rows, in one pass; all these filters are the answers' own."""
        rows = self.joining().order_by()
        for name in filters:
            rows = rows.filter(self.conditions[name])
        answers = rows.values("answer_id").annotate(strongest=Max("grade"))
        numbers: dict[str, int] = answers.aggregate(
            **{grade.word: Count("answer_id", filter=Q(strongest=grade)) for grade in Grade}
        )
        return {grade.word: numbers[grade.word] for grade in sorted(Grade, reverse=True)}

    def every(self) -> Iterator[Listed]:
        """Every answer that the question keeps, in the order of the list, read as it is walked.

        One statement: what is added meanwhile does not disturb it. Flat memory.
        """
        rows = self.rows().order_by(*order_of(self.question.sort))
        yield from shown(rows, chunk=_CHUNK)

    def among(self, answer_ids: Collection[int]) -> set[int]:
        """Which of these answers (node ids) the question keeps."""
        every = sorted(answer_ids)
        found: set[int] = set()
        for start in range(0, len(every), _SLICE):
            rows = self.rows().filter(answer_id__in=every[start : start + _SLICE])
            found |= set(rows.values_list("answer_id", flat=True))
        return found


def affected(viewer: Viewer, question: Question, *, targets: Targets | None = None) -> Affected:
    """The answers of a question: count, counts, rows, every one, and which of some are among them.

    `targets`: what it asks about, where that has been found. Raises NotFound for what the workspace does not know, UnknownWord and QuestionInvalid.
    """
    for parameter, words, known in (
        ("grade", question.grades, GRADE_BY_WORD),
        ("state", question.states, {state.word for state in AnswerState}),
    ):
        if unknown := set(words) - set(known):
            raise UnknownWord(parameter, ", ".join(sorted(unknown)))
    return Affected(viewer, question, targets or targets_of(viewer, question))


def by_grade(rows: Rows) -> dict[str, int]:
    """The number of rows by grade; every grade present, the strongest first."""
    # Not the rows' keys, which are in no index beside the grade: PostgreSQL would read the rows.
    numbers = rows.order_by().values("grade").annotate(number=Count("*"))
    found: dict[int, int] = dict(numbers.values_list("grade", "number"))
    return {grade.word: found.get(grade, 0) for grade in sorted(Grade, reverse=True)}


def order_of(sort: str) -> tuple[Any, ...]:
    """The order of the list: unknown times last, equal ones by uid."""
    if sort == "oldest":
        timeless = ExpressionWrapper(Q(at=UNKNOWN), output_field=BooleanField())
        return timeless.asc(), F("at").asc(), F("answer__uid").asc()
    newest = (F("at").desc(), F("answer__uid").asc())
    return (F("grade").desc(), *newest) if sort == "strongest" else newest


def shown(rows: Rows, *, chunk: int | None = None) -> Iterator[Listed]:
    """The rows with what a list shows of their answers; `chunk`: read so many at a time."""
    columns = rows.values_list(*SHOWN)
    return starmap(Listed, columns if chunk is None else columns.iterator(chunk_size=chunk))
