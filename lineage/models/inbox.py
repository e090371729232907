"""What was sent, kept before it is acknowledged, and what became of it."""

from django.db import models
from django.db.models import Q

from provexplorer.workspaces.models import ApiKey, Workspace


class InboxPayload(models.Model):
    """One request of ingestion. Its body lies in the content store, under a key of its own.

    Nothing here is text of the sender: what became of single items, keys included, is
    kept encrypted beside the body.
    """

    class State(models.TextChoices):
        RECEIVED = "received"  # committed, not yet applied
        APPLIED = "applied"
        PARTLY_APPLIED = "partly_applied"  # some items were refused
        QUARANTINED = "quarantined"  # applying failed for good, or nothing of it can be read

    # The instant of arrival with some random bits (lineage.inbox.keeping.new_id): known before
    # the row is written, since the body's key bears it, and in the order of arrival.
    id = models.BigIntegerField(primary_key=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    # A key of lineage.inbox.appliers.APPLIERS.
    format = models.CharField(max_length=16)
    media_type = models.CharField(max_length=200, blank=True)
    # Bytes of the body, unpacked.
    size = models.BigIntegerField()
    api_key = models.ForeignKey(ApiKey, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=16, choices=State.choices, default=State.RECEIVED)
    received_at = models.DateTimeField()
    applied_at = models.DateTimeField(null=True)
    # When the sweeper may take it; null: nothing is to be done with it.
    next_at = models.DateTimeField(null=True)
    attempts = models.SmallIntegerField(default=0)
    # Of the last failure: the class of the exception, or the slug of the problem.
    failure = models.CharField(max_length=100, blank=True)
    # Items as the format counts them (records, events, spans), and how many of them were …
    items = models.IntegerField(default=0)
    stored = models.IntegerField(default=0)
    unchanged = models.IntegerField(default=0)
    rejected = models.IntegerField(default=0)
    warned = models.IntegerField(default=0)
    # Why items were refused or warned of: [{"code", "pointer", "count", "refused"}], the most frequent first.
    reasons = models.JSONField(default=list)
    # Keyed hash of (API key, Idempotency-Key) while that holds, and of the body it came with.
    idempotency = models.CharField(max_length=26, blank=True)
    digest = models.CharField(max_length=26, blank=True)
    # Since when the body cannot be read any more.
    body_gone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "idempotency"],
                condition=~Q(idempotency=""),
                name="inbox_idempotency",
            )
        ]
        indexes = [
            models.Index(fields=["workspace", "state", "id"], name="inbox_by_state"),
            models.Index(
                fields=["next_at"], condition=Q(next_at__isnull=False), name="inbox_waiting"
            ),
            models.Index(
                fields=["state", "id"], condition=Q(body_gone_at__isnull=True), name="inbox_bodies"
            ),
        ]
