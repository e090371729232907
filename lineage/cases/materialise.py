"""Brings the effects of cases on answers in line with the register and with what the answers rest on.

One function does it for propagation (one case, a batch of answers) and for
ingestion (all cases, the answers of a request): idempotent, a constant number of
queries, never more rows than answers times the cases that touch them.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from lineage.cases import effects
from lineage.cases.ancestry import sliced
from lineage.cases.register import active, in_effect
from lineage.cases.standing import answers_whose_claims_stand, claims_spoken, touched_claims
from lineage.invalidation.changes import note_states
from lineage.models import AnswerEffect, RestsOn
from lineage.vocabulary import AnswerState
from provexplorer import clock


@dataclass(slots=True)
class _Due:
    """What an answer owes a case: strongest grade, and the gravest state of its targets.

    `waiting`: part of it depends on the answer's claims.
    """

    at: datetime
    grade: int = 0
    origin_grade: int = 0
    state: AnswerState = AnswerState.CURRENT
    waiting: bool = False

    def add(self, kind: str, grade: int, origin_grade: int) -> None:
        self.grade, self.origin_grade = max((self.grade, self.origin_grade), (grade, origin_grade))
        if effects.depends_on_claims(kind, grade, origin_grade):
            self.waiting = True
        else:
            self.state = max(self.state, effects.effect(kind, grade, origin_grade))

    def row(self) -> tuple[int, int, int]:
        return self.grade, self.origin_grade, self.state


def materialise(
    workspace_id: int, answer_ids: Collection[int], case_id: int | None = None
) -> set[int]:
    """Write, change or end the effects on these answers (of one case, or of all in effect).

    Keeps how the answers' states have changed. Returns the cases of which an effect changed. Effects of cases that are no longer in
    effect are left to their reinstatement.
    """
    now = clock.now()
    changed: set[int] = set()
    for ids in sliced(answer_ids):
        due = _due(workspace_id, ids, case_id)
        known = AnswerEffect.objects.filter(in_effect(now), answer_id__in=ids)
        if case_id is not None:
            known = known.filter(case_id=case_id)
        rows = []
        for row in known.order_by("answer_id", "case_id"):
            owed = due.pop((row.answer_id, row.case_id), None)
            if _brought_in_line(row, owed, now):
                rows.append(row)
        for (answer_id, case), owed in due.items():
            grade, origin, state = owed.row()
            rows.append(
                AnswerEffect(
                    answer_id=answer_id,
                    case_id=case,
                    at=owed.at,
                    grade=grade,
                    origin_grade=origin,
                    state=state,
                )
            )
        _write(rows)
        if rows:
            note_states(workspace_id, {row.answer_id for row in rows})
        changed |= {row.case_id for row in rows}
    return changed


def _brought_in_line(row: AnswerEffect, owed: _Due | None, now: datetime) -> bool:
    """Change a row to what is owed; False where it says that already."""
    if owed is None:
        if row.ended_at is not None:
            return False
        row.ended_at = now
        return True
    if row.ended_at is None and (row.grade, row.origin_grade, row.state) == owed.row():
        return False
    if row.ended_at is not None:
        row.at, row.ended_at = now, None
    row.grade, row.origin_grade, row.state = owed.row()
    return True


def _write(rows: list[AnswerEffect]) -> None:
    """Upsert in the order of answer and case, so that two writers wait for each other instead of locking up."""
    AnswerEffect.objects.bulk_create(
        [
            AnswerEffect(
                answer_id=row.answer_id,
                case_id=row.case_id,
                at=row.at,
                ended_at=row.ended_at,
                grade=row.grade,
                origin_grade=row.origin_grade,
                state=row.state,
            )
            for row in sorted(rows, key=lambda row: (row.answer_id, row.case_id))
        ],
        batch_size=1_000,
        update_conflicts=True,
        unique_fields=["answer", "case"],
        update_fields=["grade", "origin_grade", "state", "at", "ended_at"],
    )


def _due(
    workspace_id: int, answer_ids: Collection[int], case_id: int | None
) -> dict[tuple[int, int], _Due]:
    """What the register owes these answers, by (answer, case)."""
    row = "target__withdrawals__"
    one_case = Q() if case_id is None else Q(**{f"{row}case_id": case_id})
    rows = RestsOn.objects.filter(
        active(clock.now(), row) & one_case,
        answer_id__in=answer_ids,
        answer__workspace_id=workspace_id,
    ).values_list(
        "answer_id", f"{row}case_id", f"{row}case__kind", f"{row}at", "grade", "origin_grade"
    )
    due: dict[tuple[int, int], _Due] = {}
    waiting: dict[int, set[int]] = defaultdict(set)
    for answer_id, case, kind, at, grade, origin in rows:
        owed = due.setdefault((answer_id, case), _Due(at))
        owed.at = min(owed.at, at)
        owed.add(kind, grade, origin)
        if owed.waiting:
            waiting[case].add(answer_id)
    for case, answers in waiting.items():
        claims = claims_spoken(workspace_id, answers)
        every = {claim for theirs in claims.values() for claim in theirs}
        touched = touched_claims(workspace_id, every, case_id=case)
        standing = answers_whose_claims_stand(claims, touched)
        for answer_id in answers:
            least = AnswerState.REVIEW if answer_id in standing else AnswerState.STALE
            owed = due[answer_id, case]
            owed.state = max(owed.state, least)
    return due
