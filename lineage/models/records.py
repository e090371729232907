"""Records as they were sent, the nodes they make, and the references between them.

A *sighting* is one record as sent. The nodes of a (kind, namespace, key) are a
pure function of its sightings; the edges of a node are a pure function of its
merged fields. That is what makes the end state independent of order.
"""

from django.db import models

from provexplorer.workspaces.models import Workspace


class Node(models.Model):
    """One node of the lineage: a revision of a key, or a placeholder for a key nobody has sent yet."""

    # Every index below starts with the workspace; one of its own would only mislead the planner.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    kind = models.CharField(max_length=16)
    namespace = models.TextField()
    key = models.TextField()
    # Hash of (kind, namespace, key): shared by all revisions of a key.
    address = models.CharField(max_length=30)
    # Hash of (kind, key): finds a key whatever its namespace.
    anywhere = models.CharField(max_length=26)
    uid = models.CharField(max_length=30, unique=True)
    # `sha256:HEX` of the content; empty while unknown.
    digest = models.CharField(max_length=80, blank=True)
    # False: a placeholder, made by a reference to a key that nobody has sent.
    resolved = models.BooleanField(default=True)
    # True while the digest or the place is unknown, so that the uid may still settle.
    provisional = models.BooleanField(default=False)
    # The node that is part of this one's identity (Kind.parent). The index of children begins with it.
    parent = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    # The node under whose data key this node's text is kept.
    owner = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    # The SourceVersion whose access groups guard this node.
    version = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    # What a list shows: title, name, version. Never text of a document or an answer.
    label = models.TextField(blank=True)
    occurred_at = models.DateTimeField(null=True)
    # Stages 6-8: the instant at which references without a digest bind.
    event_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    # Verified interval in the parent's text: code points, end exclusive; null where unknown.
    start = models.IntegerField(null=True)
    end = models.IntegerField(null=True)
    # lineage.vocabulary.Anchor of that interval; empty where the record gave none.
    anchor = models.CharField(max_length=16, blank=True)
    # Whether the text has a blob of its own; if not, it is the parent's interval (or unknown).
    has_text = models.BooleanField(default=False)
    # Contracted fields, merged over the sightings. A text stands as {"$text": digest, "length": n}.
    fields = models.JSONField(default=dict)
    attributes = models.JSONField(default=dict)
    # Warnings that hold now: [{"code", "pointer", "detail"}], pointers relative to the record.
    flags = models.JSONField(default=list)

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "address"], name="node_address"),
            models.Index(fields=["workspace", "anywhere"], name="node_anywhere"),
            models.Index(fields=["workspace", "kind", "-occurred_at", "uid"], name="node_listing"),
            models.Index(fields=["parent", "kind", "start"], name="node_children"),
            # Few of many: what was named and never sent.
            models.Index(
                fields=["workspace", "kind"],
                condition=models.Q(resolved=False),
                name="node_missing",
            ),
        ]


class Sighting(models.Model):
    """One record as sent, text replaced by markers.

    Never changed; deleted only by erasure, and where the origin that it was derived from
    says something else now (Derivation).
    """

    # Every index below starts with the workspace; one of its own would only mislead the planner.
    # Its node is of the same workspace, and that the database guards.
    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, db_index=False, db_constraint=False
    )
    kind = models.CharField(max_length=16)
    address = models.CharField(max_length=30)
    # Keyed hash of the whole record: the same record sent again is `unchanged`.
    digest = models.CharField(max_length=26)
    # Digest of the content if the record names or carries it; empty otherwise.
    content_digest = models.CharField(max_length=80, blank=True)
    occurred_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    fields = models.JSONField(default=dict)
    attributes = models.JSONField(default=dict)
    # Warnings that the record itself earned when it was read.
    flags = models.JSONField(default=list)
    node = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="sightings")
    # Whether somebody sent this very record; if not, it stands by its derivations.
    direct = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "address", "digest"], name="one_sighting_per_record"
            )
        ]


class Derivation(models.Model):
    """That a sighting was derived from an origin: a trace, put together from what has arrived of it.

    A sighting that nobody sent as such stands as long as one of its origins still derives it.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    # Opaque and keyed; never a trace id in clear.
    origin = models.CharField(max_length=30)
    sighting = models.ForeignKey(Sighting, on_delete=models.CASCADE, related_name="derivations")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "origin", "sighting"], name="one_derivation_per_origin"
            )
        ]


class Reference(models.Model):
    """What a node says of another: a row with the key as sent and the node it is bound to.

    Also the edge table: `from_node` → `to_node` by `edge` points from effect to
    cause. `holder` is the node whose record states it (one of the two ends).
    Computed edges have `relation` starting with "computed".
    """

    class Status(models.TextChoices):
        BOUND = "bound"
        UNRESOLVED = "unresolved"
        AMBIGUOUS = "ambiguous"

    # Every index below starts with the workspace; one of its own would only mislead the planner.
    # Its holder is of the same workspace, and that the database guards.
    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, db_index=False, db_constraint=False
    )
    holder = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="references")
    relation = models.CharField(max_length=32)
    # Where the record says it, as a JSON pointer relative to the record.
    pointer = models.CharField(max_length=200, blank=True)
    # Place in the holder's list, from 0.
    ordinal = models.IntegerField(default=0)
    edge = models.CharField(max_length=24, blank=True)
    kind = models.CharField(max_length=16)
    # Address and anywhere-hash of the key named; empty for a reference by uid.
    address = models.CharField(max_length=30, blank=True)
    anywhere = models.CharField(max_length=26, blank=True)
    digest = models.CharField(max_length=80, blank=True)
    uid_named = models.CharField(max_length=30, blank=True)
    event_at = models.DateTimeField(null=True)
    status = models.CharField(max_length=12, choices=Status.choices)
    # Null: names a uid that nobody holds.
    # No indexes of their own: two of those below begin with them. Mostly `from_node` is the
    # holder, so that the database would check the same node twice.
    from_node = models.ForeignKey(
        Node,
        null=True,
        on_delete=models.CASCADE,
        related_name="edges_out",
        db_index=False,
        db_constraint=False,
    )
    to_node = models.ForeignKey(
        Node, null=True, on_delete=models.CASCADE, related_name="edges_in", db_index=False
    )
    properties = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["from_node", "edge"], name="reference_out"),
            models.Index(fields=["to_node", "edge"], name="reference_in"),
            models.Index(fields=["workspace", "address"], name="reference_address"),
            models.Index(fields=["workspace", "anywhere"], name="reference_anywhere"),
        ]


class Rebinding(models.Model):
    """History of a reference that came to mean another node, or was dropped (`new_uid` empty); of computed edges, too."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    holder = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    relation = models.CharField(max_length=32)
    old_uid = models.CharField(max_length=30)
    new_uid = models.CharField(max_length=30)
    recorded_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "recorded_at"], name="rebinding_since"),
            models.Index(fields=["old_uid"], name="rebinding_from"),
            models.Index(fields=["new_uid"], name="rebinding_to"),
        ]


class UidAlias(models.Model):
    """A provisional address or a placeholder's, and the node it leads on to (301)."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    uid = models.CharField(max_length=30, unique=True)
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="aliases")


class SearchWord(models.Model):
    """A word by which a node is found: metadata in clear, words of questions as keyed hashes."""

    # Every index below starts with the workspace; one of its own would only mislead the planner.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="words")
    word = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["workspace", "word"], name="search_word")]
        constraints = [models.UniqueConstraint(fields=["node", "word"], name="one_word_per_node")]
