"""One attempt to apply a payload: whoever makes it has claimed the row before."""

import logging
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import F

from lineage.content.keys import MasterKeyError
from lineage.content.tombstones import repeats
from lineage.formats.refusals import BodyRefused
from lineage.inbox.appliers import APPLIERS
from lineage.inbox.holding import strings_in
from lineage.inbox.keeping import IN_PIECES, destroy_bodies, finish, payload_of
from lineage.inbox.result import Result
from lineage.models import InboxPayload
from lineage.traces.assembly import StillArriving
from lineage.types import GraphAway
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

logger = logging.getLogger(__name__)

# Not the payload's fault: tried again for as long as it lasts.
TRANSIENT: Final = (OperationalError, InterfaceError, GraphAway, MasterKeyError, StillArriving)
_AGAIN: Final = timedelta(seconds=30)
# After the first failure 10 s, then four times as long each time.
_BACKOFF: Final = timedelta(seconds=10)
_FAILURE: Final = 100
# Slug of the problem of what was erased before it was sent again.
ERASED: Final = "erased"


def attempt(workspace: Workspace, row: InboxPayload, body: bytes) -> Result | None:
    """Apply the payload and say in its row what became of it; None where applying failed.

    Raises BodyRefused, the row untouched, where the body as a whole is unusable.
    """
    try:
        result = APPLIERS[row.format](workspace, payload_of(row, body))
    except BodyRefused:
        raise
    except Exception as error:
        logger.warning(
            "payload not applied %s", row.uid, extra={"error": type(error).__name__}, exc_info=error
        )
        failed(row, error)
        return None
    row.state = finish(workspace, row, result)
    if _holds_erased(workspace, row, body, result):
        # What was refused for having been erased stays nowhere, here neither.
        destroy_bodies([row.pk])
    return result


def _holds_erased(workspace: Workspace, row: InboxPayload, body: bytes, result: Result) -> bool:
    """Whether something of it was refused, or (of a trace, whose records leave it out) stands in it."""
    if any(each.problem and each.problem.slug == ERASED for each in result.outcomes):
        return True
    return row.format in IN_PIECES and repeats(
        workspace, strings_in(row.format, body, row.media_type)
    )


def failed(row: InboxPayload, error: Exception) -> None:
    """Try again later, or not any more: after INBOX_ATTEMPTS failures of the payload's own."""
    now, mine = clock.now(), InboxPayload.objects.filter(pk=row.pk, state="received")
    name = type(error).__name__[:_FAILURE]
    if isinstance(error, TRANSIENT):
        mine.update(attempts=F("attempts") - 1, next_at=now + _AGAIN, failure=name)
    elif row.attempts >= settings.INBOX_ATTEMPTS:
        quarantine(row, name)
    else:
        later = now + _BACKOFF * 4 ** (row.attempts - 1)
        mine.update(next_at=later, failure=name)


def quarantine(row: InboxPayload, failure: str, *, pointer: str = "") -> None:
    """Set a payload aside until a person sends it again; `failure` is a class or a problem's slug."""
    reason = {"code": failure, "pointer": pointer, "count": 1, "refused": True}
    InboxPayload.objects.filter(pk=row.pk, state="received").update(
        state=InboxPayload.State.QUARANTINED, next_at=None, failure=failure, reasons=[reason]
    )
    row.state = InboxPayload.State.QUARANTINED
