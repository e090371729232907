"""Sends payloads through again that were set aside or only partly applied."""

from typing import Final

from django.db import transaction

from lineage.inbox.keeping import LEASE
from lineage.inbox.sweep import apply_claimed
from lineage.models import InboxPayload
from lineage.outbox import enqueue
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

REPLAYABLE: Final = (InboxPayload.State.QUARANTINED, InboxPayload.State.PARTLY_APPLIED)
# Payloads that one request sets free.
_AT_ONCE: Final = 10_000


def replay(viewer: Viewer, uid: str) -> str:
    """Apply one payload again, now; the state that it has then.

    One that cannot be replayed (its body is destroyed, it is applied, it waits) stays as
    it is. Raises NotFound.
    """
    row = InboxPayload.objects.select_related("workspace").filter(
        workspace_id=viewer.workspace_id, uid=uid
    ).first()  # fmt: skip
    if row is None:
        raise NotFound
    mine = InboxPayload.objects.filter(pk=row.pk, state__in=REPLAYABLE, body_gone_at=None)
    with transaction.atomic():
        claimed = mine.update(
            state=InboxPayload.State.RECEIVED,
            attempts=1,
            next_at=clock.now() + LEASE,
            failure="",
        )
        if claimed:
            record("payload.replayed", viewer, object_uid=uid, code="one")
    if claimed:
        row.attempts, row.state = 1, InboxPayload.State.RECEIVED
        apply_claimed(row)
    return row.state


def replay_quarantined(viewer: Viewer) -> int:
    """Have every quarantined payload of the workspace applied again, soon; how many there are."""
    found = (
        InboxPayload.objects.filter(
            workspace_id=viewer.workspace_id, state="quarantined", body_gone_at=None
        )
        .order_by("id")
        .values("pk")[:_AT_ONCE]
    )
    waiting = InboxPayload.objects.filter(pk__in=list(found.values_list("pk", flat=True)))
    with transaction.atomic():
        freed = waiting.update(
            state=InboxPayload.State.RECEIVED, attempts=0, next_at=clock.now(), failure=""
        )
        if freed:
            record("payload.replayed", viewer, code="quarantined")
            enqueue("lineage.apply_inbox")
    return freed
