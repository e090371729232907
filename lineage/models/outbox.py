"""Work that must happen after a commit, written in the same transaction."""

from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class GraphDirty(models.Model):
    """A node whose projection (node, outgoing edges) is behind the relational store.

    Not guarded by the database: a mark whose node has gone is cleared as any other.
    """

    node = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, db_constraint=False
    )
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_constraint=False)
    # Raised at each change; a projection clears only the version that it read.
    version = models.BigIntegerField(default=1)


class TaskOutbox(models.Model):
    """A Celery task to send, committed with the change that asks for it; a sweeper sends what was left.

    A message that was sent can be lost as well: until the task is done, it is sent again.
    """

    name = models.CharField(max_length=100)
    # Ids and numbers only, never text.
    arguments = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, db_index=True)
    sends = models.IntegerField(default=0)
    # When it is sent again unless it is done by then; null: not sent yet, or done.
    again_at = models.DateTimeField(null=True, db_index=True)


class RegisterEpoch(models.Model):
    """The epoch of a workspace's register of withdrawals; raised by each approval and reinstatement."""

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, primary_key=True)
    epoch = models.BigIntegerField(default=0)
    # Raised by each request that may change nodes or what refers to them, with the change.
    changes = models.BigIntegerField(default=0)


class ApplyBatch(models.Model):
    """One request of records being applied: committed before the work, with the epoch that it read.

    Goes when it is over; of a process that died it is let go of later (lineage.cases.epoch).
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    epoch = models.BigIntegerField()
    started_at = models.DateTimeField()
