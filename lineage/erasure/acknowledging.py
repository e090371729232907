"""A system outside has deleted its copies: its acknowledgement is taken, and the next page asked for."""

import hmac
import json
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F

from lineage import outbox
from lineage.content import apart
from lineage.erasure import external
from lineage.erasure.external import new_message, page_of
from lineage.erasure.named import names_of
from lineage.models import Case, Erasure, ErasurePlace
from lineage.webhooks.sending import signature
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit

# How far the clock of who acknowledges may be from ours.
_TOLERANCE: Final = timedelta(minutes=5)
_LARGEST_COUNT: Final = 10**12
# What reading an acknowledgement raises that is none. Of ValueError: what is no JSON, not ASCII.
_MISSHAPEN: Final = (
    ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError, RecursionError,
)  # fmt: skip


class NotSigned(Exception):
    """An acknowledgement that nobody with the target's secret has signed just now."""


def acknowledge(body: bytes, *, message_id: str, timestamp: str, signatures: str) -> str:
    """Take the acknowledgement of a system that has deleted its copies; the case's uid.

    The body: `{"erasure", "target", "page"?, "removed"?}`; signed as our message was, with its own
    id. Taken twice, it counts once; the first page where it names none. Where there are further pages the
    next one is sent, and the system has done with the last. Raises NotSigned for whatever is not exactly that: who
    has no secret learns nothing of what there is.
    """
    try:
        document = json.loads(body)
        sent_at = datetime.fromtimestamp(int(timestamp), tz=clock.now().tzinfo)
        target_uid, case_uid = str(document["target"]), str(document["erasure"])
        removed, page = int(document.get("removed") or 0), int(document.get("page") or 1)
        # Neither our messages nor our uids nor signatures have anything else; of it a comparison fails.
        for word in (target_uid, case_uid, message_id, signatures):
            word.encode("ascii")
    except _MISSHAPEN as error:
        raise NotSigned from error
    place = (
        ErasurePlace.objects.filter(
            target__uid=target_uid, erasure__case__uid=case_uid, target__removed_at=None
        )
        .select_related("target", "erasure__workspace", "erasure__case")
        .first()
    )
    if place is None or place.target is None or not 0 <= removed <= _LARGEST_COUNT:
        raise NotSigned
    secret = apart.secret_of(place.erasure.workspace, place.target.owner_id)
    if secret is None or abs(clock.now() - sent_at) > _TOLERANCE:
        raise NotSigned
    expected = signature(secret, message_id, int(timestamp), body)
    if not any(hmac.compare_digest(expected, one) for one in signatures.split()):
        raise NotSigned
    # One of a page that was taken before counts no more, and none once nobody waits for it.
    if page == page_of(place) and place.erasure.state == Erasure.State.RUNNING:
        _take(place, removed)
    return Case.objects.values_list("uid", flat=True).get(pk=place.erasure_id)


def _take(place: ErasurePlace, removed: int) -> None:
    """Have the row go on to its next page, or be done where this was the last one."""
    now, cursor = clock.now(), place.cursor + external.MOST_NAMED
    last = cursor >= len(names_of(place.erasure))
    changes: dict[str, Any] = {"state": ErasurePlace.State.DONE, "next_at": None, "done_at": now}
    if not last:
        changes = {
            "state": ErasurePlace.State.PENDING, "next_at": now, "attempts": 0,
            "cursor": cursor, "message": new_message(),
        }  # fmt: skip
    with transaction.atomic():
        mine = ErasurePlace.objects.filter(pk=place.pk, message=place.message)
        if not mine.exclude(state=ErasurePlace.State.DONE).update(
            cleared=F("cleared") + removed, error="", **changes
        ):
            return
        outbox.enqueue("lineage.erase_case", case_id=place.erasure_id)
        if last:
            audit.record(
                "erasure.acknowledged",
                None,
                workspace_id=place.erasure.workspace_id,
                object_uid=place.erasure.case.uid,
                code="external",
            )
