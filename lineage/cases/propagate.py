"""Propagation: materialises what the register already holds, batch by batch, and survives anything.

A task run takes the case's lease, handles a bounded number of short batches, each one
transaction with its own progress, and asks for the next run. A worker that is killed
leaves a cursor; a message that comes twice finds the lease taken; a worker that comes
back from the dead finds its fence outdated. When the batches are done the closing pass
follows (closing.py). A reinstatement goes the same way and ends the effects.
"""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F

from lineage import outbox
from lineage.cases import closing, lease, targets
from lineage.cases.ending import end_batch
from lineage.cases.finish import finish
from lineage.cases.flags import flag_answers
from lineage.cases.lease import Hold, LostHold
from lineage.cases.materialise import materialise
from lineage.cases.reach import answers_reached, reached_after
from lineage.cases.register import has_active
from lineage.models import Case
from lineage.models.turns import take_turn
from lineage.types import NotFound
from provexplorer.workspaces.models import Workspace

# Answers in a batch: one transaction of well under a second.
BATCH: Final = 500
# Batches in one run of the task.
BATCHES_A_RUN: Final = 20
# Runs without any progress after which a case is given up, visibly.
MOST_ATTEMPTS: Final = 20


def propagate(case_id: int) -> None:
    """One run of a case's propagation; does nothing where another has it or it is not propagating."""
    hold = lease.take(case_id)
    if hold is None:
        return
    try:
        wait = _run(hold)
        if wait is not None:
            go_on(hold, wait)
    except (LostHold, NotFound, Case.DoesNotExist):
        # Another has it, or the workspace has gone with all that it had.
        return


def go_on(hold: Hold, wait: timedelta) -> None:
    """Give the case back and ask for its next run, not before `wait` has passed."""
    with transaction.atomic():
        lease.let_go(hold, wait=wait)
        outbox.enqueue(
            "lineage.propagate_case", countdown=wait.total_seconds(), case_id=hold.case_id
        )


def born_with(workspace: Workspace, answer_ids: Collection[int]) -> set[int]:
    """Let the answers of a request be born stale, or change with what they rest on now.

    To be called in the request's transaction, after the closure of these answers was
    recomputed; a constant number of queries, two where no case is in effect. Leaves the
    warning `withdrawn_upstream` on answers that a case puts in review or makes stale;
    gives those whose warnings it changed.
    """
    # What nobody has answered from yet is under a case on its creator, too.
    targets.follow_agents(workspace.id)
    if not answer_ids or not has_active(workspace.id):
        return set()
    for case_id in sorted(materialise(workspace.id, answer_ids)):
        outbox.enqueue_soon("lineage.project_case", case_id=case_id)
    return flag_answers(workspace.id, answer_ids)


def _run(hold: Hold) -> timedelta | None:
    """Work for one run; how long to wait before the next, or None where the case is finished."""
    case = Case.objects.select_related("workspace", "reinstates").get(id=hold.case_id)
    if case.attempts > MOST_ATTEMPTS:
        finish(hold, case, shortfall={"code": "gave_up", "attempts": MOST_ATTEMPTS})
        return None
    if not case.total:
        lease.keep(hold, total=answers_reached(case))
    for _ in range(BATCHES_A_RUN):
        if not (end_batch(hold, case, BATCH) if case.reinstates_id else _batch(hold, case)):
            return closing.close(hold, case, BATCH)
    return timedelta()


def _batch(hold: Hold, case: Case) -> bool:
    """Materialise the next answers in the order of their ids; False where there are none left."""
    ids = reached_after(case, case.cursor, BATCH)
    if not ids:
        return False
    with transaction.atomic():
        # First of all: a request of records must not change the answers while they are judged.
        take_turn(case.workspace_id)
        lease.keep(hold, cursor=ids[-1], done=F("done") + len(ids), attempts=0)
        materialise(case.workspace_id, ids, case.id)
    case.cursor = ids[-1]
    return True
