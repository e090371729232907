"""What tells that beat and worker are at work, and what was taken off the queue for good."""

from django.db import models


class SignOfLife(models.Model):
    """The last sign of a part; of one that only one process may be, also which process that is."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()


class TaskDelivery(models.Model):
    """How often a message has come back after its worker was lost."""

    message_id = models.CharField(max_length=64, primary_key=True)
    times = models.IntegerField(default=0)
    at = models.DateTimeField(db_index=True)


class Quarantined(models.Model):
    """A message that was taken off the queue and will not be run. Never what it held."""

    class Reason(models.TextChoices):
        UNREADABLE = "unreadable"
        TOO_LARGE = "too_large"
        UNKNOWN_TASK = "unknown_task"
        # Arguments that the task does not take.
        UNFIT = "unfit"
        WORKER_LOST = "worker_lost"
        # A task that was sent time and again and never done.
        UNDONE = "undone"

    reason = models.CharField(max_length=16, choices=Reason.choices)
    # Of a task that this version has; else empty.
    name = models.CharField(max_length=100, blank=True)
    # In bytes, and SHA-256 of them: enough to tell whether the same came again.
    size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField(db_index=True)
