"""A corrected text that arrives after its case: the claims that waited for it are compared then.

Ingestion names the versions and documents that a request brought. Where an active case
of a comparing kind touches answers on the same works, those answers are gone through
again, in the background, some at a time.
"""

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from lineage import outbox
from lineage.cases.ancestry import sliced
from lineage.cases.effects import UNLESS_CLAIMS_STAND, acting
from lineage.cases.materialise import materialise
from lineage.cases.register import active, in_effect
from lineage.models import AnswerEffect, Case, Node, RestsOn, Withdrawal
from lineage.models.turns import take_turn
from lineage.vocabulary import Grade
from provexplorer import clock

_BATCH: Final = 500
_PAIR: Final = ("case_id", "answer__rests_on__target_id")


def text_arrived(workspace_id: int, node_ids: Collection[int]) -> None:
    """Have answers compared again on the works of these versions and documents.

    To be called in the request's transaction with ids of nodes that are new or changed
    (other kinds are passed over). One query where no comparing case is in effect.
    """
    comparing = Case.objects.filter(
        Exists(Withdrawal.objects.filter(active(clock.now()), case=OuterRef("pk"))),
        workspace_id=workspace_id,
        kind__in=sorted(UNLESS_CLAIMS_STAND),
    )
    if not node_ids or not comparing.exists():
        return
    for ids in sliced(_sources_of(workspace_id, node_ids)):
        waiting = AnswerEffect.objects.filter(
            acting(Grade.CITED),
            case__in=comparing,
            ended_at__isnull=True,
            answer__rests_on__target_id__in=ids,
        ).values_list("case_id", "answer__rests_on__target_id")
        for case_id, source_id in waiting.order_by(*_PAIR).distinct():
            outbox.enqueue("lineage.compare_again", case_id=case_id, source_id=source_id)


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
