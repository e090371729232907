"""Tasks that must run after a commit: a row written with the change, sent on commit, swept if that failed.

The broker carries hints; the row is the promise. A request never fails because the
broker is away, and a task may be sent more than once: every task is idempotent.
"""

import logging
from collections.abc import Collection
from datetime import timedelta
from functools import partial
from typing import Final

from celery import current_app
from django.db import transaction
from django.db.models import Q
from kombu.connection import Connection
from kombu.exceptions import OperationalError

from lineage.models import TaskOutbox
from provexplorer import clock

logger = logging.getLogger(__name__)

# A row younger than this is left to its own commit hook.
_GRACE: Final = timedelta(seconds=2)
# Within this time one message serves all who ask; it runs after twice the time.
_TOGETHER: Final = timedelta(seconds=5)
# How long sent rows are kept, to see what was sent when.
_KEPT: Final = timedelta(days=1)
_SWEEP: Final = 500
# What kombu and its transports raise while the broker is away.
_BROKER_AWAY: Final = (OperationalError, OSError)


def enqueue(name: str, *, countdown: float = 0, **arguments: int | str) -> None:
    """Ask for a task, as part of the transaction at hand (or at once outside of one).

    `countdown` (seconds) delays it; `arguments` are ids and numbers, never text.
    """
    row = TaskOutbox.objects.create(name=name, arguments=arguments, created_at=clock.now())
    transaction.on_commit(partial(_send_now, row, countdown), robust=True)


def enqueue_soon(name: str, **arguments: int | str) -> None:
    """Ask for a task some seconds from now, once for all who ask within that time.

    For work that covers everything committed before it runs: whether a message that others
    asked for covers this transaction as well is only known once it has committed.
    """
    row = TaskOutbox.objects.create(name=name, arguments=arguments, created_at=clock.now())
    transaction.on_commit(partial(_send_together, row), robust=True)


def promise(name: str, **arguments: int | str) -> int:
    """Have a task sent only if its maker does not do the work first; the id of the promise.

    Part of the transaction at hand. Whoever dies or fails before `fulfil` leaves the row to
    the sweeper, which may also be early: the task is to be idempotent.
    """
    row = TaskOutbox.objects.create(name=name, arguments=arguments, created_at=clock.now())
    return row.pk


def fulfil(promises: Collection[int]) -> None:
    """Forget promises whose work is done."""
    TaskOutbox.objects.filter(id__in=promises, sent_at__isnull=True).delete()


def send_outbox() -> int:
    """Send what was committed but never sent; returns how many were sent. Stops at a broker that is away."""
    now = clock.now()
    left = TaskOutbox.objects.filter(sent_at__isnull=True, created_at__lt=now - _GRACE)
    sent = 0
    with _connection() as connection:
        for row in left.order_by("id")[:_SWEEP]:
            if not _send(row, 0, connection):
                break
            sent += 1
    old = TaskOutbox.objects.filter(sent_at__lt=now - _KEPT).order_by("id").values("id")[:_SWEEP]
    TaskOutbox.objects.filter(id__in=list(old.values_list("id", flat=True))).delete()
    return sent


def _connection() -> Connection:
    """A connection that gives up at once where nobody answers, instead of trying again for seconds."""
    connection: Connection = current_app.connection_for_write(transport_options={"max_retries": 0})
    return connection


def _send_now(row: TaskOutbox, countdown: float) -> None:
    with _connection() as connection:
        _send(row, countdown, connection)


def _send_together(row: TaskOutbox) -> None:
    """Send the row unless one that came before it is yet to run."""
    waiting = Q(sent_at__isnull=True) | Q(sent_at__gt=clock.now() - _TOGETHER)
    same = TaskOutbox.objects.filter(waiting, name=row.name, arguments=row.arguments)
    # Of two that see each other, one must stay.
    if same.filter(id__lt=row.id).exists():
        fulfil([row.id])
    else:
        _send_now(row, 2 * _TOGETHER.total_seconds())


def _send(row: TaskOutbox, countdown: float, connection: Connection) -> bool:
    """Hand one row to the broker; False while it is away."""
    try:
        current_app.send_task(
            row.name, kwargs=row.arguments, countdown=countdown, retry=False, connection=connection
        )
    except _BROKER_AWAY as error:
        logger.warning("broker away", extra={"task": row.name, "error": type(error).__name__})
        return False
    TaskOutbox.objects.filter(id=row.id, sent_at__isnull=True).update(sent_at=clock.now())
    return True
