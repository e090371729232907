"""Addresses outside that are told what happens: made, shown, changed, tried, switched on again, deleted.

An address is never changed: its secret would go to whoever is there now. What it is told of may be.
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

from lineage.cases.errors import ScopeMissing
from lineage.content import apart
from lineage.identifiers import keyed_hash
from lineage.models import Incident, Webhook, WebhookDelivery
from lineage.types import NotFound, Viewer
from lineage.webhooks import events
from lineage.webhooks.errors import WebhookRefused
from lineage.webhooks.sending import AddressRefused, check_url, new_secret_words
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

PREFIX: Final = "whk"
MOST: Final = 50
_SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class WebhookView:
    """An address that is told. `incident`: of which alone, None of the workspace; `title` that incident's.

    `types`: the events it has chosen, in the order of `events.TYPES`; `by_state`: its deliveries
    of the last 30 days.
    """

    uid: str
    url: str
    host: str
    incident: str | None
    title: str
    types: tuple[str, ...]
    created_at: datetime
    disabled_at: datetime | None
    by_state: dict[str, int]


def make(
    viewer: Viewer, *, url: str, incident: str = "", types: Collection[str] | None = None
) -> tuple[str, str]:
    """A new address: its uid and its secret, which nothing can give again.

    `types`: the events that it is told; None: all that there are, of an incident all of its.
    Raises ScopeMissing, WebhookRefused, NotFound for an incident that is unknown here.
    """
    require(viewer)
    about = _incident(viewer, incident) if incident else None
    url = url.strip()
    try:
        check_url(url)
    except AddressRefused as error:
        raise WebhookRefused(
            "/url", _("An https address of a public host, without user, port or fragment.")
        ) from error
    chosen = _chosen(types, events.TYPES if about is None else events.OF_INCIDENTS)
    mine = Webhook.objects.filter(workspace_id=viewer.workspace_id)
    if mine.count() >= MOST:
        raise WebhookRefused("/url", _("At most %(most)d webhooks.") % {"most": MOST})
    secret, owner_id = secrets.token_bytes(_SECRET_BYTES), apart.new_owner()
    try:
        with transaction.atomic():
            hook = Webhook.objects.create(
                workspace_id=viewer.workspace_id,
                uid=f"{PREFIX}_{keyed_hash(viewer.hash_key, PREFIX, secrets.token_hex(16))}",
                incident=about,
                url=url,
                types=chosen,
                owner_id=owner_id,
                created_at=clock.now(),
                created_by_id=viewer.user_id,
            )
            apart.keep_secret(viewer, owner_id, secret)
            record("webhook.made", viewer, object_uid=hook.uid, details={"url": url, "events": chosen})  # fmt: skip
    except BaseException:
        apart.destroy([owner_id])
        raise
    return hook.uid, new_secret_words(secret)


def webhooks(viewer: Viewer, *, incident: str = "") -> tuple[WebhookView, ...]:
    """The addresses of the workspace, or those that are told of one incident; newest first."""
    require(viewer)
    mine = Webhook.objects.filter(workspace_id=viewer.workspace_id)
    if incident:
        about = _incident(viewer, incident)
        mine = mine.filter(Q(incident=about) | Q(incident__isnull=True))
    rows = list(mine.select_related("incident").order_by("-id")[:MOST])
    if incident:
        # Of the workspace's, those that have chosen something of incidents.
        rows = [row for row in rows if not set(events.OF_INCIDENTS).isdisjoint(row.types)]
    return _views(rows)


def webhook(viewer: Viewer, uid: str) -> WebhookView:
    """One address. Raises NotFound, ScopeMissing."""
    require(viewer)
    return _views([hook_of(viewer, uid)])[0]


def choose(viewer: Viewer, uid: str, types: Collection[str]) -> None:
    """Tell it of these events from now on. Raises NotFound, ScopeMissing, WebhookRefused."""
    require(viewer)
    hook = hook_of(viewer, uid)
    among = events.TYPES if hook.incident_id is None else events.OF_INCIDENTS
    chosen = _chosen(types, among)
    if chosen == hook.types:
        return
    with transaction.atomic():
        Webhook.objects.filter(pk=hook.pk).update(types=chosen)
        record("webhook.changed", viewer, object_uid=uid, details={"events": chosen})


def test(viewer: Viewer, uid: str) -> str:
    """Send an event that means nothing; its uid. Raises NotFound, ScopeMissing, WebhookRefused."""
    require(viewer)
    hook = hook_of(viewer, uid)
    if hook.disabled_at is not None:
        raise WebhookRefused("", _("It is switched off."))
    with transaction.atomic():
        record("webhook.tested", viewer, object_uid=uid)
        return events.put(hook, events.TEST, hook.uid, {"webhook": hook.uid}).uid


def switch_on(viewer: Viewer, uid: str) -> None:
    """Send to it again, what happens from now on; what was given up is replayed by hand."""
    require(viewer)
    off = Webhook.objects.filter(pk=hook_of(viewer, uid).pk, disabled_at__isnull=False)
    with transaction.atomic():
        if off.update(disabled_at=None):
            record("webhook.switched_on", viewer, object_uid=uid)


def delete(viewer: Viewer, uid: str) -> None:
    """Delete it with its log; its secret is destroyed. Raises NotFound, ScopeMissing."""
    require(viewer)
    hook = hook_of(viewer, uid)
    with transaction.atomic():
        if Webhook.objects.filter(pk=hook.pk).delete()[0]:
            record("webhook.deleted", viewer, object_uid=uid)
    apart.destroy([hook.owner_id])


def hook_of(viewer: Viewer, uid: str) -> Webhook:
    """The webhook with this uid in the viewer's workspace. Raises NotFound."""
    found = (
        Webhook.objects.filter(workspace_id=viewer.workspace_id, uid=uid)
        .select_related("incident")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def require(viewer: Viewer) -> None:
    """Let through whoever may see and change who is told. Raises ScopeMissing."""
    if "operate" not in viewer.scopes:
        raise ScopeMissing("operate")


def _incident(viewer: Viewer, uid: str) -> Incident:
    found = Incident.objects.filter(workspace_id=viewer.workspace_id, uid=uid).first()
    if found is None:
        raise NotFound
    return found


def _chosen(types: Collection[str] | None, among: tuple[str, ...]) -> list[str]:
    """The events in the order of `among`. Raises WebhookRefused for none, and for one that is not among them."""
    if types is None:
        return list(among)
    unknown = sorted(set(types) - set(among))
    if unknown:
        said = _("There is no event %(type)s to be told of here.") % {"type": unknown[0][:40]}
        raise WebhookRefused("/events", said)
    if not types:
        raise WebhookRefused("/events", _("Choose at least one event."))
    return [each for each in among if each in types]


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
            types=tuple(each for each in events.TYPES if each in row.types),
            created_at=row.created_at,
            disabled_at=row.disabled_at,
            by_state=dict.fromkeys(WebhookDelivery.State.values, 0) | by_state.get(row.pk, {}),
        )
        for row in rows
    )
