"""What addresses outside are told: a delivery per event and webhook, in the transaction of the change.

Types and bodies are published as JSON Schemas in docs/webhooks. A body holds uids, numbers
and codes: whoever may know more asks the API.
"""

import secrets
from collections.abc import Mapping
from typing import Final

from django.db.models import Q

from lineage import outbox
from lineage.formats.times import written
from lineage.identifiers import keyed_hash
from lineage.models import Incident, Webhook, WebhookDelivery
from lineage.types import JsonValue
from provexplorer import clock

OPENED: Final = "incident.opened"
CHANGED: Final = "incident.changed"
NEW_ANSWERS: Final = "incident.new_answers"
TEST: Final = "webhook.test"
TYPES: Final = (OPENED, CHANGED, NEW_ANSWERS, TEST)
# Answers that one event names; `new` counts them all.
MOST_NAMED: Final = 100
PREFIX: Final = "evt"
DELIVER: Final = "lineage.deliver_webhook"


def tell(incident: Incident, type_: str, **more: JsonValue) -> int:
    """Tell every webhook of the incident and of its workspace; how many there are."""
    data: dict[str, JsonValue] = {
        "incident": incident.uid,
        "address": f"/incidents/{incident.uid}",
        "state": incident.state,
        **more,
    }
    hooks = Webhook.objects.filter(
        Q(incident=incident) | Q(incident__isnull=True),
        workspace_id=incident.workspace_id,
        disabled_at__isnull=True,
    ).order_by("pk")
    told = list(hooks)
    for hook in told:
        put(hook, type_, data)
    return len(told)


def put(hook: Webhook, type_: str, data: Mapping[str, JsonValue]) -> WebhookDelivery:
    """One delivery, asked for as part of the transaction at hand."""
    now = clock.now()
    uid = f"{PREFIX}_{keyed_hash(secrets.token_bytes(32), 'event')}"
    delivery = WebhookDelivery.objects.create(
        webhook=hook,
        uid=uid,
        type=type_,
        body={"type": type_, "timestamp": written(now), "data": dict(data)},
        created_at=now,
        next_at=now,
    )
    outbox.enqueue(DELIVER, delivery_id=delivery.pk, attempt=0)
    return delivery
