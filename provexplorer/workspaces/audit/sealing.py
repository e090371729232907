"""Seals what was committed: gives every waiting entry its place in the workspace's chain.

The order is that of sealing, so that a transaction that commits late comes later and takes
nobody's place. The head of the chain moves by a conditional update in the transaction that
writes the seal: of two sealers at once one seals, and who dies has sealed nothing.
"""

from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from citations.exports.signing import signing_key
from provexplorer import clock
from provexplorer.workspaces.audit import chain
from provexplorer.workspaces.audit.models import (
    AuditEntry,
    AuditHead,
    AuditPlace,
    AuditSeal,
    AuditWaiting,
)

# Entries that one seal closes, and seals of a pass in one workspace.
MOST: Final = 1_000
_SEALS: Final = 50
_MOST_WORKSPACES: Final = 1_000


def seal() -> int:
    """Seal what waits, in every workspace; how many entries."""
    waiting = AuditWaiting.objects.order_by("workspace_id").values_list("workspace_id", flat=True)
    sealed = 0
    for workspace_id in list(waiting.distinct()[:_MOST_WORKSPACES]):
        for _ in range(_SEALS):
            number = seal_some(workspace_id)
            if not number:
                break
            sealed += number
    return sealed


def seal_some(workspace_id: int) -> int:
    """Close the next waiting entries of a workspace under one seal; how many, 0 where another was faster."""
    head, _ = AuditHead.objects.get_or_create(
        workspace_id=workspace_id, defaults={"chain": chain.START, "hash": chain.START}
    )
    try:
        with transaction.atomic():
            return _seal(head)
    except IntegrityError:
        return 0


def _seal(head: AuditHead) -> int:
    # What waits and is not there any more goes on waiting: that it was there is all that is left of it.
    there = Exists(AuditEntry.objects.filter(pk=OuterRef("entry_id")))
    waiting = AuditWaiting.objects.filter(there, workspace_id=head.workspace_id)
    ids = list(waiting.order_by("entry_id").values_list("entry_id", flat=True)[:MOST])
    entries = list(AuditEntry.objects.filter(pk__in=ids).order_by("pk"))
    if not entries:
        return 0
    places, before = [], head.chain
    for sequence, entry in enumerate(entries, start=head.sequence + 1):
        before = chain.link(before, chain.entry_line(entry, sequence))
        places.append(
            AuditPlace(
                entry_id=entry.pk, workspace_id=head.workspace_id, sequence=sequence, hash=before
            )
        )
    seal = AuditSeal(
        workspace_id=head.workspace_id,
        number=head.number + 1,
        first=head.sequence + 1,
        last=head.sequence + len(entries),
        at=clock.now(),
        chain=before,
    )
    seal.hash = chain.link(head.hash, chain.seal_line(seal))
    seal.signature = signing_key().sign(seal.hash.encode("ascii")).hex()
    moved = AuditHead.objects.filter(pk=head.pk, number=head.number).update(
        number=seal.number, sequence=seal.last, chain=seal.chain, hash=seal.hash
    )
    if not moved:
        return 0
    AuditPlace.objects.bulk_create(places)
    seal.save(force_insert=True)
    AuditWaiting.objects.filter(entry_id__in=ids).delete()
    return len(entries)
