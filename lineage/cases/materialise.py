"""Brings the effects of cases on answers in line with the register and with what the answers rest on.

One function does it for propagation (one case, a batch of answers) and for
ingestion (all cases, the answers of a request): idempotent, a constant number of
queries, never more rows than answers times the cases that touch them.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from lineage import bulk_rows
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
        return self.grade, self.origin_grade, int(self.state)


def materialise(
    workspace_id: int, answer_ids: Collection[int], case_id: int | None = None
) -> set[int]:
    """Write, change or end the effects on these answers (of one case, or of all in effect).

    Keeps how the answers' states have changed. Returns the cases of which an effect changed.
    Effects of cases that are no longer in effect are left to their reinstatement. Whoever
    calls has the workspace's turn.
    """
    now = clock.now()
    changed: set[int] = set()
    for ids in sliced(answer_ids):
        due = _due(workspace_id, ids, case_id, now)
        known = AnswerEffect.objects.filter(in_effect(now), answer_id__in=ids)
        if case_id is not None:
            known = known.filter(case_id=case_id)
        others: list[tuple[int, int, _Written]] = []
        for pk, answer_id, case, *was in known.order_by("answer_id", "case_id").values_list(
            "pk", "answer_id", "case_id", *_COLUMNS
        ):
            written = _brought_in_line(tuple(was), due.pop((answer_id, case), None), now)
            if written is not None:
                others.append((pk, answer_id, written))
                changed.add(case)
        bulk_rows.update(AnswerEffect, _COLUMNS, [(*row, pk) for pk, _, row in others])
        # What is known is all that there is of the cases in effect: whoever writes has the turn.
        bulk_rows.insert(
            AnswerEffect,
            ("answer_id", "case_id", *_COLUMNS),
            [(*pair, *due[pair].row(), due[pair].at, None) for pair in sorted(due)],
        )
        note_states(
            workspace_id, {answer for _, answer, _ in others} | {answer for answer, _ in due}
        )
        changed |= {case for _, case in due}
    return changed


# What an effect says: grade, origin's grade, state, since when, until when.
_COLUMNS: Final = ("grade", "origin_grade", "state", "at", "ended_at")
_Written = tuple[int, int, int, datetime, datetime | None]


def _brought_in_line(was: _Written, owed: _Due | None, now: datetime) -> _Written | None:
    """A row as it is owed; None where it says that already."""
    grade, origin, state, at, ended_at = was
    if owed is None:
        return None if ended_at is not None else (grade, origin, state, at, now)
    if ended_at is not None:
        return (*owed.row(), now, None)
    return None if (grade, origin, state) == owed.row() else (*owed.row(), at, None)


def _due(
    workspace_id: int, answer_ids: Collection[int], case_id: int | None, now: datetime
) -> dict[tuple[int, int], _Due]:
    """What the register owes these answers, by (answer, case)."""
    row = "target__withdrawals__"
    one_case = Q() if case_id is None else Q(**{f"{row}case_id": case_id})
    rows = RestsOn.objects.filter(
        active(now, row) & one_case,
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
