"""Addresses outside that are told of incidents: made, shown, tried, switched on again, deleted.

An address is never changed: its secret would go to whoever is there now.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from lineage.identifiers import keyed_hash
from lineage.incidents import events, texts
from lineage.incidents.errors import IncidentRefused
from lineage.incidents.sending import AddressRefused, check_url, new_secret_words
from lineage.incidents.workflow import incident_of, require
from lineage.models import Webhook, WebhookDelivery
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import NotFound, Viewer
from provexplorer import clock

PREFIX: Final = "whk"
MOST: Final = 50
_SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class WebhookView:
    """An address that is told. `incident`: of which alone, None of all; `title` that incident's.

    `by_state`: its deliveries of the last 30 days.
    """

    uid: str
    url: str
    host: str
    incident: str | None
    title: str
    created_at: datetime
    disabled_at: datetime | None
    by_state: dict[str, int]


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """One event for one address. `failure`: of the last attempt, of lineage.incidents.sending."""

    uid: str
    type: str
    state: str
    created_at: datetime
    delivered_at: datetime | None
    next_at: datetime | None
    attempts: int
    status: int | None
    failure: str
    about: str


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    items: tuple[DeliveryView, ...]
    next: str | None
    total: int


def make(viewer: Viewer, *, url: str, incident: str = "") -> tuple[str, str]:
    """A new address: its uid and its secret, which nothing can give again.

    Raises ScopeMissing, IncidentRefused, NotFound for an incident that is unknown here.
    """
    require(viewer)
    about = incident_of(viewer, incident) if incident else None
    url = url.strip()
    try:
        check_url(url)
    except AddressRefused as error:
        raise IncidentRefused(
            "/url", _("An https address of a public host, without user, port or fragment.")
        ) from error
    mine = Webhook.objects.filter(workspace_id=viewer.workspace_id)
    if mine.count() >= MOST:
        raise IncidentRefused("/url", _("At most %(most)d webhooks.") % {"most": MOST})
    secret, owner_id = secrets.token_bytes(_SECRET_BYTES), texts.new_owner()
    try:
        with transaction.atomic():
            hook = Webhook.objects.create(
                workspace_id=viewer.workspace_id,
                uid=f"{PREFIX}_{keyed_hash(viewer.hash_key, PREFIX, secrets.token_hex(16))}",
                incident=about,
                url=url,
                owner_id=owner_id,
                created_at=clock.now(),
                created_by_id=viewer.user_id,
            )
            texts.keep_secret(viewer, owner_id, secret)
    except BaseException:
        texts.destroy([owner_id])
        raise
    return hook.uid, new_secret_words(secret)


def webhooks(viewer: Viewer, *, incident: str = "") -> tuple[WebhookView, ...]:
    """The addresses of the workspace, or those that are told of one incident; newest first."""
    require(viewer)
    mine = Webhook.objects.filter(workspace_id=viewer.workspace_id)
    if incident:
        about = incident_of(viewer, incident)
        mine = mine.filter(Q(incident=about) | Q(incident__isnull=True))
    rows = list(mine.select_related("incident").order_by("-id")[:MOST])
    return _views(rows)


def webhook(viewer: Viewer, uid: str) -> WebhookView:
    """One address. Raises NotFound, ScopeMissing."""
    require(viewer)
    return _views([_hook(viewer, uid)])[0]


def deliveries(
    viewer: Viewer, uid: str, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> DeliveryPage:
    """What was sent to it, or is to be, newest first. Raises NotFound, ScopeMissing, CursorInvalid."""
    require(viewer)
    mine = WebhookDelivery.objects.filter(webhook=_hook(viewer, uid))
    size = bounded(limit)
    rows = list(mine.filter(before_id(cursor)).order_by("-id")[: size + 1])
    page = rows[:size]
    return DeliveryPage(
        items=tuple(_delivery(row) for row in page),
        next=write_cursor(page[-1].pk) if len(rows) > size else None,
        total=mine.count(),
    )


def test(viewer: Viewer, uid: str) -> str:
    """Send an event that means nothing; its uid. Raises NotFound, ScopeMissing, IncidentRefused."""
    require(viewer)
    hook = _hook(viewer, uid)
    if hook.disabled_at is not None:
        raise IncidentRefused("", _("It is switched off."))
    with transaction.atomic():
        return events.put(hook, events.TEST, {"webhook": hook.uid}).uid


def switch_on(viewer: Viewer, uid: str) -> None:
    """Send to it again, what happens from now on; what was given up is not made up for."""
    require(viewer)
    Webhook.objects.filter(pk=_hook(viewer, uid).pk).update(disabled_at=None)


def delete(viewer: Viewer, uid: str) -> None:
    """Delete it with its log; its secret is destroyed. Raises NotFound, ScopeMissing."""
    require(viewer)
    hook = _hook(viewer, uid)
    Webhook.objects.filter(pk=hook.pk).delete()
    texts.destroy([hook.owner_id])


def _hook(viewer: Viewer, uid: str) -> Webhook:
    found = (
        Webhook.objects.filter(workspace_id=viewer.workspace_id, uid=uid)
        .select_related("incident")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def _views(rows: Collection[Webhook]) -> tuple[WebhookView, ...]:
    counted = (
        WebhookDelivery.objects.filter(webhook__in=rows)
        .order_by("webhook_id", "state")
        .values_list("webhook_id", "state")
        .annotate(number=Count("id"))
    )
    by_state: dict[int, dict[str, int]] = {}
    for webhook_id, state, number in counted:
        by_state.setdefault(webhook_id, {})[state] = number
    return tuple(
        WebhookView(
            uid=row.uid,
            url=row.url,
            host=urlsplit(row.url).netloc,
            incident=row.incident.uid if row.incident else None,
            title=row.incident.title if row.incident else "",
            created_at=row.created_at,
            disabled_at=row.disabled_at,
            by_state=dict.fromkeys(WebhookDelivery.State.values, 0) | by_state.get(row.pk, {}),
        )
        for row in rows
    )


def _delivery(row: WebhookDelivery) -> DeliveryView:
    return DeliveryView(
        uid=row.uid,
        type=row.type,
        state=row.state,
        created_at=row.created_at,
        delivered_at=row.delivered_at,
        next_at=row.next_at,
        attempts=row.attempts,
        status=row.status,
        failure=row.failure,
        about=str(row.body.get("data", {}).get("incident", "")),
    )
