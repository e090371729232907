"""What notices need from time to time: sources that came, cases that are due, numbers that have grown."""

from typing import Final

from django.db.models import Exists, OuterRef

from lineage import outbox
from lineage.ingest.notices_due import TASK
from lineage.models import Notice, NoticeDue, NoticeMatch
from lineage.models.turns import turn
from lineage.notices.drafting import count_answers, draft_due, due
from lineage.notices.matching import match_sources
from provexplorer.workspaces.models import Workspace

# Sources looked at in one transaction, and of one task.
_AT_ONCE: Final = 500
_MOST: Final = 20_000
_RECOUNTED: Final = 5_000


def match_due(workspace_id: int) -> int:
    """Look through the notices for sources that are new or have changed; how many sources.

    Then open the cases that follow. What is too much for one task is asked for again.
    """
    workspace = Workspace.objects.filter(pk=workspace_id).first()
    if workspace is None:
        return 0
    looked = 0
    while looked < _MOST:
        with turn(workspace_id):
            ids = list(
                NoticeDue.objects.filter(workspace=workspace)
                .order_by("node_id")
                .values_list("node_id", flat=True)[:_AT_ONCE]
            )
            match_sources(workspace, ids)
            met = NoticeMatch.objects.filter(source_id__in=ids)
            count_answers(list(met.order_by("notice_id").values_list("notice_id", flat=True)))
            NoticeDue.objects.filter(node_id__in=ids).delete()
        looked += len(ids)
        if len(ids) < _AT_ONCE:
            break
    else:
        outbox.enqueue(TASK, workspace_id=workspace_id)
        return looked
    _draft(workspace)
    return looked


def look_after() -> None:
    """Take up what was left: sources not looked at, matches without a case."""
    waiting = NoticeDue.objects.filter(workspace=OuterRef("pk"))
    undrafted = NoticeMatch.objects.filter(
        notice__workspace=OuterRef("pk"), due=True, state=NoticeMatch.State.MATCHED
    )
    for workspace_id in (
        Workspace.objects.filter(Exists(waiting) | Exists(undrafted))
        .order_by("pk")
        .values_list("pk", flat=True)[:50]
    ):
        match_due(workspace_id)


def recount() -> int:
    """Count anew the answers on what notices concern, the longest lists first; how many notices."""
    ids = list(
        Notice.objects.exclude(state=Notice.State.UNMATCHED)
        .order_by("-answers", "uid")
        .values_list("pk", flat=True)[:_RECOUNTED]
    )
    count_answers(ids)
    return len(ids)


def _draft(workspace: Workspace) -> None:
    more = due(workspace).exists()
    while more:
        _, more = draft_due(workspace)
