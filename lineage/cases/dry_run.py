"""What a case would do, without doing it: the same rules over the same rows, counted."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from lineage.cases import effects, targets
from lineage.cases.citing import Ruling
from lineage.cases.reach import by_word
from lineage.cases.standing import (
    STANDINGS,
    answers_whose_claims_stand,
    claims_spoken,
    touched_claims,
)
from lineage.models import Case, CaseTarget, Node, RestsOn
from lineage.vocabulary import AnswerState, Grade
from provexplorer import clock

# Citing answers whose claims are looked at; of those beyond, the gravest is assumed and said so.
MOST_COMPARED: Final = 2_000
SAMPLE: Final = 20
_ANSWERS_AT_ONCE: Final = 500

# (grade, origin grade) of each target; answers with theirs; (state, grade, origin grade, answer).
_Rows = list[tuple[int, int]]
_Page = dict[int, _Rows]
_Reached = tuple[int, int, int, int]


def dry_run_counts(case: Case) -> dict[str, Any]:
    """Counts by grade and state, claims by standing, a sample of the answers, the gravest first.

    `truncated`: more answers cite than had their claims looked at; of the rest the gravest is
    assumed, and their claims are not in the numbers.
    """
    grades: Counter[str] = Counter()
    states: Counter[str] = Counter()
    claims: Counter[str] = Counter()
    sample: list[_Reached] = []
    looked_at, truncated = 0, False
    named = CaseTarget.objects.filter(case=case).values_list("node_id", flat=True)
    nodes = targets.expanded(case.workspace_id, set(named))
    at = case.effective_at or clock.now()
    assumed = [Ruling(case.id, case.kind, node_id, at) for node_id in sorted(nodes)]
    for page in _pages(case, nodes):
        citing = [answer for answer, rows in page.items() if _cites(rows)]
        taken = citing[: MOST_COMPARED - looked_at]
        looked_at, truncated = looked_at + len(taken), truncated or len(taken) < len(citing)
        standing = _standing(case, taken, assumed, claims)
        for answer_id, rows in page.items():
            grade, origin = max(rows)
            state = _state(case.kind, rows, lifted=answer_id in standing)
            grades[Grade(grade).word] += 1
            states[state.word] += 1
            sample.append((int(state), grade, origin, answer_id))
        sample = sorted(sample, key=lambda row: (-row[0], -row[1], row[3]))[:SAMPLE]
    return {
        **by_word(grades, states),
        "answers": sum(grades.values()),
        "claims": {word: claims[word] for word in STANDINGS},
        "sample": _described(case, sample),
        "truncated": truncated,
    }


def _pages(case: Case, nodes: Collection[int]) -> Iterator[_Page]:
    """The answers that rest on the nodes, some at a time, with every row of theirs."""
    rows = (
        RestsOn.objects.filter(target_id__in=nodes, answer__workspace_id=case.workspace_id)
        .order_by("answer_id")
        .values_list("answer_id", "grade", "origin_grade")
        .iterator(chunk_size=5_000)
    )
    page: _Page = {}
    for answer_id, found in groupby(rows, key=itemgetter(0)):
        page[answer_id] = [(grade, origin) for _, grade, origin in found]
        if len(page) == _ANSWERS_AT_ONCE:
            yield page
            page = {}
    if page:
        yield page


def _cites(rows: _Rows) -> bool:
    return any(effects.acting_grade(*row) is Grade.CITED for row in rows)


def _standing(
    case: Case, answer_ids: Collection[int], assumed: list[Ruling], counts: Counter[str]
) -> set[int]:
    """Those answers whose claims all stand under the case; counts the claims that it touches."""
    claims = claims_spoken(case.workspace_id, answer_ids)
    every = {claim for theirs in claims.values() for claim in theirs}
    touched = touched_claims(case.workspace_id, every, case_id=case.id, assumed=assumed)
    counts.update(touched.values())
    return answers_whose_claims_stand(claims, touched)


def _state(kind: str, rows: _Rows, *, lifted: bool) -> AnswerState:
    """The gravest effect of the rows; a liftable one is review where all claims stand."""
    return max(
        AnswerState.REVIEW
        if lifted and effects.depends_on_claims(kind, *row)
        else effects.effect(kind, *row)
        for row in rows
    )


def _described(case: Case, sample: list[_Reached]) -> list[dict[str, str]]:
    """The sample as it is shown: uids and words, no text."""
    uids = dict(
        Node.objects.filter(
            workspace_id=case.workspace_id, id__in=[answer_id for *_, answer_id in sample]
        ).values_list("id", "uid")
    )
    return [
        {
            "uid": uids[answer_id],
            "grade": Grade(grade).word,
            "origin_grade": Grade(origin).word if grade == Grade.SERVED and origin else "",
            "state": AnswerState(state).word,
        }
        for state, grade, origin, answer_id in sample
    ]
