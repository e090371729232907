"""How long payloads are kept: their bodies for some days, their rows for some months."""

import time
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Q

from lineage.inbox.keeping import IN_PIECES, NEEDED_FOR, destroy_bodies, discard, first_id
from lineage.models import InboxPayload
from provexplorer import clock

_BATCH: Final = 500
# Seconds of one run; the next run goes on.
_SECONDS: Final = 30.0


def clear() -> tuple[int, int]:
    """Destroy bodies and delete rows whose time is over; how many of each.

    A body goes when all of it was applied and INBOX_BODY_DAYS are over (while its answer is
    owed again, or more of its trace may come, a day at least); what was refused in part or set aside
    keeps it until its row goes, after INBOX_ROW_DAYS. What waits is never deleted.
    """
    began, now = time.monotonic(), clock.now()
    over = first_id(now - timedelta(days=settings.INBOX_BODY_DAYS))
    needed = ~Q(idempotency="") | Q(format__in=IN_PIECES)
    unneeded = ~needed | Q(id__lt=first_id(now - NEEDED_FOR))
    applied = Q(state=InboxPayload.State.APPLIED, body_gone_at=None, id__lt=over) & unneeded
    old = Q(id__lt=first_id(now - timedelta(days=settings.INBOX_ROW_DAYS)))
    ended = old & ~Q(state=InboxPayload.State.RECEIVED)
    bodies = rows = 0
    while time.monotonic() - began < _SECONDS and (found := _some(applied)):
        destroy_bodies(found)
        bodies += len(found)
    while time.monotonic() - began < _SECONDS and (found := _some(ended)):
        discard(found)
        rows += len(found)
    return bodies, rows


def _some(which: Q) -> list[int]:
    rows = InboxPayload.objects.filter(which).order_by("id")
    return list(rows.values_list("pk", flat=True)[:_BATCH])
