"""What a case would do, without doing it: the same rules over the same rows, counted."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from django.db.models import Count, F, Max, Q, Sum
from django.db.models.fields.json import KeyTextTransform

from lineage.cases import effects, targets
from lineage.cases.citing import Ruling
from lineage.cases.reach import by_word
from lineage.cases.standing import (
    STANDINGS,
    answers_whose_claims_stand,
    claims_spoken,
    touched_claims,
)
from lineage.models import Case, CaseTarget, ExternalTarget, Node, RegisterEpoch, RestsOn
from lineage.models.turns import turn
from lineage.vocabulary import AnswerState, Grade
from provexplorer import clock

# Citing answers whose claims are looked at; of those beyond, the gravest is assumed and said so.
MOST_COMPARED: Final = 2_000
SAMPLE: Final = 20
_ANSWERS_AT_ONCE: Final = 500

# (grade, origin grade) of each target; answers with theirs; (state, grade, origin grade, answer).
_Rows = list[tuple[int, int]]
# Larger than any grade, so that what is summed tells grades from grades of origins.
_GRADE_WEIGHT: Final = 100
_Page = dict[int, _Rows]
_Reached = tuple[int, int, int, int]


def dry_run_counts(case: Case) -> dict[str, Any]:
    """Counts by grade and state, claims by standing, readers, units, and a sample, the gravest first.

    `readers`: different users that the answers name (`unstated`: answers that name none),
    `units` likewise. `added`: answers that reach what the case names since its last dry run,
    `left`: those that no longer do. `truncated`: more answers cite than had their claims
    looked at; of the rest the gravest is assumed, and their claims are not in the numbers.
    `external`: systems outside that are told of an erasure.
    """
    grades: Counter[str] = Counter()
    states: Counter[str] = Counter()
    claims: Counter[str] = Counter()
    sample: list[_Reached] = []
    looked_at, truncated, added = 0, False, 0
    nodes = _nodes(case)
    at = case.effective_at or clock.now()
    assumed = [Ruling(case.id, case.kind, node_id, at) for node_id in sorted(nodes)]
    # Before anything is counted: what comes meanwhile is told by the next dry run.
    mark = _mark(case, nodes)
    before = case.counts.get("mark", {}).get("newest")
    for page, fresh in _pages(nodes, mark["newest"], before):
        added += fresh
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
    answers = sum(grades.values())
    return {
        **by_word(grades, states),
        "answers": answers,
        "claims": {word: claims[word] for word in STANDINGS},
        **_people(nodes, mark["newest"], answers),
        "external": _external(case),
        "added": added,
        "left": case.counts["answers"] + added - answers if before is not None else 0,
        "sample": _described(case, sample),
        "truncated": truncated,
        "mark": mark,
    }


def stands_still(case: Case) -> bool:
    """Whether what the last dry run counted is surely what it would count now, told cheaply.

    Where texts are compared they may have come meanwhile: of those kinds nothing is sure.
    """
    kept = case.counts.get("mark")
    if kept is None or case.kind in effects.UNLESS_CLAIMS_STAND:
        return False
    now = _mark(case, _nodes(case))
    return {**kept, "newest": 0} == {**now, "newest": 0}


def _nodes(case: Case) -> set[int]:
    named = CaseTarget.objects.filter(case=case).values_list("node_id", flat=True)
    return targets.expanded(case.workspace_id, set(named))


def _mark(case: Case, nodes: Collection[int]) -> dict[str, int]:
    """By what one sees whether anything has changed since: rows that lead to the nodes, and cases.

    `newest`: the greatest id of the closure's rows, which later ones exceed.
    """
    with turn(case.workspace_id):
        # Nobody is writing rows of this workspace: those below are there, those to come are above.
        newest = RestsOn.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    weight = F("grade") * _GRADE_WEIGHT + F("origin_grade")
    rows = RestsOn.objects.filter(target_id__in=nodes).order_by()
    told = rows.aggregate(rows=Count("pk"), last=Max("pk"), weight=Sum(weight))
    epoch = RegisterEpoch.objects.filter(workspace_id=case.workspace_id).values_list("epoch")
    return {
        "newest": newest,
        "epoch": next((row[0] for row in epoch), 0),
        "rows": told["rows"],
        "last": told["last"] or 0,
        "weight": told["weight"] or 0,
    }


def _people(nodes: Collection[int], newest: int, answers: int) -> dict[str, int]:
    """Whom the answers reached, as far as they say so: pseudonyms that clients sent, counted alone."""
    told = (
        RestsOn.objects.filter(target_id__in=nodes, pk__lte=newest)
        .order_by()
        .annotate(
            reader=KeyTextTransform("user", "answer__fields"),
            unit=KeyTextTransform("unit", "answer__fields"),
        )
        .aggregate(
            readers=Count("reader", distinct=True),
            stated=Count("answer_id", distinct=True, filter=Q(reader__isnull=False)),
            units=Count("unit", distinct=True),
        )
    )
    return {
        "readers": told["readers"],
        "unstated": max(0, answers - told["stated"]),
        "units": told["units"],
    }


def _external(case: Case) -> int:
    """How many systems outside hold copies and are told of an erasure."""
    if case.kind != "erasure":
        return 0
    return ExternalTarget.objects.filter(
        workspace_id=case.workspace_id, removed_at__isnull=True
    ).count()


def _pages(nodes: Collection[int], newest: int, before: int | None) -> Iterator[tuple[_Page, int]]:
    """The answers that rest on the nodes, some at a time, with every row of theirs.

    And how many of them did not at the mark `before`: all their rows are newer. Rows beyond
    `newest` came while it was counted.
    """
    rows = (
        RestsOn.objects.filter(target_id__in=nodes)
        .order_by("answer_id")
        .values_list("answer_id", "grade", "origin_grade", "pk")
        .iterator(chunk_size=5_000)
    )
    page: _Page = {}
    fresh = 0
    for answer_id, found in groupby(rows, key=itemgetter(0)):
        there = [(grade, origin, pk) for _, grade, origin, pk in found if pk <= newest]
        if not there:
            continue
        page[answer_id] = [(grade, origin) for grade, origin, _ in there]
        fresh += before is not None and all(pk > before for *_, pk in there)
        if len(page) == _ANSWERS_AT_ONCE:
            yield page, fresh
            page, fresh = {}, 0
    if page:
        yield page, fresh


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
