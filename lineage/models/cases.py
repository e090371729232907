"""Cases, the register of withdrawals that reads obey, and what propagation has materialised."""

from django.conf import settings
from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class Case(models.Model):
    """A correction, takedown or other notice, from draft to verified."""

    class State(models.TextChoices):
        DRAFT = "draft"
        READY = "ready"
        APPROVED = "approved"
        SCHEDULED = "scheduled"
        PROPAGATING = "propagating"
        PAUSED = "paused"
        VERIFIED = "verified"
        INCOMPLETE = "incomplete"
        REJECTED = "rejected"
        CANCELLED = "cancelled"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    uid = models.CharField(max_length=30, unique=True)
    # One of lineage.vocabulary.CASE_KINDS, or "reinstatement".
    kind = models.CharField(max_length=24)
    state = models.CharField(max_length=16, choices=State.choices, default=State.DRAFT)
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=list)
    effective_at = models.DateTimeField(null=True)
    reinstates = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="reinstatements"
    )
    drafted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    approved_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    # Counts of the last dry run or of the propagation, by grade and by effect.
    counts = models.JSONField(default=dict)
    certificate = models.JSONField(null=True)
    # Propagation: where it is, who holds it, how often it was tried.
    epoch = models.BigIntegerField(default=0)
    cursor = models.BigIntegerField(default=0)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    fence = models.BigIntegerField(default=0)
    attempts = models.IntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "state", "-created_at"], name="case_queue")]


class CaseTarget(models.Model):
    """A node that the case names."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="targets")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "node"], name="one_target")]


class Withdrawal(models.Model):
    """A row of the register: from its commit on, every read of what rests on the node obeys the case."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="withdrawals")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="withdrawals")
    at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "node"], name="one_withdrawal")]
        indexes = [models.Index(fields=["workspace", "ended_at"], name="register_active")]


class AnswerEffect(models.Model):
    """What a case did to an answer, materialised; one reason among the answer's set."""

    answer = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="effects")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="effects")
    grade = models.SmallIntegerField()
    origin_grade = models.SmallIntegerField(default=0)
    # lineage.vocabulary.AnswerState: what this reason alone would make of the answer.
    state = models.SmallIntegerField()
    at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "case"], name="one_effect")]
        indexes = [models.Index(fields=["case", "state"], name="effect_case")]
