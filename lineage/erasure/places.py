"""What is done at each place of the ledger. Each of these can be interrupted and done again."""

from collections.abc import Callable, Iterator
from typing import Final

from django.db import transaction

from lineage.erasure import essence, hold, partly
from lineage.erasure.elsewhere import clear_answers, clear_notes
from lineage.erasure.evidence import clear_evidence
from lineage.erasure.external import tell
from lineage.erasure.files import clear_files
from lineage.erasure.named import names_of
from lineage.erasure.payloads import Known
from lineage.erasure.probes import Sought, ask_all
from lineage.erasure.published import clear_notices
from lineage.erasure.records import clear_records
from lineage.erasure.work import Work
from lineage.graph.projection import project
from lineage.inbox.keeping import bodies_of, destroy_bodies
from lineage.ingest.search_forget import forget_owned, forget_words
from lineage.models import Blob, ErasedNode, Erasure, InboxPayload, KeptReport
from lineage.models.turns import turn
from lineage.rights.due import forget
from provexplorer import clock
from provexplorer.workspaces.audit.erasing import erase_details_where, strings_of

_BATCH: Final = 200
_PAYLOADS: Final = 50


class PayloadsWaiting(Exception):
    """Payloads that were acknowledged before the erasure are yet to be applied: nothing of them is lost."""


def _owners(erasure: Erasure, *, whole: bool) -> list[int]:
    return [int(pk) for pk, _, all_of_it in erasure.owners if bool(all_of_it) is whole]


def _key(work: Work) -> int:
    """Nothing opens the texts any more from here on."""
    # In the turn that lifting a case takes: before it, or not at all.
    with turn(work.workspace.pk):
        hold.keep(work.erasure)
        essence.write_and_destroy(work.erasure)
    partly.change_keys(work.erasure, _owners(work.erasure, whole=False))
    if work.erasure.destroyed_at is None:
        work.erasure.destroyed_at = clock.now()
        Erasure.objects.filter(pk=work.erasure.pk).update(destroyed_at=work.erasure.destroyed_at)
    return len(work.erasure.owners)


def _blobs(work: Work) -> int:
    cleared = work.place.cleared
    for owner_id in _owners(work.erasure, whole=True):
        while ids := list(
            Blob.objects.filter(owner_id=owner_id).order_by("pk").values_list("pk", flat=True)[:_BATCH]
        ):  # fmt: skip
            cleared += len(ids)
            with transaction.atomic():
                work.went_on(0, cleared)
                Blob.objects.filter(pk__in=ids).delete()
    return cleared


def _buried(work: Work) -> Iterator[tuple[int, list[int]]]:
    """(cursor, node ids) of the erased nodes that are not done, in batches."""
    while True:
        rows = ErasedNode.objects.filter(
            erasure=work.erasure, node__isnull=False, pk__gt=work.place.cursor
        )
        some = list(rows.order_by("pk").values_list("pk", "node_id")[:_BATCH])
        if not some:
            return
        yield some[-1][0], [node_id for _, node_id in some if node_id is not None]


def _records(work: Work) -> int:
    for cursor, ids in _buried(work):
        with turn(work.workspace.pk):
            cleared = clear_records(work.workspace, ids, describing=work.erasure.describing)
            work.went_on(cursor, work.place.cleared + cleared)
    return work.place.cleared


def _search(work: Work) -> int:
    for cursor, ids in _buried(work):
        with turn(work.workspace.pk):
            forget_words(work.workspace.pk, ids)
            forget(work.workspace.pk, ids)
            work.went_on(cursor, work.place.cleared + len(ids))
    with turn(work.workspace.pk):
        forget_owned(work.workspace.pk, _owners(work.erasure, whole=True))
    return work.place.cleared


def _wait_for_payloads(work: Work) -> None:
    """What was acknowledged before is applied first: what is cleared must be all that came of it."""
    waiting = InboxPayload.objects.filter(
        workspace=work.workspace,
        state=InboxPayload.State.RECEIVED,
        received_at__lte=work.erasure.begun_at,
    )
    if waiting.exists():
        raise PayloadsWaiting


