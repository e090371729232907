"""How the states of answers have changed, in the order in which it was written."""

from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class ChangeSequence(models.Model):
    """How many changes a workspace has had, and how many of them were handed to its webhooks.

    Raised in the workspace's turn, with the rows that it numbers: whoever reads `last` reads
    every row up to it.
    """

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, primary_key=True)
    last = models.BigIntegerField(default=0)
    told = models.BigIntegerField(default=0)


class AnswerChange(models.Model):
    """That an answer came into a state, or that another took its place; never changed."""

    class Became(models.TextChoices):
        CURRENT = "current"
        REVIEW = "review"
        STALE = "stale"
        REGENERATED = "regenerated"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    # 1, 2, 3, … in each workspace.
    sequence = models.BigIntegerField()
    answer = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+", db_index=False)
    became = models.CharField(max_length=12, choices=Became.choices)
    at = models.DateTimeField()
    # The gravest case that makes it so; empty where none does.
    case_uid = models.CharField(max_length=30, blank=True)
    # Recorded only when that case was in effect already.
    born = models.BooleanField(default=False)
    # The answer that took its place.
    by = models.ForeignKey(
        Node, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "sequence"], name="one_change_a_number")
        ]
        indexes = [
            models.Index(fields=["answer", "sequence"], name="change_of_answer"),
            # Few of many.
            models.Index(
                fields=["by"], condition=models.Q(by__isnull=False), name="change_by_answer"
            ),
        ]
