"""What impact keeps beside the closure: sets of nodes to ask about, and numbers that took long."""

from django.conf import settings
from django.db import models

from provexplorer.workspaces.models import ApiKey, Workspace


class NodeSet(models.Model):
    """Nodes under one uid: more of them than an address can name. Never changed."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    # Of the members: the same list is the same set, whoever pastes it.
    uid = models.CharField(max_length=30, unique=True)
    # Uids, sorted.
    members = models.JSONField(default=list)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField()
    # The day of its last use is kept; the sets that nobody uses go.
    used_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "made_at"], name="node_set_listing"),
            models.Index(fields=["used_at"], name="node_set_unused"),
        ]


class KeptReport(models.Model):
    """The numbers of an impact report that took too long for a page, as one member or key asked for them."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    api_key = models.ForeignKey(ApiKey, null=True, on_delete=models.CASCADE, related_name="+")
    # "user:ID" or "key:ID": whose it is, in one word.
    owner = models.CharField(max_length=30)
    # Keyed hash of the question.
    digest = models.CharField(max_length=26)
    # As lineage.impact.question writes it.
    question = models.JSONField()
    # What the owner may see, as it was asked: numbers of hidden things are not counted.
    groups = models.JSONField(default=list)
    sees_all = models.BooleanField(default=False)
    # What held when counting began: by it one sees whether the numbers still do.
    epoch = models.BigIntegerField(default=0)
    counts = models.JSONField(default=dict)
    # The numbers that are ready, by the name of the step that counted them.
    numbers = models.JSONField(default=dict)
    asked_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    # Raised by whoever takes the counting up; the one who finds it raised stops.
    fence = models.IntegerField(default=0)
    attempts = models.IntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "owner", "digest"], name="one_kept_report")
        ]
        indexes = [models.Index(fields=["expires_at"], name="kept_report_expiry")]
