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
from lineage.models import Webhook, WebhookDelivery
from lineage.types import JsonValue
from provexplorer import clock

# What an address may choose, in the order in which it is shown.
TYPES: Final = (
    "answer.stale",
    "answer.review",
    "answer.restored",
    "answer.regenerated",
    "case.ready",
    "case.approved",
    "case.verified",
    "case.incomplete",
    "case.reinstated",
    "incident.opened",
    "incident.changed",
    "incident.new_answers",
)
OF_INCIDENTS: Final = tuple(each for each in TYPES if each.startswith("incident."))
# Asked for by hand, for one address, whatever it has chosen.
TEST: Final = "webhook.test"
PREFIX: Final = "evt"
DELIVER: Final = "lineage.deliver_webhook"


def tell(
    workspace_id: int,
    type_: str,
    subject_uid: str,
    data: Mapping[str, JsonValue],
    *,
    incident_id: int | None = None,
) -> int:
    """Tell every webhook of the workspace that has chosen the type; how many there are.

    Part of the transaction at hand: what is rolled back is not told, what is committed is,
    whatever dies afterwards. `subject_uid`: what it is about. `data`: uids, numbers and codes
    alone, as the type's schema has them. `incident_id`: of that incident, for the webhooks that
    are told of it alone. Raises ValueError for a type that nobody can choose.
    """
    if type_ not in TYPES:
        message = f"{type_} is not an event that an address can choose"
        raise ValueError(message)
    hooks = Webhook.objects.filter(
        Q(incident__isnull=True) | Q(incident_id=incident_id),
        workspace_id=workspace_id,
        disabled_at__isnull=True,
    ).order_by("pk")
    told = [hook for hook in hooks if type_ in hook.types]
    for hook in told:
        put(hook, type_, subject_uid, data)
    return len(told)


def put(
    hook: Webhook, type_: str, subject_uid: str, data: Mapping[str, JsonValue]
) -> WebhookDelivery:
    """One delivery, asked for as part of the transaction at hand."""
    now = clock.now()
    uid = f"{PREFIX}_{keyed_hash(secrets.token_bytes(32), 'event')}"
    delivery = WebhookDelivery.objects.create(
        webhook=hook,
        uid=uid,
        type=type_,
        subject=subject_uid,
        body={"type": type_, "timestamp": written(now), "data": dict(data)},
        created_at=now,
        next_at=now,
    )
    outbox.enqueue(DELIVER, delivery_id=delivery.pk, attempt=0)
    return delivery
