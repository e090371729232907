"""Incidents: saved questions of impact that people work off; who is told of them; saved views."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.models.cases import Case
from lineage.models.records import Node
from provexplorer.workspaces.models import ApiKey, Workspace


class Incident(models.Model):
    """A question of impact under a title, with who works on it and how far they are.

    Notes are text and lie in the content store, under a key of the incident's own.
    """

    class State(models.TextChoices):
        OPEN = "open"
        INVESTIGATING = "investigating"
        MITIGATED = "mitigated"
        CLOSED = "closed"

    # Every index below starts with the workspace; one of its own would only mislead the planner.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    title = models.TextField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.OPEN)
    # lineage.impact.question.Question, as it writes itself.
    question = models.JSONField()
    # Under which key of the content store the notes are kept; negative, as that of no node is.
    owner_id = models.BigIntegerField()
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    opened_by_key = models.ForeignKey(
        ApiKey, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    # Answers when it was opened: by grade, before the question's filters; and all that it kept.
    counts = models.JSONField(default=dict)
    total = models.BigIntegerField(default=0)
    watching = models.BooleanField(default=True)
    # Greatest id of RestsOn when it was opened: rows that came later have greater ones.
    mark = models.BigIntegerField(default=0)
    # Greatest id of RestsOn that the watch has looked at.
    watched_to = models.BigIntegerField(default=0)
    # New answers found since it was opened, and how many of them somebody has taken note of.
    found = models.BigIntegerField(default=0)
    noticed = models.BigIntegerField(default=0)
    # Whether IncidentTarget holds what it asked about when it was opened: of a question that may
    # come to ask about more nodes; false where they were too many, null where nobody looked yet.
    targets_kept = models.BooleanField(null=True)
    # After which change of the workspace (RegisterEpoch) it was last looked at what it asks about, all of it.
    looked_to = models.BigIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-opened_at", "uid"], name="incident_list"),
            models.Index(
                fields=["workspace", "state", "-opened_at", "uid"], name="incident_by_state"
            ),
            models.Index(
                fields=["workspace", "watched_to"],
                condition=Q(watching=True),
                name="incident_watched",
            ),
        ]


class IncidentNote(models.Model):
    """What was said or done about an incident, when and by whom; never changed."""

    class What(models.TextChoices):
        NOTE = "note"
        STATE = "state"
        ASSIGNEE = "assignee"
        TITLE = "title"
        WATCH = "watch"
        NOTICED = "noticed"
        CASE = "case"

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="notes")
    what = models.CharField(max_length=12, choices=What.choices)
    at = models.DateTimeField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    # A person's name may go; whether it was a machine stays.
    by_key = models.BooleanField(default=False)
    # Of a note: the digest under which the content store holds its text. Else what it became.
    digest = models.CharField(max_length=80, blank=True)
    became = models.CharField(max_length=16, blank=True)
    # Whom it was given to; null where it was taken away, or the account is gone.
    assigned = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    # Which case was linked.
    case = models.ForeignKey(Case, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["incident", "-id"], name="note_of_incident")]


class IncidentAnswer(models.Model):
    """An answer that came under the incident after it was opened."""

    incident = models.ForeignKey(
        Incident, on_delete=models.CASCADE, related_name="new_answers", db_index=False
    )
    answer = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    found_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["incident", "answer"], name="one_answer_per_incident")
        ]
        indexes = [models.Index(fields=["incident", "-id"], name="answer_of_incident")]


class IncidentTarget(models.Model):
    """A node that the question of an incident asks about: since it was opened, or `gained` later."""

    incident = models.ForeignKey(
        Incident, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    gained = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["incident", "node"], name="one_target_per_incident")
        ]


class IncidentCase(models.Model):
    """A case that was filed because of the incident."""

    incident = models.ForeignKey(
        Incident, on_delete=models.CASCADE, related_name="cases", db_index=False
    )
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["incident", "case"], name="one_case_link")]


class SavedView(models.Model):
    """The address of a list or report under a name: its maker's, or the workspace's."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    uid = models.CharField(max_length=30, unique=True)
    name = models.TextField()
    # Path and query within this site, without the workspace.
    address = models.TextField()
    maker = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    shared = models.BooleanField(default=False)
    saved_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "maker", "-id"], name="view_of_maker"),
            models.Index(fields=["workspace", "-id"], condition=Q(shared=True), name="view_shared"),
        ]
