"""Claims that rest on what is asked about, and those of them that an independent source carries, too.

A claim keeps an independent source where it also cites another work with another text that
does not rest on what is asked about: as if that were withdrawn, by the rules of
lineage.cases.standing.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from lineage.cases.citing import Ruling
from lineage.cases.standing import FALLEN, WEAKENED, touched_claims
from lineage.impact.affected import Affected, Rows, order_of
from lineage.models import Reference
from lineage.vocabulary import Edge, Grade
from provexplorer import clock

# Answers whose claims are looked at; what lies above each of their citations is walked.
MOST_ANSWERS: Final = 2_000
_BATCH: Final = 200
# Of no case: a ruling that is only assumed.
_NO_CASE: Final = 0
# As the passage itself would be judged: gone, unless something independent remains.
_ASSUMED: Final = "retraction"
_MOST_TARGETS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Independence:
    """`claims` cite what is asked about, `kept` of them cite something independent as well.

    Of the claims of `answers` answers, the newest; `more` where others were not looked at.
    """

    claims: int
    kept: int
    answers: int
    more: bool


def independence(found: Affected, *, most: int = MOST_ANSWERS) -> Independence | None:
    """Judge the claims of the newest answers that cite it; None where too much is asked about at once."""
    targets = found.targets.ids
    if targets is None or len(targets) > _MOST_TARGETS:
        return None
    rows = citing(found).order_by(*order_of("newest"))
    ids = list(rows.values_list("answer_id", flat=True)[: most + 1])
    now = clock.now()
    assumed = [Ruling(_NO_CASE, _ASSUMED, target, now) for target in targets]
    claims = kept = 0
    for start in range(0, min(len(ids), most), _BATCH):
        own = _claims(found, ids[start : min(start + _BATCH, most)])
        touched = touched_claims(found.viewer.workspace_id, own, case_id=_NO_CASE, assumed=assumed)
        claims += sum(standing in (FALLEN, WEAKENED) for standing in touched.values())
        kept += sum(standing == WEAKENED for standing in touched.values())
    return Independence(claims, kept, min(len(ids), most), len(ids) > most)


def citing(found: Affected) -> Rows:
    """The rows of answers whose own claims cite it."""
    return found.rows().filter(grade=Grade.CITED)


def _claims(found: Affected, answer_ids: Collection[int]) -> set[int]:
    rows = Reference.objects.filter(
        workspace_id=found.viewer.workspace_id,
        edge=Edge.STATED_IN,
        to_node_id__in=answer_ids,
        from_node_id__isnull=False,
    )
    return {pk for pk in rows.values_list("from_node_id", flat=True) if pk is not None}