def _answers(work: Work) -> int:
    _wait_for_payloads(work)
    erased = _erased_ids(work.erasure)
    ours = {int(pk) for pk, _, _ in work.erasure.owners}
    return clear_answers(
        work.erasure, work.repeated(), erased, ours, work.place.cursor, work.went_on
    )


def _erased_ids(erasure: Erasure) -> set[int]:
    rows = ErasedNode.objects.filter(erasure=erasure, node__isnull=False).order_by("pk")
    return {pk for pk in rows.values_list("node_id", flat=True) if pk is not None}


def _inbox(work: Work) -> int:
    """Destroy the bodies of payloads that hold something of it, or that nobody can read."""
    _wait_for_payloads(work)
    windows, repeated = work.windows(), work.repeated()
    known = Known(work.erasure)
    while True:
        rows = InboxPayload.objects.filter(
            workspace=work.workspace, body_gone_at=None, pk__gt=work.place.cursor
        )
        ids = list(rows.order_by("pk").values_list("pk", flat=True)[:_PAYLOADS])
        if not ids:
            return work.place.cleared
        held = {
            row.pk: known.is_held_by(row, body, windows, repeated)
            for row, body in bodies_of(work.workspace, ids)
        }
        holding = [pk for pk, is_held in held.items() if is_held is not False]
        hold.keep(work.erasure)
        destroy_bodies(holding)
        with transaction.atomic():
            work.went_on(ids[-1], work.place.cleared + len(holding))
            work.could_not_read(sum(is_held is None for is_held in held.values()))


def _notes(work: Work) -> int:
    return clear_notes(work.erasure, work.named(), work.place.cursor, work.went_on)


def _notices(work: Work) -> int:
    return clear_notices(work.erasure, _erased_ids(work.erasure))


def _evidence(work: Work) -> int:
    return clear_evidence(
        work.erasure, work.windows(), _erased_ids(work.erasure), work.could_not_read
    )


def _audit(work: Work) -> int:
    """Destroy details of the audit log that repeat it; and, where what describes it goes, that are about it."""
    said = work.named()
    buried = ErasedNode.objects.filter(erasure=work.erasure).order_by("pk")
    about = set(buried.values_list("uid", flat=True)) if work.erasure.describing else set()
    return work.place.cleared + erase_details_where(
        work.workspace,
        lambda uid, details: uid in about or any(map(said.spans, strings_of(details))),
        object_uid=work.erasure.case.uid,
    )


def _reports(work: Work) -> int:
    """Numbers that were prepared before: they are counted anew."""
    rows = KeptReport.objects.filter(workspace=work.workspace)
    count, _ = rows.delete()
    return count


def _graph(work: Work) -> int:
    """Write the erased nodes anew; the graph holds no text, and now no digest of it either."""
    ids = _erased_ids(work.erasure)
    project(work.workspace.pk, sorted(ids))
    project(work.workspace.pk)
    return len(ids)


def _external(work: Work) -> int:
    tell(work.place, names_of(work.erasure))
    return 0


def _probes(work: Work) -> int:
    found = Sought(work.windows(), work.repeated())
    return ask_all(work.erasure, found, _erased_ids(work.erasure), work.place.cursor, work.went_on)


# By name of lineage.erasure.ledger.PLACES; external targets are told by the last of them.
WORK: Final[dict[str, Callable[[Work], int]]] = {
    "key": _key,
    "blobs": _blobs,
    "records": _records,
    "search": _search,
    "answers": _answers,
    "inbox": _inbox,
    "notes": _notes,
    "notices": _notices,
    "evidence": _evidence,
    "audit": _audit,
    "reports": _reports,
    "graph": _graph,
    "files": clear_files,
    "probes": _probes,
    "external": _external,
}
