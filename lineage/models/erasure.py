"""Erasures: what is to go, place by place; tombstones of what went; who else is told.

The essence of each erasure stands a second time in the `keys` database, so that a main
database that was restored from before it can be compared with what was destroyed since.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.models.cases import Case
from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class Erasure(models.Model):
    """How a case of the kind `erasure` goes about it, and how far it is."""

    class State(models.TextChoices):
        CHOSEN = "chosen"  # not in effect yet: only what is to go is decided
        RUNNING = "running"
        DONE = "done"

    case = models.OneToOneField(
        Case, on_delete=models.CASCADE, primary_key=True, related_name="erasure"
    )
    # The index below starts with it.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.CHOSEN)
    # Whether titles, names, addresses and keys go as well: what describes it.
    describing = models.BooleanField(default=False)
    # When its scope was fixed and tombstones stood; when no key opened the text any more.
    begun_at = models.DateTimeField(null=True)
    destroyed_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    # Since when a reinstatement lets the same content be sent again; the text stays gone.
    lifted_at = models.DateTimeField(null=True)
    # Whether it was applied again after a restore.
    again = models.BooleanField(default=False)
    # [owner id, uid, whether all of it goes]: under whose keys the text lay.
    owners = models.JSONField(default=list)
    # Owner (negative) of what is needed only while it runs: hashes of the text's windows, keys for others.
    working_owner = models.BigIntegerField(null=True)
    # Who works on it; the one who finds the fence raised stops.
    fence = models.IntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "state"], name="erasure_of_workspace")]


class ErasedNode(models.Model):
    """The tombstone of a node, or of a key that was refused because its place is erased."""

    # Every index below starts with the workspace.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    erasure = models.ForeignKey(Erasure, on_delete=models.CASCADE, related_name="nodes")
    node = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="erasures")
    # The uid under which it is known for ever; of a refused key its address.
    uid = models.CharField(max_length=30)
    kind = models.CharField(max_length=16)
    address = models.CharField(max_length=30)
    # Address of its place; empty where the kind has none or it was unknown.
    place = models.CharField(max_length=30, blank=True)
    # Digest of its content, keyed with the master key: nobody without that key can try guesses.
    digest = models.CharField(max_length=80, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["erasure", "uid"], name="one_tombstone_per_node")
        ]
        indexes = [
            models.Index(fields=["workspace", "address"], name="erased_address"),
            models.Index(fields=["workspace", "uid"], name="erased_uid"),
            models.Index(fields=["workspace", "digest"], name="erased_digest"),
        ]


class ErasedText(models.Model):
    """A text of 64 code points or more that is refused wherever it is sent again."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    erasure = models.ForeignKey(Erasure, on_delete=models.CASCADE, related_name="texts")
    digest = models.CharField(max_length=80)
    # The tombstone that a sender is told of.
    uid = models.CharField(max_length=30)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "digest", "erasure"], name="one_erased_text"
            )
        ]


class ExternalTarget(models.Model):
    """A system outside that holds copies: told of each erasure by a signed message, and to acknowledge.

    Its secret lies in the content store, under a key of its own.
    """

    class Kind(models.TextChoices):
        VECTOR_STORE = "vector_store"
        CACHE = "cache"
        TRACE_STORE = "trace_store"
        RAG_APP = "rag_app"
        OTHER = "other"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    name = models.CharField(max_length=200)
    target_kind = models.CharField(max_length=16, choices=Kind.choices)
    url = models.TextField()
    owner_id = models.BigIntegerField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    # Since when it is told of no new erasure; kept for the ledgers that name it.
    removed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "-id"], name="external_target_list")]


class ErasurePlace(models.Model):
    """One row of an erasure's ledger: a place where the text may stand, and whether it is gone from there."""

    class State(models.TextChoices):
        PENDING = "pending"
        FAILED = "failed"  # tried again
        WAITING = "waiting"  # told, not acknowledged yet
        DONE = "done"

    erasure = models.ForeignKey(Erasure, on_delete=models.CASCADE, related_name="places")
    # A word of lineage.erasure.ledger.PLACES, or "external:" and the target's uid.
    name = models.CharField(max_length=40)
    ordinal = models.SmallIntegerField()
    target = models.ForeignKey(
        ExternalTarget, null=True, on_delete=models.PROTECT, related_name="places"
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    attempts = models.IntegerField(default=0)
    # Of the last failure: a word of lineage.erasure.ledger.ERRORS, or the class of an exception.
    error = models.CharField(max_length=60, blank=True)
    # How many things were cleared there (rows, blobs, messages).
    cleared = models.BigIntegerField(default=0)
    # How many of these went because nobody could read whether they held it.
    unread = models.BigIntegerField(default=0, db_default=0)
    # How far a long pass has got.
    cursor = models.BigIntegerField(default=0)
    # Sent as `webhook-id` to an external target: the same at each attempt.
    message = models.CharField(max_length=30, blank=True)
    tried_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["erasure", "name"], name="one_row_per_place")
        ]
        indexes = [
            models.Index(
                fields=["next_at"], condition=Q(next_at__isnull=False), name="erasure_place_due"
            )
        ]


class ErasureProbe(models.Model):
    """A question asked after an erasure, whose answer must be that nothing is there."""

    erasure = models.ForeignKey(Erasure, on_delete=models.CASCADE, related_name="probes")
    # lineage.erasure.probes.
    name = models.CharField(max_length=24)
    # What was looked at, and how much of it still held the text: 0 where it is gone.
    looked_at = models.BigIntegerField(default=0)
    found = models.BigIntegerField(default=0)
    asked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["erasure", "name"], name="one_answer_per_probe")
        ]


class ErasureEssence(models.Model):
    """What an erasure destroyed, in the `keys` database: written in the step that destroys the keys.

    Uids, hashes and times; enough to do it again on a main database that knows nothing of it.
    """

    case_uid = models.CharField(max_length=30)
    part = models.IntegerField(default=0)
    workspace_id = models.BigIntegerField()
    at = models.DateTimeField()
    # As lineage.erasure.essence writes it.
    body = models.JSONField(default=dict)
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case_uid", "part"], name="one_part_of_an_essence")
        ]
