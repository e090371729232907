"""Notices about published works: what catalogues tell, which sources of the workspace they concern."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.models.cases import Case
from lineage.models.records import Node
from provexplorer.workspaces.models import ApiKey, Workspace


class NoticeShelf(models.Model):
    """That a workspace has notices, and under which key of the content store their texts are kept."""

    workspace = models.OneToOneField(
        Workspace, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    # Negative, as that of no node is.
    owner_id = models.BigIntegerField()


class NoticeFeed(models.Model):
    """An address from which a catalogue of notices is fetched from time to time."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    url = models.TextField()
    hours = models.IntegerField(default=24)  # from one fetch to the next
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField()
    # When it is fetched next; null: not by itself.
    next_at = models.DateTimeField(null=True)
    fetched_at = models.DateTimeField(null=True)
    # Of the last reply: the HTTP status, or why there was none (lineage.freshness.fetch.FAILURES).
    status = models.SmallIntegerField(null=True)
    failure = models.CharField(max_length=24, blank=True)
    etag = models.TextField(blank=True)
    last_modified = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "id"], name="feed_list"),
            models.Index(fields=["next_at"], condition=Q(next_at__isnull=False), name="feed_due"),
        ]


class NoticeImport(models.Model):
    """One file that was read, or is to be, and what came of it.

    A file that waits lies in the content store, in pieces, under a key of the import's own,
    which is destroyed when it has been read.
    """

    class State(models.TextChoices):
        RECEIVED = "received"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class Origin(models.TextChoices):
        UPLOAD = "upload"
        API = "api"
        COMMAND = "command"
        FEED = "feed"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    origin = models.CharField(max_length=8, choices=Origin.choices)
    feed = models.ForeignKey(NoticeFeed, null=True, on_delete=models.SET_NULL, related_name="+")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    api_key = models.ForeignKey(ApiKey, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.RECEIVED)
    # One of lineage.formats.notice_files.FORMATS, once it was told.
    format = models.CharField(max_length=20, blank=True)
    # Why it failed: a code of lineage.notices.reading.
    failure = models.CharField(max_length=24, blank=True)
    owner_id = models.BigIntegerField(null=True)
    pieces = models.IntegerField(default=0)
    size = models.BigIntegerField(null=True)  # bytes of the file; null where it is not known
    done = models.BigIntegerField(default=0)  # bytes read
    # Records read; by what became of them: lineage.notices.report.Counts.
    counts = models.JSONField(default=dict)
    # What was remarkable: [{"code", "count", "records": [numbers of the first ones]}].
    report = models.JSONField(default=list)
    received_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    fence = models.BigIntegerField(default=0)
    attempts = models.SmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "-id"], name="notice_imports")]


class Notice(models.Model):
    """One notice about one work, whoever tells of it: the same DOIs and kind are the same notice.

    Identifiers are in their normal form (lineage.formats.scholarly). Titles, names and reasons
    are text: they lie in the content store.
    """

    class State(models.TextChoices):
        UNMATCHED = "unmatched"
        SUGGESTED = "suggested"  # a source that may be meant; a person says
        MATCHED = "matched"

    # Every index below starts with the workspace; one of its own would only mislead the planner.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    # One of lineage.formats.notice_kinds.NOTICE_KINDS.
    kind = models.CharField(max_length=16)
    notice_doi = models.TextField(blank=True)
    notice_pmid = models.CharField(max_length=10, blank=True)
    subject_doi = models.TextField(blank=True)
    subject_pmid = models.CharField(max_length=10, blank=True)
    # Keyed hash of the title of the work, folded; "" where it is not known or says too little.
    title_word = models.CharField(max_length=27, blank=True)
    year = models.SmallIntegerField(null=True)  # in which the work was published
    noted_on = models.DateField(null=True)
    # Who tells of it: a bit for each of lineage.formats.notices.PROVIDERS.
    providers = models.SmallIntegerField(default=0)
    # Of each provider and direction: {"provider", "through", "record_id", "digest", "noted_on",
    # "import": id, "number", "block", "at", "remarks"}.
    evidence = models.JSONField(default=list)
    # What is remarkable about it as a whole: codes; of those of lineage.notices.doubts no case is
    # drafted by itself.
    remarks = models.JSONField(default=list)
    doubtful = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.UNMATCHED)
    # Answers that rest on what it concerns, when they were counted last.
    answers = models.BigIntegerField(default=0)
    first_seen_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "subject_doi"], name="notice_subject"),
            models.Index(fields=["workspace", "notice_doi"], name="notice_own_doi"),
            models.Index(
                fields=["workspace", "subject_pmid"],
                condition=~Q(subject_pmid=""),
                name="notice_subject_pmid",
            ),
            models.Index(
                fields=["workspace", "title_word"],
                condition=~Q(title_word=""),
                name="notice_title",
            ),
            models.Index(fields=["workspace", "-answers", "uid"], name="notice_damage"),
            models.Index(
                fields=["workspace", "state", "-answers", "uid"],
                condition=~Q(state="unmatched"),
                name="notice_met",
            ),
            models.Index(
                fields=["workspace", "-answers", "uid"],
                condition=Q(doubtful=True),
                name="notice_doubtful",
            ),
        ]


class NoticeMatch(models.Model):
    """That a notice concerns a source of the workspace, or may."""

    class By(models.TextChoices):
        DOI = "doi"
        PMID = "pmid"
        TITLE = "title"
        PERSON = "person"  # somebody said so

    class State(models.TextChoices):
        MATCHED = "matched"
        SUGGESTED = "suggested"
        REJECTED = "rejected"

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="matches")
    source = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    by = models.CharField(max_length=6, choices=By.choices)
    state = models.CharField(max_length=10, choices=State.choices)
    # What speaks for and against it: codes of lineage.notices.matching.
    signs = models.JSONField(default=list)
    # The case drafted of it; of a reinstatement the case that it speaks of.
    case = models.ForeignKey(Case, null=True, on_delete=models.SET_NULL, related_name="+")
    # Whether it is to be looked at for a case to be drafted; False once it was.
    due = models.BooleanField(default=True)
    made_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["notice", "source"], name="one_match_per_source")
        ]
        indexes = [
            models.Index(
                fields=["notice"], condition=Q(due=True, state="matched"), name="match_due"
            )
        ]


class NoticeDue(models.Model):
    """A source that is new or has changed since notices were last looked through for it."""

    node = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="notice_due"
    )
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
