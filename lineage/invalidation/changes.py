"""Keeps how states of answers change, in the transaction that changes them.

A change is the difference between what was last kept of an answer and what it is now by the
one definition of its state (lineage.cases.register): the same work done twice keeps nothing
more, and of several cases on one answer only what they come to together is kept.

Whoever calls has the workspace's turn, so that the numbers of changes are in the order of
their commits.
"""

from collections.abc import Collection
from typing import Final

from django.db.models import QuerySet

from lineage import bulk_rows
from lineage.cases.ancestry import sliced
from lineage.cases.register import Standing, states_of
from lineage.compiled import by_their_ids
from lineage.models import AnswerChange, ChangeSequence, Node, Reference
from lineage.vocabulary import AnswerState, Edge
from provexplorer import clock

_Became = AnswerChange.Became
_CURRENT: Final = AnswerState.CURRENT.word
_COLUMNS: Final = ("workspace_id", "sequence", "answer_id", "became", "at", "case_uid", "born", "by_id")  # fmt: skip


def note_states(workspace_id: int, answer_ids: Collection[int]) -> int:
    """Keep which of these answers are in another state than was last kept; how many."""
    noted = 0
    for ids in sliced(answer_ids):
        kept = _kept(ids)
        moved = {
            pk: standing
            for pk, standing in states_of(workspace_id, ids).items()
            if standing.state.word != kept.get(pk, _CURRENT)
        }
        _write(workspace_id, _rows(workspace_id, moved))
        noted += len(moved)
    return noted


def note_regenerated(workspace_id: int, pairs: Collection[tuple[int, int]]) -> int:
    """Keep that of each pair of nodes the first took the second's place, where both are answers that say so.

    A pair is kept once, however often it is said; how many were not kept before.
    """
    told: set[tuple[int, int]] = set()
    for news in sliced({new for new, _ in pairs}):
        # Of what binding has touched, what stands.
        rows = Reference.objects.filter(
            workspace_id=workspace_id,
            edge=Edge.WAS_REVISION_OF,
            from_node_id__in=news,
            from_node__kind="answer",
            to_node__kind="answer",
        )
        told |= set(rows.order_by("pk").values_list("from_node_id", "to_node_id")) & set(pairs)
    for olds in sliced({old for _, old in told}):
        kept = AnswerChange.objects.filter(became=_Became.REGENERATED, answer_id__in=olds)
        told -= set(kept.order_by("sequence").values_list("by_id", "answer_id"))
    became = _Became.REGENERATED.value
    _write(workspace_id, [(old, became, "", False, new) for new, old in sorted(told)])
    return len(told)


_Row = tuple[int, str, str, bool, int | None]


def _kept(ids: Collection[int]) -> dict[int, str]:
    """The state that was last kept of each answer."""
    rows: QuerySet[AnswerChange, tuple[int, str]] = (
        AnswerChange.objects.filter(answer_id__in=ids)
        .exclude(became=_Became.REGENERATED)
        .order_by("answer_id", "sequence")
        .values_list("answer_id", "became")
    )
    return dict(rows)


def _rows(workspace_id: int, moved: dict[int, Standing]) -> list[_Row]:
    if not moved:
        return []
    named = Node.objects.filter(pk__in=sorted(moved)).order_by("pk")
    recorded = dict(by_their_ids(named, workspace_id).values_list("pk", "recorded_at"))
    found: list[_Row] = []
    for pk, standing in sorted(moved.items()):
        gravest = standing.reasons[0] if standing.reasons else None
        born = gravest is not None and recorded[pk] > gravest.at
        found.append((pk, standing.state.word, gravest.case_uid if gravest else "", born, None))
    return found


def _write(workspace_id: int, rows: list[_Row]) -> None:
    """Number the rows and insert them."""
    if not rows:
        return
    count, _ = ChangeSequence.objects.get_or_create(workspace_id=workspace_id)
    now, last = clock.now(), count.last
    bulk_rows.insert(
        AnswerChange,
        _COLUMNS,
        [
            (workspace_id, last + place, pk, became, now, case_uid, born, by)
            for place, (pk, became, case_uid, born, by) in enumerate(rows, start=1)
        ],
    )
    ChangeSequence.objects.filter(pk=count.pk).update(last=last + len(rows))
