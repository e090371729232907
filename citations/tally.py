"""How many answers give a creator which credit, counted at once from what they rest on."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from citations.credit import BEYOND, CREDITS, SHOWN, UNCREDITED, Credited, answers_of
from lineage.models import RestsOn
from lineage.vocabulary import Grade


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers by credit code, every code present; and, by version, those that used it uncredited.

    The same answers as citations.credit.answers_of gives, read in two statements instead of
    one for each code.
    """

    answers: Mapping[str, int]
    uncredited: Mapping[int, frozenset[int]]


def tally(credited: Credited, source_id: int | None = None) -> Tally:
    """Count the answers on all works of the creator, or on one of them."""
    grades = dict(answers_of(credited, "", source_id).values_list("answer_id", "grade"))
    shown = {each.version_id: SHOWN.index(each.shown) for each in credited.versions}
    rows = RestsOn.objects.filter(
        target_id__in=credited.ids(source_id=source_id), grade__in=(Grade.CITED, Grade.IN_CONTEXT)
    )
    if credited.since is not None:
        rows = rows.filter(at__gte=credited.since)
    best: dict[int, int] = {}
    used: dict[int, set[int]] = defaultdict(set)
    for answer, version, grade in rows.values_list("answer_id", "target_id", "grade"):
        if grade == Grade.CITED:
            best[answer] = min(best.get(answer, len(SHOWN)), shown[version])
        elif grades.get(answer) == Grade.IN_CONTEXT:
            used[version].add(answer)
    of_work = source_id is not None
    codes = Counter(
        SHOWN[best[answer]]
        if answer in best
        else UNCREDITED
        if of_work or grade == Grade.IN_CONTEXT
        else BEYOND
        for answer, grade in grades.items()
    )
    return Tally(
        answers={code: codes[code] for code in CREDITS},
        uncredited={version: frozenset(answers) for version, answers in used.items()},
    )
