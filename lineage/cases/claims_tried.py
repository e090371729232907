"""How many claims a case would touch, by what would be left of each: for a dry run.

Of most kinds the kind alone decides what becomes of a claim, and the database counts them.
One by one are judged only claims that are compared with a corrected text, and those that cite
something else besides, which may carry them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from django.db.models import QuerySet

from lineage.cases import effects
from lineage.cases.ancestry import WALKED, ancestry, sliced
from lineage.cases.citing import Ruling
from lineage.cases.standing import (
    FALLEN,
    WEAKENED,
    answers_whose_claims_stand,
    claims_spoken,
    touched_claims,
    verdict_of_kind,
)
from lineage.models import Case, Reference, RestsOn
from lineage.vocabulary import AnswerState, Edge, Grade
from provexplorer import clock

# Citing answers whose claims are looked at; of those beyond, the gravest is assumed and said so.
MOST_COMPARED: Final = 2_000
_ANSWERS_AT_ONCE: Final = 500

# (state, grade, origin grade, answer).
Reached = tuple[int, int, int, int]
_Rows = QuerySet[RestsOn]


@dataclass(frozen=True, slots=True)
class Tried:
    """Claims that the case touches, by standing; `lifted`: answers whose state they lift, as they were.

    `truncated`: more answers cite than were looked at.
    """

    counts: Counter[str]
    lifted: dict[int, Reached] = field(default_factory=dict)
    truncated: bool = False


def claims_tried(case: Case, rows: _Rows, nodes: Collection[int]) -> Tried:
    """What the case would leave of the claims of the answers that cite; `rows` lead to its nodes."""
    cite = rows.filter(effects.acting(Grade.CITED)).order_by("answer_id")
    citing = list(cite.values_list("answer_id", flat=True).distinct()[: MOST_COMPARED + 1])
    looked_at, truncated = citing[:MOST_COMPARED], len(citing) > MOST_COMPARED
    if not looked_at:
        return Tried(Counter())
    at = case.effective_at or clock.now()
    assumed = [Ruling(case.id, case.kind, node_id, at) for node_id in sorted(nodes)]
    verdict = verdict_of_kind(case.kind)
    if verdict is None:
        counts, lifted = _compared(case, rows, looked_at, assumed)
        return Tried(counts, lifted, truncated)
    return Tried(_counted(case, looked_at, nodes, verdict, assumed), truncated=truncated)


def _compared(
    case: Case, rows: _Rows, citing: Collection[int], assumed: Collection[Ruling]
) -> tuple[Counter[str], dict[int, Reached]]:
    counts: Counter[str] = Counter()
    lifted: dict[int, Reached] = {}
    for some in sliced(citing, _ANSWERS_AT_ONCE):
        claims = claims_spoken(case.workspace_id, some)
        every = {claim for theirs in claims.values() for claim in theirs}
        touched = touched_claims(case.workspace_id, every, case_id=case.id, assumed=assumed)
        counts.update(touched.values())
        standing = answers_whose_claims_stand(claims, touched)
        lifted |= _lifted(case.kind, rows.filter(answer_id__in=standing))
    return counts, lifted


def _counted(
    case: Case,
    citing: Collection[int],
    nodes: Collection[int],
    verdict: str,
    assumed: Collection[Ruling],
) -> Counter[str]:
    """Claims of a kind that decides alone.

    An answer served from another has that one's claims, which are looked at themselves: what
    reaches the copy by a citation reaches its origin.
    """
    causes: dict[int, set[int]] = defaultdict(set)
    citations: dict[int, set[int]] = defaultdict(set)
    for claim, citation, cause in _cited(case.workspace_id, citing):
        citations[claim].add(citation)
        causes[citation].add(cause)
    every = {cause for some in causes.values() for cause in some}
    under = every & ancestry(case.workspace_id, every).downstream_of(nodes)
    touched = {citation for citation, theirs in causes.items() if theirs & under}
    claims = {claim for claim, theirs in citations.items() if theirs & touched}
    if verdict != WEAKENED:
        return Counter({verdict: len(claims)})
    # What else they cite may carry them.
    several = {claim for claim in claims if citations[claim] - touched}
    judged = touched_claims(case.workspace_id, several, case_id=case.id, assumed=assumed)
    return Counter({FALLEN: len(claims - several)}) + Counter(judged.values())


def _cited(workspace_id: int, citing: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Claims of these answers with each of their citations, and each thing right above that: its passage, its run."""
    edges = Reference.objects.filter(workspace_id=workspace_id)
    above = "to_node__edges_out__"
    for ids in sliced(citing):
        stated = edges.filter(edge=Edge.STATED_IN, to_node_id__in=ids)
        cites = edges.filter(edge=Edge.CITES, from_node_id__in=stated.values("from_node_id"))
        upstream = cites.filter(**{f"{above}edge__in": WALKED, f"{above}to_node_id__isnull": False})
        yield from upstream.order_by().values_list(
            "from_node_id", "to_node_id", f"{above}to_node_id"
        )


def _lifted(kind: str, rows: _Rows) -> dict[int, Reached]:
    """Of answers whose claims all stand those that are in review for it, as they would be without."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for answer_id, grade, origin in rows.values_list("answer_id", "grade", "origin_grade"):
        found[answer_id].append((grade, origin))
    lifted = {}
    for answer_id, theirs in found.items():
        others = [effects.effect(kind, *row) for row in theirs if not effects.depends_on_claims(kind, *row)]  # fmt: skip
        was = max(effects.effect(kind, *row) for row in theirs)
        if (
            was > AnswerState.REVIEW
            and max(others, default=AnswerState.REVIEW) <= AnswerState.REVIEW
        ):
            lifted[answer_id] = (int(was), *max(theirs), answer_id)
    return lifted
