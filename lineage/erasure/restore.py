"""After a restore: erasures that one of the two databases does not know are applied again.

The main database knows an erasure by its ledger, the `keys` database by its essence. A backup
of the one from before an erasure, beside the other as it is, shows as a difference, and
nothing is served until it is made up for. Two backups from before it, restored together, know
nothing of it: backups of keys are to be kept apart, and for a short time only.
"""

from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import F, Q

from lineage import outbox
from lineage.cases.ancestry import sliced
from lineage.cases.epoch import raise_epoch
from lineage.cases.late import texts_ruled
from lineage.cases.steps import IN_EFFECT
from lineage.erasure import essence
from lineage.erasure.begin import TASK, bury
from lineage.erasure.essence import Essence
from lineage.erasure.ledger import open_ledger
from lineage.erasure.named import keep_names
from lineage.erasure.run import erase
from lineage.erasure.scope import scope_from
from lineage.models import (
    Case,
    CaseTarget,
    DataKey,
    ErasedNode,
    ErasedText,
    Erasure,
    Node,
    UidAlias,
    Withdrawal,
)
from lineage.models.turns import take_turn
from provexplorer.workspaces.audit import recording as audit
from provexplorer.workspaces.models import Workspace

_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class OutOfStep:
    """Uids of cases whose erasure the main database does not know, and the keys database does not."""

    main: tuple[str, ...]
    keys: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.main or self.keys)


def out_of_step() -> OutOfStep:
    """What one of the databases knows and the other does not; nothing while both are as they were left.

    Erasures that begin or end meanwhile are no difference: the main database knows of one
    first, and calls it destroyed last.
    """
    destroyed = Erasure.objects.filter(destroyed_at__isnull=False, lifted_at__isnull=True)
    in_main = set(destroyed.values_list("case__uid", flat=True))
    in_keys = essence.case_uids()
    begun = Erasure.objects.filter(begun_at__isnull=False)
    known = set(begun.values_list("case__uid", flat=True))
    behind = sorted(in_keys - known)
    # Workspaces that were deleted took their cases along.
    behind = [uid for uid in behind if _workspace_of(uid) is not None]
    return OutOfStep(tuple(behind), tuple(sorted(in_main - essence.every_case_uid())))


def _workspace_of(case_uid: str) -> Workspace | None:
    found = essence.read(case_uid)
    return None if found is None else Workspace.objects.filter(pk=found.workspace_id).first()


def reapply() -> int:
    """Apply again what one of the databases does not know; how many erasures. Idempotent.

    What cannot be cleared at once (a store is away) is tried again as any erasure is; the
    text cannot be read in the meantime.
    """
    found = out_of_step()
    for uid in found.keys:
        _destroy_again(uid)
    for uid in found.main:
        known, workspace = essence.read(uid), _workspace_of(uid)
        if known is not None and workspace is not None:
            erase(_begin_again(workspace, known))
    if found.main:
        _free_ids()
    return len(found.main) + len(found.keys)


def _destroy_again(case_uid: str) -> None:
    """The keys database is from before: its keys of what was erased as a whole go again.

    Of what was erased in part it has the key of before, too, which opens nothing any more.
    """
    erasure = Erasure.objects.select_related("workspace", "case").get(case__uid=case_uid)
    essence.write_and_destroy(erasure, partly=False)
    with transaction.atomic():
        Erasure.objects.filter(pk=erasure.pk).update(again=True)
        audit.record(
            "erasure.reapplied", None, workspace_id=erasure.workspace_id, object_uid=case_uid
        )


