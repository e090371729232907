"""Who is at work: a lease for what only one process may do, and the last sign of the workers."""

from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError
from django.db.models import Q

from lineage.models import SignOfLife, TaskOutbox
from provexplorer import clock

WORKER: Final = "worker"
BEAT: Final = "beat"
# After this the work of the queue counts as delayed: a worker signs every five seconds.
DELAYED_AFTER: Final = timedelta(seconds=60)


def lead(name: str, holder: str, *, lease: timedelta) -> bool:
    """Whether `holder` is the one that does `name`: it was, or whoever was has not signed for `lease`.

    A sign from the future is that of a clock that went wrong, and is not waited for.
    """
    now = clock.now()
    stale = Q(at__lte=now - lease) | Q(at__gt=now + lease)
    mine = SignOfLife.objects.filter(Q(holder=holder) | stale, name=name)
    if mine.update(holder=holder, at=now):
        return True
    if SignOfLife.objects.filter(name=name).exists():
        return False
    try:
        SignOfLife.objects.create(name=name, holder=holder, at=now)
    except IntegrityError:  # another was first
        return False
    return True


def give_up(name: str, holder: str) -> None:
    """Let another do `name` at once."""
    SignOfLife.objects.filter(name=name, holder=holder).delete()


def sign(name: str) -> None:
    """Say that `name` is at work."""
    SignOfLife.objects.update_or_create(name=name, defaults={"at": clock.now()})


def delayed() -> bool:
    """Whether tasks wait: no worker has signed for a minute, or one that was asked for was not sent.

    An installation in which no worker has ever signed is only just starting.
    """
    late = clock.now() - DELAYED_AFTER
    signed = SignOfLife.objects.filter(name=WORKER).values_list("at", flat=True).first()
    return _is_late(signed, late) or _is_late(_oldest_unsent(), late)


def _oldest_unsent() -> datetime | None:
    unsent = TaskOutbox.objects.filter(sent_at__isnull=True).order_by("id")
    return unsent.values_list("created_at", flat=True).first()


def _is_late(at: datetime | None, late: datetime) -> bool:
    return at is not None and at < late
