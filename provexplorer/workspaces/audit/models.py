"""The rows of the audit log.

Entries, their places in the chain and the seals are never changed or deleted: the database
refuses it (guards.py). So they have no foreign keys: an account, a key or a workspace that is
deleted leaves what it did.
"""

from django.db import models


class AuditEntry(models.Model):
    """That somebody did something; written in the transaction of what it tells."""

    class ActorKind(models.TextChoices):
        MEMBER = "member"
        KEY = "key"
        PRODUCT = "product"  # by itself: a schedule, a propagation, a feed
        NOBODY = "nobody"  # whoever was not let in

    uid = models.CharField(max_length=30, unique=True)
    # 0: of no workspace, but of the installation.
    workspace_id = models.BigIntegerField()
    at = models.DateTimeField()
    # One of provexplorer.workspaces.audit.verbs.VERBS.
    verb = models.CharField(max_length=40)
    actor_kind = models.CharField(max_length=8, choices=ActorKind.choices)
    # The id of the account or of the key.
    actor_id = models.BigIntegerField(null=True)
    # The uid of what it was done to; of an account, a key or a member their id.
    object_uid = models.CharField(max_length=64, blank=True)
    # One word of the product that the verb leaves open: a state, a role, a format.
    code = models.CharField(max_length=40, blank=True)
    # HMAC-SHA256 under the workspace's key of the details; empty where there are none.
    details_hash = models.CharField(max_length=64, blank=True)
    # What is told once however often it is told; null: each time anew.
    once = models.CharField(max_length=80, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace_id", "once"], name="one_audit_entry")
        ]
        indexes = [
            models.Index(fields=["workspace_id", "-id"], name="audit_list"),
            models.Index(fields=["workspace_id", "object_uid", "-id"], name="audit_of_object"),
            models.Index(fields=["workspace_id", "verb", "-id"], name="audit_of_verb"),
            models.Index(
                fields=["workspace_id", "actor_kind", "actor_id", "-id"], name="audit_of_actor"
            ),
            models.Index(fields=["workspace_id", "at"], name="audit_at"),
        ]


class AuditDetail(models.Model):
    """Under which key of the content store the details of an entry lie; erased by itself."""

    entry_id = models.BigIntegerField(primary_key=True)
    owner_id = models.BigIntegerField()


class AuditWaiting(models.Model):
    """An entry that no seal covers yet; written with it, deleted with its sealing."""

    entry_id = models.BigIntegerField(primary_key=True)
    workspace_id = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["workspace_id", "entry_id"], name="audit_waiting")]


class AuditPlace(models.Model):
    """Where an entry stands in its workspace's chain: 1, 2, 3, … in the order of sealing."""

    entry_id = models.BigIntegerField(primary_key=True)
    workspace_id = models.BigIntegerField()
    sequence = models.BigIntegerField()
    # SHA-256 over the hash before and the entry's line (chain.py).
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace_id", "sequence"], name="one_audit_place")
        ]


class AuditSeal(models.Model):
    """Closes some entries: the hash of the chain up to the last, with that of the seal before, signed."""

    workspace_id = models.BigIntegerField()
    number = models.BigIntegerField()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    at = models.DateTimeField()
    # AuditPlace.hash of the last entry.
    chain = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    # Ed25519 over the hash, in hex; the capsule's key.
    signature = models.CharField(max_length=128)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace_id", "number"], name="one_audit_seal")
        ]


class AuditHead(models.Model):
    """Where the chain of a workspace ends: who moves it on seals, of two at once one."""

    workspace_id = models.BigIntegerField(primary_key=True)
    number = models.BigIntegerField(default=0)
    sequence = models.BigIntegerField(default=0)
    chain = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
