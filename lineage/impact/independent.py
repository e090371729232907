"""Claims that rest on what is asked about, and those of them that an independent source carries, too.

A claim keeps an independent source where it also cites another work with another text that
does not rest on what is asked about: as if that were withdrawn, by the rules of
lineage.cases.standing.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from lineage.cases.citing import Ruling
from lineage.cases.standing import FALLEN, WEAKENED, touched_claims
from lineage.impact.affected import Affected, Rows, order_of
from lineage.models import Node, Reference
from lineage.nodes.paging import CursorInvalid, read_cursor, write_cursor
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


@dataclass(frozen=True, slots=True)
class CitingClaim:
    """A claim by its uid, that of its answer, and whether it keeps an independent source."""

    uid: str
    answer: str
    kept: bool


def independence(found: Affected, *, most: int = MOST_ANSWERS) -> Independence | None:
    """Judge the claims of the newest answers that cite it; None where too much is asked about at once."""
    targets = found.targets.ids
    if targets is None or len(targets) > _MOST_TARGETS:
        return None
    rows = citing(found).order_by(*order_of("newest"))
    ids = list(rows.values_list("answer_id", flat=True)[: most + 1])
    claims = kept = 0
    for start in range(0, min(len(ids), most), _BATCH):
        judged = _judged(found, ids[start : min(start + _BATCH, most)])
        claims += len(judged)
        kept += sum(judged.values())
    return Independence(claims, kept, min(len(ids), most), len(ids) > most)


def citing_claims(
    found: Affected, *, kept: bool, limit: int, cursor: str | None
) -> tuple[tuple[CitingClaim, ...], str | None] | None:
    """A page of the claims that `independence` counts, those of the newest answers first, and the next cursor.

    `kept`: only those that keep an independent source. A page ends after an answer, so that it
    may be longer than `limit`; it is shorter where none is found among some hundred answers.
    None where too much is asked about at once. Raises CursorInvalid.
    """
    if found.targets.ids is None or len(found.targets.ids) > _MOST_TARGETS:
        return None
    rows, looked = citing(found).order_by(*order_of("newest")), 0
    if cursor is not None:
        at, uid, looked = read_cursor(cursor, int, str, int)
        if at is None or uid is None or looked is None or looked < 0:
            raise CursorInvalid
        rows = rows.filter(Q(at__lt=at) | Q(at=at, answer__uid__gt=uid))
    size = max(0, min(_BATCH, MOST_ANSWERS - looked))
    answers = list(rows.values_list("answer_id", "answer__uid", "at")[: size + 1])
    more, answers = len(answers) > size, answers[:size]
    judged = _judged(found, [pk for pk, _, _ in answers])
    claims = Node.objects.filter(pk__in=judged, workspace_id=found.viewer.workspace_id)
    of: dict[int, list[CitingClaim]] = defaultdict(list)
    uids = {pk: uid for pk, uid, _ in answers}
    for pk, uid, answer in claims.order_by("uid").values_list("pk", "uid", "parent_id"):
        if answer in uids and (judged[pk] or not kept):
            of[answer].append(CitingClaim(uid, uids[answer], judged[pk]))
    page: list[CitingClaim] = []
    for number, (pk, uid, at) in enumerate(answers, 1):
        page += of[pk]
        beyond = number < len(answers) or (more and looked + number < MOST_ANSWERS)
        if beyond and (len(page) >= limit or number == len(answers)):
            return tuple(page), write_cursor(at, uid, looked + number)
    return tuple(page), None


def _judged(found: Affected, answer_ids: Collection[int]) -> dict[int, bool]:
    """The claims of these answers that cite it, and whether each keeps an independent source."""
    now = clock.now()
    assumed = [Ruling(_NO_CASE, _ASSUMED, target, now) for target in found.targets.ids or ()]
    touched = touched_claims(
        found.viewer.workspace_id, _claims(found, answer_ids), case_id=_NO_CASE, assumed=assumed
    )
    return {pk: word == WEAKENED for pk, word in touched.items() if word in (FALLEN, WEAKENED)}


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
