"""Messages that no worker should meet again: counted, set aside, never looked into."""

import hashlib
import logging
from datetime import timedelta
from typing import Final

from django.db import DatabaseError
from django.db.models import F

from lineage.models import Quarantined, TaskDelivery
from provexplorer import clock

logger = logging.getLogger(__name__)

# Workers that one message may take with it.
MOST_WORKERS_LOST: Final = 5
_KEPT: Final = timedelta(days=30)
_COUNTED_FOR: Final = timedelta(days=1)
_SWEEP: Final = 500


def set_aside(reason: Quarantined.Reason, *, name: str = "", message: bytes = b"") -> None:
    """Note that a message was taken off the queue. Never raises: the queue must go on."""
    logger.error("message set aside", extra={"problem": reason.value, "task": name})
    try:
        Quarantined.objects.create(
            reason=reason,
            name=name[:100],
            size=len(message),
            digest=hashlib.sha256(message).hexdigest() if message else "",
            at=clock.now(),
        )
    except DatabaseError as error:
        logger.warning("not noted", extra={"error": type(error).__name__})


def may_run_again(message_id: str, name: str) -> bool:
    """Whether a message that came back from a lost worker may be tried once more; counts it."""
    now = clock.now()
    TaskDelivery.objects.get_or_create(message_id=message_id[:64], defaults={"at": now})
    delivery = TaskDelivery.objects.filter(message_id=message_id[:64])
    delivery.update(times=F("times") + 1, at=now)
    if delivery.values_list("times", flat=True).get() < MOST_WORKERS_LOST:
        return True
    set_aside(Quarantined.Reason.WORKER_LOST, name=name)
    return False


def forget_old() -> None:
    """Let go of counts after a day and of what was set aside after thirty."""
    now = clock.now()
    counts = TaskDelivery.objects.filter(at__lt=now - _COUNTED_FOR).order_by("at")
    TaskDelivery.objects.filter(pk__in=list(counts.values_list("pk", flat=True)[:_SWEEP])).delete()
    rows = Quarantined.objects.filter(at__lt=now - _KEPT).order_by("at")
    Quarantined.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[:_SWEEP])).delete()


def set_aside_lately() -> int:
    """How many messages were set aside in the last day, up to 500."""
    lately = Quarantined.objects.filter(at__gte=clock.now() - timedelta(days=1)).order_by("at")
    return lately[:_SWEEP].count()