def _begin_again(workspace: Workspace, known: Essence) -> int:
    """Put the case into effect as it was, bury what the main database has of it; the case's id."""
    with transaction.atomic():
        take_turn(workspace.pk)
        epoch = raise_epoch(workspace.pk)
        targets = _nodes(workspace, set(known.targets))
        case = _case(workspace, known, epoch)
        CaseTarget.objects.bulk_create(
            [CaseTarget(case=case, node_id=pk) for pk in sorted(targets)], ignore_conflicts=True
        )
        Withdrawal.objects.bulk_create(
            [
                Withdrawal(workspace=workspace, case=case, node_id=pk, at=known.at)
                for pk in sorted(targets)
            ],
            ignore_conflicts=True,
        )
        Withdrawal.objects.filter(case=case).update(ended_at=None)
        texts_ruled(case)
        erasure, _ = Erasure.objects.update_or_create(
            case=case,
            defaults={
                "workspace": workspace,
                "state": Erasure.State.RUNNING,
                "describing": known.describing,
                "begun_at": known.at,
                "again": True,
            },
        )
        present = _nodes(workspace, {uid for uid, *_ in known.nodes})
        scope = scope_from(workspace.pk, targets | present)
        if known.describing:
            # The backup has the names again, by which people may have called it elsewhere.
            erasure.working_owner = keep_names(workspace, scope)
            Erasure.objects.filter(pk=erasure.pk).update(working_owner=erasure.working_owner)
        bury(erasure, scope, ())
        _bury_unknown(erasure, known)
        open_ledger(erasure)
        audit.record(
            "erasure.reapplied", None, workspace_id=workspace.pk, object_uid=known.case_uid
        )
        outbox.enqueue("lineage.propagate_case", case_id=case.pk)
        outbox.enqueue("lineage.project_case", case_id=case.pk)
        outbox.enqueue(TASK, case_id=case.pk)
    return case.pk


def _case(workspace: Workspace, known: Essence, epoch: int) -> Case:
    """The case as the main database has it, or anew: it was drafted after the backup was made."""
    case, _ = Case.objects.get_or_create(
        uid=known.case_uid,
        defaults={"workspace": workspace, "kind": "erasure", "created_at": known.at},
    )
    Case.objects.filter(pk=case.pk).exclude(state__in=IN_EFFECT).update(
        state=Case.State.PROPAGATING,
        approved_at=known.at,
        epoch=epoch,
        cursor=0,
        done=0,
        total=0,
        attempts=0,
        fence=F("fence") + 1,
        lease_until=None,
    )
    return case


def _nodes(workspace: Workspace, uids: set[str]) -> set[int]:
    """Nodes that have one of these uids, or had it before."""
    found: set[int] = set()
    ordered = sorted(uids)
    for start in range(0, len(ordered), _AT_ONCE):
        some = ordered[start : start + _AT_ONCE]
        rows = Node.objects.filter(workspace=workspace, uid__in=some)
        found |= set(rows.values_list("pk", flat=True))
        aliases = UidAlias.objects.filter(workspace=workspace, uid__in=some)
        found |= set(aliases.values_list("node_id", flat=True))
    return found


def _bury_unknown(erasure: Erasure, known: Essence) -> None:
    """Tombstones of what the main database does not have: it is to be refused all the same."""
    there = set(ErasedNode.objects.filter(erasure=erasure).values_list("uid", flat=True))
    ErasedNode.objects.bulk_create(
        [
            ErasedNode(
                workspace=erasure.workspace,
                erasure=erasure,
                uid=uid,
                kind=kind,
                address=address,
                place=place,
                digest=digest,
            )
            for uid, kind, address, place, digest in known.nodes
            if uid not in there
        ],
        batch_size=_AT_ONCE,
        ignore_conflicts=True,
    )
    # A provisional uid of then is a settled one now, or the other way round: one digest for both.
    for uid, _, _, _, digest in known.nodes:
        if digest and uid in there:
            ErasedNode.objects.filter(erasure=erasure, uid=uid).update(digest=digest)
    ErasedText.objects.bulk_create(
        [
            ErasedText(workspace=erasure.workspace, erasure=erasure, digest=digest, uid=uid)
            for digest, uid in known.texts
        ],
        batch_size=_AT_ONCE,
        ignore_conflicts=True,
    )


def _free_ids() -> None:
    """Forget destroyed keys of owners that the main database has not: it gives their ids anew."""
    gone = DataKey.objects.filter(owner_id__gt=0, destroyed_at__isnull=False).order_by("owner_id")
    for ids in sliced(list(gone.values_list("owner_id", flat=True)), _AT_ONCE):
        there = set(Node.objects.filter(pk__in=ids).values_list("pk", flat=True))
        DataKey.objects.filter(Q(owner_id__in=[pk for pk in ids if pk not in there])).delete()
