"""What operators have decided about keys that records name and nobody has sent."""

from django.conf import settings
from django.db import models

from provexplorer.workspaces.models import Workspace


class Alias(models.Model):
    """The key that a missing key stands for, as an operator has said.

    Consulted by each reference that finds nothing under its own key, now and whenever it
    binds again; kept when it ends, so that what was decided stays on record.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    kind = models.CharField(max_length=16)
    # The missing key as it was named; the namespace of lineage.ingest.placeholders.ANY_NAMESPACE: any.
    namespace = models.TextField()
    key = models.TextField()
    # What references to it are found by: Reference.address, or Reference.anywhere where any namespace was meant.
    named = models.CharField(max_length=30)
    # The uid of the placeholder that it was and becomes again when this ends.
    placeholder_uid = models.CharField(max_length=30)
    target_namespace = models.TextField()
    target_key = models.TextField()
    target_address = models.CharField(max_length=30)
    # One of several revisions of the key meant; empty: whichever a reference would mean by its time.
    target_digest = models.CharField(max_length=80, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField()
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "named"],
                condition=models.Q(ended_at__isnull=True),
                name="one_meaning_per_key",
            )
        ]
        indexes = [
            models.Index(fields=["workspace", "named"], name="alias_named"),
            models.Index(fields=["workspace", "target_address"], name="alias_target"),
        ]


class RejectedMatch(models.Model):
    """A key that a missing key does not stand for; not suggested again."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    placeholder_uid = models.CharField(max_length=30)
    target_address = models.CharField(max_length=30)
    rejected_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    rejected_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "placeholder_uid", "target_address"], name="one_rejection"
            )
        ]
