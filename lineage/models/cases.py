"""Cases, the register of withdrawals that reads obey, and what propagation has materialised."""

from django.conf import settings
from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import ApiKey, Membership, Workspace


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

    class Origin(models.TextChoices):
        """Who drafted it: a member, a key, or a feed of notices."""

        MEMBER = "member"
        KEY = "key"
        FEED = "feed"

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
    # A reinstatement that waits for another person's approval; `reinstates` once it is in effect.
    would_reinstate = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="+"
    )
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.MEMBER)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    # Under which key of the content store comments and files are kept; negative, as that of no
    # node is. Null: there are none yet.
    owner_id = models.BigIntegerField(null=True)
    drafted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    drafted_by_key = models.ForeignKey(
        ApiKey, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    approved_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    # Counts of the last dry run or of the propagation, by grade and by effect.
    counts = models.JSONField(default=dict)
    # How often it was tried out, and when last: an approval is of the numbers of one dry run.
    dry_runs = models.IntegerField(default=0)
    tried_at = models.DateTimeField(null=True)
    # The damage by those counts, for the order of the queue: answers stale and to review, readers.
    stale = models.BigIntegerField(default=0)
    review = models.BigIntegerField(default=0)
    readers = models.BigIntegerField(default=0)
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
        indexes = [
            models.Index(fields=["workspace", "state", "-created_at"], name="case_queue"),
            models.Index(
                fields=["workspace", "-stale", "-review", "-readers", "uid"], name="case_damage"
            ),
        ]

    @property
    def falls_short_of_proof(self) -> bool:
        """Whether it ended incomplete because it could not be proved, and for no other reason."""
        code = (self.counts.get("shortfall") or {}).get("code", "")
        return self.state == self.State.INCOMPLETE and code.startswith("proof_")


class CaseEvent(models.Model):
    """What was done with a case or said about it, when and by whom; never changed.

    Written in the transaction of the change that it tells.
    """

    class What(models.TextChoices):
        DRAFTED = "drafted"
        TRIED = "tried"
        APPROVED = "approved"
        STARTED = "started"  # a scheduled case whose time has come
        REJECTED = "rejected"
        CANCELLED = "cancelled"
        PAUSED = "paused"
        RESUMED = "resumed"
        VERIFIED = "verified"
        INCOMPLETE = "incomplete"
        REPROVED = "reproved"  # its proof is made once more
        LIFTED = "lifted"  # by the reinstatement in `other`
        ASSIGNED = "assigned"
        COMMENT = "comment"
        FILE = "file"

    class By(models.TextChoices):
        MEMBER = "member"
        KEY = "key"
        PRODUCT = "product"  # by itself: a schedule, a propagation, a feed

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="events", db_index=False)
    what = models.CharField(max_length=12, choices=What.choices)
    at = models.DateTimeField()
    by = models.CharField(max_length=8, choices=By.choices)
    # Null for a key, and where the account is gone.
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    # Of a comment and of a rejection: the digest under which the content store holds the text. Of
    # a draft that may be sent again: a keyed digest of what was sent.
    digest = models.CharField(max_length=80, blank=True)
    # Whom it was given to; null where it was taken away, or the account is gone.
    assigned = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    other = models.ForeignKey(Case, null=True, on_delete=models.SET_NULL, related_name="+")
    # Numbers of that moment: answers by state, readers.
    numbers = models.JSONField(default=dict)
    # When those whom it concerns were told by mail; null: nobody was, or nobody has to be.
    mailed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["case", "-id"], name="event_of_case")]


class CaseFile(models.Model):
    """A file that is evidence in a case; its bytes and its name lie in the content store."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="files")
    # Of its bytes, under the workspace's key: the same file twice is one.
    digest = models.CharField(max_length=32)
    media_type = models.CharField(max_length=80)
    size = models.BigIntegerField()
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_key = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "digest"], name="one_case_file")]


class CaseRules(models.Model):
    """How a workspace decides cases."""

    workspace = models.OneToOneField(
        Workspace, on_delete=models.CASCADE, related_name="case_rules", primary_key=True
    )
    # Whoever drafted a case may not approve it, and a key may approve none.
    another_person = models.BooleanField(default=False)


class CaseMailOff(models.Model):
    """A member who wants no mail about cases of the workspace."""

    membership = models.OneToOneField(
        Membership, on_delete=models.CASCADE, related_name="+", primary_key=True
    )


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
