"""Sends what is to be told, again and again until it is taken or given up.

The row says what must happen; messages of the broker only hint. An attempt is claimed by its
number, in one conditional update: of two workers with the same message one sends. A worker
that dies leaves the row due again after its lease.
"""

import json
import random
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from lineage import outbox
from lineage.content import apart
from lineage.models import Webhook, WebhookDelivery
from lineage.webhooks import events
from lineage.webhooks.sending import Sent, send
from provexplorer import clock

# After the first attempt, the second, …: about a day in all, then it is given up.
DELAYS: Final = tuple(timedelta(seconds=s) for s in (15, 60, 300, 1_800, 7_200, 18_000, 28_800, 28_800))  # fmt: skip
# So that what failed together does not come back together.
_JITTER: Final = 0.2
# Longer than an attempt may take.
_LEASE: Final = timedelta(seconds=60)
_GONE: Final = 410
_DUE: Final = 200
# How long the log is kept.
KEPT: Final = timedelta(days=30)
_OLD: Final = 500

_State = WebhookDelivery.State


def deliver(delivery_id: int, attempt: int) -> None:
    """Make one attempt, the one after `attempt` others; does nothing where it was made already."""
    now = clock.now()
    mine = WebhookDelivery.objects.filter(pk=delivery_id, state=_State.PENDING, attempts=attempt)
    if not mine.update(attempts=attempt + 1, next_at=now + _LEASE):
        return
    delivery = WebhookDelivery.objects.select_related("webhook__workspace").get(pk=delivery_id)
    hook = delivery.webhook
    secret = apart.secret_of(hook.workspace, hook.owner_id)
    if hook.disabled_at is not None or secret is None:
        _over(delivery, _State.FAILED, Sent(None, "switched_off"))
        return
    body = json.dumps(delivery.body, separators=(",", ":")).encode("ascii")
    sent = send(
        hook.url,
        message_id=delivery.uid,
        timestamp=int(now.timestamp()),
        body=body,
        secret=secret,
    )
    if not sent.failure:
        _over(delivery, _State.DELIVERED, sent)
    elif sent.status == _GONE:
        # The other side says that it wants nothing any more.
        _over(delivery, _State.FAILED, sent)
        Webhook.objects.filter(pk=hook.pk, disabled_at=None).update(disabled_at=clock.now())
    elif delivery.attempts > len(DELAYS):
        _over(delivery, _State.FAILED, sent)
        _switch_off_if_dead(delivery)
    else:
        _again(delivery, sent)


def deliver_due() -> int:
    """Ask for the attempts whose time has come, and clear the log of what is old; how many were asked for."""
    now = clock.now()
    due = WebhookDelivery.objects.filter(next_at__lte=now).order_by("next_at", "pk")
    asked = 0
    for pk, attempts in list(due.values_list("pk", "attempts")[:_DUE]):
        with transaction.atomic():
            here = WebhookDelivery.objects.filter(pk=pk, attempts=attempts, next_at__lte=now)
            # Not asked for again while the message is on its way.
            if here.update(next_at=now + _LEASE):
                outbox.enqueue(events.DELIVER, delivery_id=pk, attempt=attempts)
                asked += 1
    old = WebhookDelivery.objects.filter(created_at__lt=now - KEPT, next_at=None).order_by("pk")
    ids = list(old.values_list("pk", flat=True)[:_OLD])
    WebhookDelivery.objects.filter(pk__in=ids).delete()
    return asked


def _over(delivery: WebhookDelivery, state: str, sent: Sent) -> None:
    # One that is given up may have been taken before it was sent again.
    taken = {"delivered_at": clock.now()} if state == _State.DELIVERED else {}
    _mine(delivery).update(
        state=state, next_at=None, status=sent.status, failure=sent.failure, **taken
    )


def _again(delivery: WebhookDelivery, sent: Sent) -> None:
    delay = DELAYS[delivery.attempts - 1]
    spread = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - no secret
    _mine(delivery).update(
        status=sent.status, failure=sent.failure, next_at=clock.now() + delay * spread
    )


def _mine(delivery: WebhookDelivery) -> QuerySet[WebhookDelivery]:
    """The delivery, as long as nobody has begun another attempt."""
    return WebhookDelivery.objects.filter(
        pk=delivery.pk, state=_State.PENDING, attempts=delivery.attempts
    )


def _switch_off_if_dead(delivery: WebhookDelivery) -> None:
    """Send nothing more to an address that took nothing else from this delivery's beginning to its end."""
    taken = WebhookDelivery.objects.filter(
        webhook=OuterRef("pk"), delivered_at__gte=delivery.created_at
    ).exclude(pk=delivery.pk)
    Webhook.objects.filter(~Exists(taken), pk=delivery.webhook_id, disabled_at=None).update(
        disabled_at=clock.now()
    )
