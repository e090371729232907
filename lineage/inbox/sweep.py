"""Applies what was kept and not applied: its process died, a store was away, or it failed before."""

import time
from typing import Final

from django.conf import settings
from django.db.models import F

from lineage.formats.refusals import BodyRefused
from lineage.inbox.attempt import TRANSIENT, attempt, failed, quarantine
from lineage.inbox.keeping import LEASE, body_of
from lineage.inbox.result import Result
from lineage.models import InboxPayload
from provexplorer import clock

# Payloads and seconds of one run; the next run takes the others.
_PAYLOADS: Final = 200
_SECONDS: Final = 60.0
# Why a payload is set aside that no exception stopped: its process died each time, or its body is gone.
PROCESS_LOST: Final = "ProcessLost"
BODY_DESTROYED: Final = "BodyDestroyed"


def apply_waiting() -> int:
    """Apply the payloads whose time has come, the oldest first; returns how many were applied."""
    now, began, applied = clock.now(), time.monotonic(), 0
    due = InboxPayload.objects.filter(next_at__lte=now).order_by("id").select_related("workspace")
    for row in due[:_PAYLOADS]:
        if time.monotonic() - began > _SECONDS:
            break
        if row.attempts >= settings.INBOX_ATTEMPTS and row.next_at is not None:
            _give_up(row)
        elif _claim(row) and apply_claimed(row) is not None:
            applied += 1
    return applied


def apply_claimed(row: InboxPayload) -> Result | None:
    """Apply a payload that the caller has claimed; None where it was set aside or is tried later."""
    try:
        body = body_of(row.workspace, row.pk)
    except TRANSIENT as error:
        failed(row, error)
        return None
    if body is None:
        quarantine(row, BODY_DESTROYED)
        return None
    try:
        return attempt(row.workspace, row, body)
    except BodyRefused as refused:
        quarantine(row, refused.problem.slug, pointer=refused.problem.pointer)
        return None


def _claim(row: InboxPayload) -> bool:
    """Take the payload, unless another process was faster; counted before the work, which may kill."""
    taken = InboxPayload.objects.filter(pk=row.pk, state="received", next_at=row.next_at).update(
        next_at=clock.now() + LEASE, attempts=F("attempts") + 1
    )
    row.attempts += 1
    return bool(taken)


def _give_up(row: InboxPayload) -> None:
    """Every attempt ended without a word: whoever made it died of it."""
    if InboxPayload.objects.filter(pk=row.pk, next_at=row.next_at).exists():
        quarantine(row, row.failure or PROCESS_LOST)
