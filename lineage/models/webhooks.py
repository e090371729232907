"""Who is told what happens, and what they were told."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.models.incidents import Incident
from provexplorer.workspaces.models import Workspace


class Webhook(models.Model):
    """An address that is told what happens: of one incident, or in the whole workspace.

    Its secret lies in the content store, under a key of its own.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    incident = models.ForeignKey(
        Incident, null=True, on_delete=models.CASCADE, related_name="webhooks"
    )
    url = models.TextField()
    # Of lineage.webhooks.events.TYPES: what it has chosen to be told of.
    types = models.JSONField(default=list)
    owner_id = models.BigIntegerField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    # Since when nothing is sent to it: deliveries failed for good too often.
    disabled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "-id"], name="webhook_list")]


class WebhookDelivery(models.Model):
    """One event for one address: what is sent, how often it was tried, what came back."""

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"  # given up

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    # Sent as `webhook-id`: the same at each attempt.
    uid = models.CharField(max_length=30, unique=True)
    type = models.CharField(max_length=40)
    # The uid of what it is about.
    subject = models.CharField(max_length=30, blank=True)
    # Uids, numbers and codes; no text.
    body = models.JSONField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True)
    # When it may be tried; null: it is over. Put ahead while somebody tries.
    next_at = models.DateTimeField(null=True)
    attempts = models.SmallIntegerField(default=0)
    # How often it was sent again by hand, when it was over.
    replays = models.SmallIntegerField(default=0)
    # Of the last attempt: the HTTP status, or why there was none (lineage.webhooks.sending).
    status = models.SmallIntegerField(null=True)
    failure = models.CharField(max_length=24, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["webhook", "-id"], name="delivery_log"),
            models.Index(
                fields=["next_at"], condition=Q(next_at__isnull=False), name="delivery_due"
            ),
        ]
