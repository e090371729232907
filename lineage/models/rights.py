"""What a workspace demands of sources, and what is prepared of their rights for lists."""

from django.conf import settings
from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class RightsPolicy(models.Model):
    """What a source must state before anything of it is indexed; without a row, nothing."""

    workspace = models.OneToOneField(
        Workspace, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    demands_creator = models.BooleanField(default=False)
    demands_licence = models.BooleanField(default=False)
    set_at = models.DateTimeField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )


class SourceRights(models.Model):
    """A source in numbers and codes, prepared from its versions; a few seconds behind."""

    source = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="rights"
    )
    # Every index below starts with the workspace; one of its own would only mislead the planner.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    # Of the latest version: the SPDX expression in its normal form, or the words as stated.
    licence = models.CharField(max_length=200, blank=True)
    # lineage.rights.asks.Family of it.
    family = models.CharField(max_length=16)
    kind = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=16, blank=True)
    # Whether anybody has sent the source itself.
    described = models.BooleanField()
    has_creator = models.BooleanField()
    versions = models.IntegerField(default=0)
    # Versions whose licence is not stated or not known.
    unlicensed = models.IntegerField(default=0)
    chunks = models.IntegerField(default=0)
    # Answers that rest on it, whatever their grade.
    answers = models.IntegerField(default=0)
    # When the next right to a version ends: its validity, its consent or its retention.
    ends_at = models.DateTimeField(null=True)
    summarised_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-answers", "source"], name="rights_by_answers"),
            models.Index(fields=["workspace", "ends_at", "source"], name="rights_by_end"),
            models.Index(fields=["workspace", "family"], name="rights_by_family"),
            models.Index(fields=["workspace", "summarised_at"], name="rights_by_age"),
            models.Index(
                fields=["ends_at"], name="rights_ending", condition=models.Q(ends_at__isnull=False)
            ),
        ]


class SourceOpen(models.Model):
    """That a group may see a source, since it may see one of its versions; the empty group: everybody."""

    source = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+", db_index=False)
    group = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "group"], name="one_opening_per_group")
        ]


class SourceDue(models.Model):
    """A source whose prepared row is behind."""

    source = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="rights_due"
    )
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")


class RightsProgress(models.Model):
    """How far the preparation of a workspace's sources has got."""

    workspace = models.OneToOneField(
        Workspace, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    # Greatest id of a source that has been taken up, and of a RestsOn row that has been counted.
    taken_up_to = models.BigIntegerField(default=0)
    rests_on_to = models.BigIntegerField(default=0)
