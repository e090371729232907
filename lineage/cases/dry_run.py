"""What a case would do, without doing it: the same rules over the same rows, counted."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

from django.db.models import Case as Choice
from django.db.models import Count, F, IntegerField, Max, Min, Q, QuerySet, Sum, Value, When
from django.db.models.fields.json import KeyTextTransform

from lineage.cases import effects, targets
from lineage.cases.claims_tried import Reached, claims_tried
from lineage.cases.reach import by_word
from lineage.cases.standing import STANDINGS
from lineage.models import Case, CaseTarget, ExternalTarget, Node, RegisterEpoch, RestsOn
from lineage.models.turns import turn
from lineage.vocabulary import AnswerState, Grade

SAMPLE: Final = 20

# Larger than any grade, so that what is summed or compared tells grades from those of origins.
_WEIGHT: Final = 100

_Rows = QuerySet[RestsOn]


def dry_run_counts(case: Case) -> dict[str, Any]:
    """Counts by grade and state, claims by standing, readers, units, and a sample, the gravest first.

    `readers`: different users that the answers name (`unstated`: answers that name none),
    `units` likewise. `added`: answers that reach what the case names since its last dry run,
    `left`: those that no longer do. `truncated`: more answers cite than had their claims
    looked at; of the rest the gravest is assumed, and their claims are not in the numbers.
    `external`: systems outside that are told of an erasure.
    """
    nodes = _nodes(case)
    newest = _newest(case.workspace_id)
    # What comes while it is counted is told by the next dry run.
    rows = RestsOn.objects.filter(target_id__in=nodes, pk__lte=newest).order_by()
    mark = _mark(case, rows, newest)
    before = case.counts.get("mark", {}).get("newest")
    tally, added = _tally(case, rows, nodes, before)
    tried = claims_tried(case, rows, nodes)
    grades: Counter[str] = Counter()
    states: Counter[str] = Counter()
    for (state, grade), number in tally.items():
        grades[Grade(grade).word] += number
        states[AnswerState(state).word] += number
    for was, _, _, _ in tried.lifted.values():
        states[AnswerState(was).word] -= 1
        states[AnswerState.REVIEW.word] += 1
    answers = sum(grades.values())
    return {
        **by_word(grades, states),
        "answers": answers,
        "claims": {word: tried.counts[word] for word in STANDINGS},
        **_people(rows, answers),
        "external": _external(case),
        "added": added,
        "left": case.counts["answers"] + added - answers if before is not None else 0,
        "sample": _described(case, _sample(case, rows, tried.lifted)),
        "truncated": tried.truncated,
        "mark": mark,
    }


def stands_still(case: Case) -> bool:
    """Whether what the last dry run counted is surely what it would count now, told cheaply.

    Where texts are compared they may have come meanwhile: of those kinds nothing is sure.
    """
    kept = case.counts.get("mark")
    if kept is None or case.kind in effects.UNLESS_CLAIMS_STAND:
        return False
    rows = RestsOn.objects.filter(target_id__in=_nodes(case)).order_by()
    return {**kept, "newest": 0} == _mark(case, rows, 0)


def _nodes(case: Case) -> set[int]:
    named = CaseTarget.objects.filter(case=case).values_list("node_id", flat=True)
    return targets.expanded(case.workspace_id, set(named))


def _newest(workspace_id: int) -> int:
    """The greatest id of the closure's rows, which later ones of this workspace exceed."""
    with turn(workspace_id):
        # Nobody is writing rows of it: those below are there, those to come are above.
        return RestsOn.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def _mark(case: Case, rows: _Rows, newest: int) -> dict[str, int]:
    """By what one sees whether anything has changed since: rows that lead to the nodes, and cases."""
    told = rows.aggregate(
        rows=Count("pk"), last=Max("pk"), weight=Sum(F("grade") * _WEIGHT + F("origin_grade"))
    )
    epoch = RegisterEpoch.objects.filter(workspace_id=case.workspace_id).values_list("epoch")
    return {
        "newest": newest,
        "epoch": next((row[0] for row in epoch), 0),
        "rows": told["rows"],
        "last": told["last"] or 0,
        "weight": told["weight"] or 0,
    }


def _tally(
    case: Case, rows: _Rows, nodes: Collection[int], before: int | None
) -> tuple[Counter[tuple[int, int]], int]:
    """Answers by state and grade before claims are compared, and how many came after the mark `before`.

    Of one target an answer has one row, and the database counts them; of several its gravest
    state and its greatest grade are told for each.
    """
    found: Counter[tuple[int, int]] = Counter()
    if len(nodes) == 1:
        numbers = rows.values("grade", "origin_grade").annotate(number=Count("pk"))
        for grade, origin, number in numbers.values_list("grade", "origin_grade", "number"):
            found[int(effects.effect(case.kind, grade, origin)), grade] += number
        return found, 0 if before is None else rows.filter(pk__gt=before).count()
    each = _by_answer(case, rows).values_list("state", "strongest", "first")
    added = 0
    for state, strongest, first in each.iterator(chunk_size=5_000):
        found[state, strongest // _WEIGHT] += 1
        added += before is not None and first > before
    return found, added


def _by_answer(case: Case, rows: _Rows) -> "QuerySet[Any, Any]":
    """Each answer with its gravest state before claims are compared, and its greatest grade."""
    return rows.values("answer_id").annotate(
        state=Max(_effect_of_row(case.kind)),
        strongest=Max(F("grade") * _WEIGHT + F("origin_grade")),
        first=Min("pk"),
    )


def _effect_of_row(kind: str) -> Choice:
    """The state that the case alone gives by a row, in the database's words."""
    table = effects.EFFECTS[kind]
    return Choice(
        *(When(effects.acting(grade), then=Value(int(table[grade]))) for grade in table),
        default=Value(int(AnswerState.CURRENT)),
        output_field=IntegerField(),
    )


def _sample(case: Case, rows: _Rows, lifted: Mapping[int, Reached]) -> list[Reached]:
    """Answers to show, the gravest first."""
    gravest = _by_answer(case, rows).order_by("-state", "-strongest", "answer_id")
    found = {
        answer_id: (state, *divmod(strongest, _WEIGHT), answer_id)
        for answer_id, state, strongest in gravest.values_list("answer_id", "state", "strongest")[
            : SAMPLE + len(lifted)
        ]
    }
    for answer_id, (_, grade, origin, _) in lifted.items():
        found[answer_id] = (int(AnswerState.REVIEW), grade, origin, answer_id)
    return sorted(found.values(), key=lambda row: (-row[0], -row[1], row[3]))[:SAMPLE]


def _people(rows: _Rows, answers: int) -> dict[str, int]:
    """Whom the answers reached, as far as they say so: pseudonyms that clients sent, counted alone."""
    told = rows.annotate(
        reader=KeyTextTransform("user", "answer__fields"),
        unit=KeyTextTransform("unit", "answer__fields"),
    ).aggregate(
        readers=Count("reader", distinct=True),
        stated=Count("answer_id", distinct=True, filter=Q(reader__isnull=False)),
        units=Count("unit", distinct=True),
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


def _described(case: Case, sample: list[Reached]) -> list[dict[str, str]]:
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
