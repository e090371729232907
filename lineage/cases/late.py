"""What claims are compared with has changed after their case: they are compared again.

A corrected text arrives: ingestion names the versions and documents that a request brought.
Or another case begins or ends on a text that corrects: at its beginning the answers that
stand for it are stale in the same transaction, until they are compared. Where an active case
of a comparing kind touches answers on the same works, those are gone through again, in the
background, some at a time.
"""

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from lineage import outbox
from lineage.cases.ancestry import WALKED, sliced
from lineage.cases.effects import LEAVES_WORDS, UNLESS_CLAIMS_STAND, acting
from lineage.cases.materialise import materialise
from lineage.cases.register import active, in_effect
from lineage.invalidation.changes import note_states
from lineage.models import AnswerEffect, Case, Node, Reference, RestsOn, Withdrawal
from lineage.models.turns import take_turn
from lineage.vocabulary import AnswerState, Grade
from provexplorer import clock

_BATCH: Final = 500
# What texts are made of and by, and they themselves.
_MAKING: Final = ("component", "run", "acquisition", "source_version", "document")
_PAIR: Final = ("case_id", "answer__rests_on__target_id")


def text_arrived(workspace_id: int, node_ids: Collection[int]) -> None:
    """Have answers compared again on the works of these versions and documents.

    To be called in the request's transaction with ids of nodes that are new or changed
    (other kinds are passed over). One query where no comparing case is in effect.
    """
    if node_ids and _comparing(workspace_id).exists():
        _wake(workspace_id, _sources_of(workspace_id, node_ids), doubted=False)


def texts_ruled(case: Case, *, ended: bool = False) -> None:
    """A case has come into effect or has `ended`: have answers compared again that its texts correct.

    To be called in the transaction that changed the register, which has the workspace's turn.
    One query where no comparing case is in effect.
    """
    if case.kind in LEAVES_WORDS or not _comparing(case.workspace_id).exists():
        return
    rows = Withdrawal.objects.filter(case=case)
    if not ended:
        rows = rows.filter(active(clock.now()))
    texts = _texts_under(case.workspace_id, set(rows.values_list("node_id", flat=True)))
    _wake(case.workspace_id, _sources_of(case.workspace_id, texts), doubted=not ended)


def _comparing(workspace_id: int) -> QuerySet[Case]:
    """The cases in effect under which claims are compared."""
    return Case.objects.filter(
        Exists(Withdrawal.objects.filter(active(clock.now()), case=OuterRef("pk"))),
        workspace_id=workspace_id,
        kind__in=sorted(UNLESS_CLAIMS_STAND),
    )


def _wake(workspace_id: int, source_ids: Collection[int], *, doubted: bool) -> None:
    """Ask for comparisons on these works; until they are made, the answers are stale where `doubted`."""
    changed: set[int] = set()
    for ids in sliced(source_ids):
        effects = AnswerEffect.objects.filter(
            acting(Grade.CITED), case__in=_comparing(workspace_id), ended_at__isnull=True
        )
        waiting = effects.filter(answer__rests_on__target_id__in=ids).values_list(*_PAIR)
        for case_id, source_id in waiting.order_by(*_PAIR).distinct():
            outbox.enqueue("lineage.compare_again", case_id=case_id, source_id=source_id)
        if doubted:
            citing = RestsOn.objects.filter(
                acting(Grade.CITED), answer_id=OuterRef("answer_id"), target_id__in=ids
            )
            standing = effects.filter(Exists(citing), state__lt=AnswerState.STALE)
            changed |= set(standing.order_by().values_list("case_id", flat=True).distinct())
            standing.update(state=AnswerState.STALE)
    for case_id in sorted(changed):
        outbox.enqueue_soon("lineage.project_case", case_id=case_id)


def _texts_under(workspace_id: int, node_ids: Collection[int]) -> set[int]:
    """These nodes and what was made of them, as far as the documents; not of whole works."""
    seen: set[int] = set()
    for ids in sliced(node_ids):
        nodes = Node.objects.filter(workspace_id=workspace_id, id__in=ids, kind__in=_MAKING)
        seen |= set(nodes.values_list("id", flat=True))
    frontier = set(seen)
    while frontier:
        found: set[int] = set()
        for ids in sliced(frontier):
            edges = Reference.objects.filter(
                workspace_id=workspace_id,
                edge__in=WALKED,
                to_node_id__in=ids,
                from_node__kind__in=_MAKING,
            )
            found |= {pk for pk in edges.values_list("from_node_id", flat=True) if pk is not None}
        frontier = found - seen
        seen |= frontier
    return seen


def compare_again(case_id: int, source_id: int, after: int) -> None:
    """Compare the next answers that cite the work under the case; asks for the rest."""
    workspace_id = Case.objects.values_list("workspace_id", flat=True).filter(id=case_id).first()
    if workspace_id is None:
        return
    with transaction.atomic():
        take_turn(workspace_id)
        ids = _waiting(workspace_id, case_id, source_id, after, _BATCH)
        if ids and materialise(workspace_id, ids, case_id):
            outbox.enqueue_soon("lineage.project_case", case_id=case_id)
        # Stale meanwhile (texts_ruled), and stale now: only that it stayed so was not kept.
        note_states(workspace_id, ids)
        if len(ids) == _BATCH:
            outbox.enqueue(
                "lineage.compare_again", case_id=case_id, source_id=source_id, after=ids[-1]
            )


def _sources_of(workspace_id: int, node_ids: Collection[int]) -> set[int]:
    """The sources of versions, by their place, and of documents, by their version's."""
    sources: set[int | None] = set()
    for ids in sliced(node_ids):
        nodes = Node.objects.filter(workspace_id=workspace_id, id__in=ids)
        versions = nodes.filter(kind="source_version")
        sources |= set(versions.values_list("parent_id", flat=True))
        documents = nodes.filter(kind="document")
        sources |= set(documents.values_list("parent__parent_id", flat=True))
    return {source for source in sources if source is not None}


def _waiting(workspace_id: int, case_id: int, source_id: int, after: int, most: int) -> list[int]:
    """Answers that rest on the source and that the case has reached through a citation."""
    reached = AnswerEffect.objects.filter(
        in_effect(clock.now()),
        acting(Grade.CITED),
        case_id=case_id,
        ended_at__isnull=True,
        answer_id=OuterRef("answer_id"),
    )
    rows = RestsOn.objects.filter(
        Exists(reached),
        target_id=source_id,
        answer_id__gt=after,
        answer__workspace_id=workspace_id,
    )
    return list(rows.order_by("answer_id").values_list("answer_id", flat=True)[:most])
