"""What was sent to an address, or is to be; and sending it again.

A delivery that is over is replayed as it is, with the same `webhook-id`: whoever has taken it
before knows it again.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from lineage import outbox
from lineage.models import WebhookDelivery
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import NotFound, Viewer
from lineage.webhooks import events
from lineage.webhooks.addresses import hook_of, require
from lineage.webhooks.errors import WebhookRefused
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

DELIVER_DUE: Final = "lineage.deliver_due"
_State = WebhookDelivery.State
STATES: Final = tuple(_State.values)


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """One event for one address. `about`: the uid of what it tells; `delivered_at`: when it was taken last,
    also where it is sent again or a replay was given up; `failure`: of the last attempt
    (lineage.webhooks.sending.FAILURES); `replays`: how often it was sent again by hand;
    `answers`: how many it names.
    """

    uid: str
    type: str
    state: str
    created_at: datetime
    delivered_at: datetime | None
    next_at: datetime | None
    attempts: int
    replays: int
    status: int | None
    failure: str
    about: str
    answers: int


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """`failed`: how many of all have been given up, whatever state was asked for."""

    items: tuple[DeliveryView, ...]
    next: str | None
    total: int
    failed: int


def deliveries(
    viewer: Viewer,
    uid: str,
    *,
    state: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> DeliveryPage:
    """What was sent to it, or is to be, newest first; in one state, or in all.

    Raises NotFound, ScopeMissing, CursorInvalid, WebhookRefused for a state that there is not.
    """
    require(viewer)
    every = WebhookDelivery.objects.filter(webhook=hook_of(viewer, uid))
    if state and state not in STATES:
        raise WebhookRefused("/state", _("A delivery is pending, delivered or failed."))
    mine = every.filter(state=state) if state else every
    size = bounded(limit)
    rows = list(mine.filter(before_id(cursor)).order_by("-id")[: size + 1])
    page = rows[:size]
    return DeliveryPage(
        items=tuple(_delivery(row) for row in page),
        next=write_cursor(page[-1].pk) if len(rows) > size else None,
        total=mine.count(),
        failed=every.filter(state=_State.FAILED).count(),
    )


def replay(viewer: Viewer, uid: str, delivery_uid: str) -> bool:
    """Send one delivery that is over again, with all its attempts; False where it is under way.

    Raises NotFound, ScopeMissing, WebhookRefused for an address that is switched off.
    """
    require(viewer)
    hook = hook_of(viewer, uid)
    delivery = WebhookDelivery.objects.filter(webhook=hook, uid=delivery_uid).first()
    if delivery is None:
        raise NotFound
    _require_on(hook.disabled_at)
    with transaction.atomic():
        over = WebhookDelivery.objects.filter(pk=delivery.pk).exclude(state=_State.PENDING)
        again = _again(over)
        if again:
            record("webhook.replayed", viewer, object_uid=uid, code="one")
            outbox.enqueue(events.DELIVER, delivery_id=delivery.pk, attempt=0)
    return bool(again)


def replay_failed(viewer: Viewer, uid: str) -> int:
    """Send all that was given up again, the oldest first, some at a time; how many there are.

    Raises NotFound, ScopeMissing, WebhookRefused for an address that is switched off.
    """
    require(viewer)
    hook = hook_of(viewer, uid)
    _require_on(hook.disabled_at)
    with transaction.atomic():
        given_up = WebhookDelivery.objects.filter(webhook=hook, state=_State.FAILED)
        again = _again(given_up)
        if again:
            record("webhook.replayed", viewer, object_uid=uid, code="failed")
            outbox.enqueue(DELIVER_DUE)
    return again


def _again(rows: QuerySet[WebhookDelivery]) -> int:
    return rows.update(
        state=_State.PENDING,
        attempts=0,
        replays=F("replays") + 1,
        next_at=clock.now(),
    )


def _require_on(disabled_at: datetime | None) -> None:
    if disabled_at is not None:
        raise WebhookRefused("", _("It is switched off."))


def _delivery(row: WebhookDelivery) -> DeliveryView:
    named = row.body.get("data", {}).get("answers")
    return DeliveryView(
        uid=row.uid,
        type=row.type,
        state=row.state,
        created_at=row.created_at,
        delivered_at=row.delivered_at,
        next_at=row.next_at,
        attempts=row.attempts,
        replays=row.replays,
        status=row.status,
        failure=row.failure,
        about=row.subject,
        answers=len(named) if isinstance(named, list) else 0,
    )
