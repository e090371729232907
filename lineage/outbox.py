"""Tasks that must run after a commit: a row written with the change, sent on commit, swept if that failed.

The broker carries hints; the row is the promise. A request never fails because the
broker is away, and a task may be sent more than once: every task is idempotent. What was sent
is not yet done: a broker that dies, or a connection that breaks with a message on its way, loses it.
So the row is kept until a worker says that the task is done, and sent again, each time later.
"""

import logging
from collections.abc import Collection
from datetime import timedelta
from functools import partial
from typing import Final

from celery import current_app
from django.db import transaction
from django.db.models import DateTimeField, F, Q, Value
from django.db.models.functions import Coalesce
from kombu.connection import Connection
from kombu.exceptions import OperationalError

from lineage import quarantine
from lineage.models import Quarantined, TaskOutbox
from provexplorer import clock

logger = logging.getLogger(__name__)

# A row younger than this is left to its own commit hook.
_GRACE: Final = timedelta(seconds=2)
# Within this time one message serves all who ask; it runs after twice the time.
_TOGETHER: Final = timedelta(seconds=5)
# How long sent rows are kept, to see what was sent when.
_KEPT: Final = timedelta(days=1)
# How long a worker has for a message before it is sent again; twice as long each time.
_PATIENCE: Final = timedelta(seconds=45)
_LONGEST_PATIENCE: Final = timedelta(hours=1)
# Further ahead than any task is put off.
_WRONG: Final = timedelta(hours=3)
# A task that was sent so often, over most of a day, fails for a cause that sending does not cure.
_MOST_SENDS: Final = 24
# The header by which a message names its row.
HEADER: Final = "outbox"
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


def done(row_id: int) -> None:
    """A worker has done the task: its row need not be sent again."""
    TaskOutbox.objects.filter(id=row_id, again_at__isnull=False).update(again_at=None)


def tries_again(row_id: int, *, seconds: float) -> None:
    """A worker will try the task again by itself after so many seconds: nobody else need send it."""
    later = clock.now() + timedelta(seconds=seconds) + _PATIENCE
    TaskOutbox.objects.filter(id=row_id, again_at__isnull=False).update(again_at=later)


def put_off(row_id: int) -> None:
    """A worker does not do the task now, for no fault of it: it is sent again as if it had not been."""
    later = clock.now() + _PATIENCE
    mine = TaskOutbox.objects.filter(id=row_id, again_at__isnull=False)
    mine.update(again_at=later, sends=F("sends") - 1)


def send_outbox() -> int:
    """Send what was committed and never sent, or sent and never done; returns how many were sent.

    Stops at a broker that is away.
    """
    now = clock.now()
    # Far in the future is what a clock wrote that is wrong.
    old = Q(created_at__lt=now - _GRACE) | Q(created_at__gt=now + _WRONG)
    due = Q(again_at__lte=now) | Q(again_at__gt=now + _WRONG)
    left = TaskOutbox.objects.filter(Q(old, sent_at__isnull=True) | due)
    sent = 0
    with _connection() as connection:
        for row in left.order_by("id")[:_SWEEP]:
            if row.sends >= _MOST_SENDS:
                quarantine.set_aside(Quarantined.Reason.UNDONE, name=row.name)
                done(row.id)
            elif _send(row, 0, connection):
                sent += 1
            else:
                break
    past = TaskOutbox.objects.filter(sent_at__lt=now - _KEPT, again_at__isnull=True)
    ids = list(past.order_by("id").values_list("id", flat=True)[:_SWEEP])
    TaskOutbox.objects.filter(id__in=ids).delete()
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
            row.name, kwargs=row.arguments, countdown=countdown, retry=False,
            headers={HEADER: row.id}, connection=connection,
        )  # fmt: skip
    except _BROKER_AWAY as error:
        logger.warning("broker away", extra={"task": row.name, "error": type(error).__name__})
        return False
    now = clock.now()
    patience = min(_PATIENCE * 2 ** min(row.sends, 10), _LONGEST_PATIENCE)
    TaskOutbox.objects.filter(id=row.id).update(
        sent_at=Coalesce("sent_at", Value(now, DateTimeField())),
        sends=F("sends") + 1,
        again_at=now + timedelta(seconds=countdown) + patience,
    )
    return True
