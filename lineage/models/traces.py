"""Which payloads hold spans of which trace: traces arrive in pieces and are put together again."""

from django.db import models

from lineage.models.inbox import InboxPayload
from provexplorer.workspaces.models import Workspace


class TraceHome(models.Model):
    """A trace, and the payload under whose origin its records stand: the first that was seen of it."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    # Keyed hash of the trace id: ids are clients' keys.
    trace = models.CharField(max_length=26)
    # Traces of one payload are derived together, and so share its origin.
    home = models.ForeignKey(InboxPayload, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "trace"], name="one_trace")]


class TracePayload(models.Model):
    """A payload that holds spans of a trace."""

    trace = models.ForeignKey(
        TraceHome, on_delete=models.CASCADE, related_name="payloads", db_index=False
    )
    payload = models.ForeignKey(InboxPayload, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trace", "payload"], name="one_payload_of_a_trace")
        ]
