"""Counts the numbers of a report that took too long for a page, step by step, and clears what is over.

Any worker may take it up: each step is written under the fence of the counting that was asked
for, so that one that was overtaken stops; each batch takes some seconds.
"""

import time
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F

from lineage.impact.affected import affected
from lineage.impact.numbers import STEPS, TASK
from lineage.impact.question import question_from_json
from lineage.impact.question_values import QuestionInvalid
from lineage.models import KeptReport
from lineage.outbox import enqueue
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Longer than any step of a million answers; the next worker may then try.
_LEASE: Final = timedelta(minutes=10)
# After so long the rest is left to a message of its own, so that others have their turn.
_SECONDS: Final = 20.0
_BATCH: Final = 500


def count(kept_id: int, fence: int) -> None:
    """Count what is missing of a kept report, for some seconds; asks to go on where more is left."""
    now = clock.now()
    row = KeptReport.objects.filter(pk=kept_id, fence=fence, finished_at__isnull=True).first()
    if row is None:
        return
    KeptReport.objects.filter(pk=kept_id, fence=fence).update(
        lease_until=now + _LEASE, attempts=F("attempts") + 1
    )
    viewer = _viewer(row)
    try:
        found = affected(viewer, question_from_json(row.question))
    except (NotFound, QuestionInvalid):
        # What it asked about is gone; the next who asks is told so.
        KeptReport.objects.filter(pk=kept_id, fence=fence).delete()
        return
    part: dict[str, Any] = dict(row.numbers["part"])
    steps = [name for name in STEPS if name in row.numbers["steps"] and name not in part]
    begun = time.monotonic()
    for place, name in enumerate(steps, 1):
        try:
            part[name] = STEPS[name](found)
        except BaseException:
            # Whoever looks next may ask again at once.
            KeptReport.objects.filter(pk=kept_id, fence=fence).update(lease_until=None)
            raise
        numbers = row.numbers | {"part": part}
        more = place < len(steps)
        if not more:
            at = row.asked_at.isoformat()
            numbers = {"whole": part, "at": at, "part": {}, "steps": row.numbers["steps"]}
        finished = None if more else clock.now()
        pausing = more and time.monotonic() - begun > _SECONDS
        with transaction.atomic():
            kept = KeptReport.objects.filter(pk=kept_id, fence=fence).update(
                numbers=numbers,
                finished_at=finished,
                lease_until=clock.now() + _LEASE if more else None,
                # Of the next step this is the first attempt.
                attempts=1 if more and not pausing else 0,
            )
            if kept and pausing:
                enqueue(TASK, kept_id=kept_id, fence=fence)
        if pausing or not kept:
            return


def clear() -> int:
    """Delete kept reports that nobody has looked at for a day, some at a time; how many went."""
    old = KeptReport.objects.filter(expires_at__lt=clock.now()).order_by("expires_at", "pk")
    ids = list(old.values_list("pk", flat=True)[:_BATCH])
    KeptReport.objects.filter(pk__in=ids).delete()
    return len(ids)


def _viewer(row: KeptReport) -> Viewer:
    """Whoever asked, as far as it decides what is counted."""
    workspace = Workspace.objects.get(pk=row.workspace_id)
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        groups=frozenset(row.groups),
        sees_all=row.sees_all,
        scopes=frozenset({"read"}),
        user_id=row.user_id,
        key_id=row.api_key_id,
    )
