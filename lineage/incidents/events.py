"""What addresses outside are told of an incident, in the transaction of the change."""

from typing import Final

from lineage.models import Incident
from lineage.types import JsonValue
from lineage.webhooks import events

OPENED: Final = "incident.opened"
CHANGED: Final = "incident.changed"
NEW_ANSWERS: Final = "incident.new_answers"
# Answers that one event names; `new` counts them all.
MOST_NAMED: Final = 100


def tell(incident: Incident, type_: str, **more: JsonValue) -> int:
    """Tell the webhooks of the incident and of its workspace; how many there are."""
    data: dict[str, JsonValue] = {
        "incident": incident.uid,
        "address": f"/incidents/{incident.uid}",
        "state": incident.state,
        **more,
    }
    return events.tell(incident.workspace_id, type_, incident.uid, data, incident_id=incident.pk)
