"""Which answers a case reaches, by the register and the prepared closure."""

from collections import Counter
from collections.abc import Iterator

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from lineage.cases.register import active
from lineage.models import AnswerEffect, Case, RestsOn, Withdrawal
from lineage.vocabulary import AnswerState, Grade
from provexplorer import clock


def resting_on(case: Case) -> QuerySet[RestsOn]:
    """The rows of the closure under the case's register rows, which are all of its workspace.

    Without a join to the answers: with one, SQLite reads every node of the workspace a page.
    """
    nodes = Withdrawal.objects.filter(
        active(clock.now()), case=case, workspace_id=case.workspace_id
    ).values("node_id")
    return RestsOn.objects.filter(target_id__in=nodes)


def effects_of(case: Case) -> QuerySet[AnswerEffect]:
    """The case's effects that have not ended."""
    return AnswerEffect.objects.filter(case=case, ended_at__isnull=True)


def settled_by(case: Case) -> QuerySet[AnswerEffect]:
    """What the case has done: its effects, or of a reinstatement those that it has ended."""
    if case.reinstates is None:
        return effects_of(case)
    return AnswerEffect.objects.filter(case=case.reinstates, ended_at__gte=case.approved_at)


def answers_reached(case: Case) -> int:
    """How many answers propagation has before it: to mark, or of a reinstatement to free."""
    if case.reinstates is not None:
        return effects_of(case.reinstates).count()
    return resting_on(case).values("answer_id").distinct().count()


def reached_after(case: Case, cursor: int, most: int) -> list[int]:
    """The next answers, by id."""
    rows = resting_on(case).filter(answer_id__gt=cursor).order_by("answer_id")
    return list(rows.values_list("answer_id", flat=True).distinct()[:most])


def out_of_line(case: Case, most: int) -> list[int]:
    """Answers whose effect is missing, too weak, or no longer borne out by what they rest on."""
    stronger = Q(grade__gt=OuterRef("grade")) | Q(
        grade=OuterRef("grade"), origin_grade__gte=OuterRef("origin_grade")
    )
    covered = effects_of(case).filter(stronger, answer_id=OuterRef("answer_id"))
    missing = resting_on(case).filter(~Exists(covered)).order_by("answer_id")
    found = list(missing.values_list("answer_id", flat=True).distinct()[:most])
    if len(found) < most:
        borne_out = resting_on(case).filter(
            answer_id=OuterRef("answer_id"),
            grade=OuterRef("grade"),
            origin_grade=OuterRef("origin_grade"),
        )
        strays = effects_of(case).filter(~Exists(borne_out)).order_by("answer_id")
        found += strays.values_list("answer_id", flat=True)[: most - len(found)]
    return found


def counted(case: Case) -> dict[str, dict[str, int]]:
    """What the case has done, by grade and by state, every word with its number."""
    grades: Counter[str] = Counter()
    states: Counter[str] = Counter()
    rows = settled_by(case).order_by("grade", "state").values_list("grade", "state")
    for grade, state, number in rows.annotate(number=Count("id")):
        grades[Grade(grade).word] += number
        states[AnswerState(state).word] += number
    return by_word(grades, states)


def by_word(grades: Counter[str], states: Counter[str]) -> dict[str, dict[str, int]]:
    """Counts with a number for every word of the vocabulary."""
    return {
        "grades": {grade.word: grades[grade.word] for grade in sorted(Grade, reverse=True)},
        "states": {state.word: states[state.word] for state in sorted(AnswerState, reverse=True)},
    }


def uids_and_grades(case: Case) -> Iterator[tuple[str, int]]:
    """Every answer that the case has touched, and its grade."""
    rows = settled_by(case).order_by("answer_id").values_list("answer__uid", "grade")
    return rows.iterator(chunk_size=5_000)
