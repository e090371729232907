"""Sources that are watched: when each is looked at, what came of it, and what became of its passages.

Addresses, ETags and texts are not here: they stand on the Acquisition of a check and on the
observed SourceVersion, where erasure finds them.
"""

from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class Outcome(models.TextChoices):
    """What a look at a source came to; SourceCheck.status and .failure say more."""

    FIRST = "first"  # read for the first time, with nothing alike to compare it with
    UNCHANGED = "unchanged"  # the site says so (304)
    SAME = "same"  # read again, and the same
    CHANGED = "changed"
    GONE = "gone"  # 404, 410
    PAYWALL = "paywall"  # 401, 402, 403, 451, or a page that asks to sign in
    UNREACHABLE = (
        "unreachable"  # no name, no connection, no certificate, no answer in time, 5xx, 429
    )
    UNREADABLE = "unreadable"  # too large, packed in an unknown way, cut short, no HTTP
    ROBOTS = "robots"  # its robots.txt asks not to be read
    REFUSED = "refused"  # an address that nothing is fetched from
    NO_ADDRESS = "no_address"


class Verdict(models.TextChoices):
    """What has become of a cited passage in the source as it is now."""

    UNCHANGED = "unchanged"
    COSMETIC = "cosmetic"
    CHANGED = "changed"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"  # its words stand at several places, of which none can be told to be it


class FreshnessRules(models.Model):
    """Whether the sources of a workspace are watched; without a row, and at first, they are not."""

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, primary_key=True)
    watching = models.BooleanField(default=False)
    # Greatest id of a source that has been taken up.
    taken_up_to = models.BigIntegerField(default=0)


class SourceWatch(models.Model):
    """What is known of a source by looking at it, and when it is looked at next."""

    source = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="watch"
    )
    # The index below that begins with the workspace serves it.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    paused = models.BooleanField(default=False)
    next_at = models.DateTimeField()
    # Who looks at it now: opaque, and until when nobody else does.
    taken_by = models.CharField(max_length=22, blank=True)
    lease_until = models.DateTimeField(null=True)
    first_at = models.DateTimeField(null=True)  # the first look
    checked_at = models.DateTimeField(null=True)  # the last look
    # The last look that has read the content or was told that it is unchanged.
    confirmed_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=12, choices=Outcome.choices, blank=True)
    # Since when it could not be read, for whatever reason; null while it can be.
    failing_since = models.DateTimeField(null=True)
    failures = models.IntegerField(default=0)  # looks in a row that read nothing
    looks = models.IntegerField(default=0)
    changes = models.IntegerField(default=0)
    # `sha256:HEX` of the bytes last read; and whether they are a form of what was cited (a page
    # about a paper is not), so that what is missing from them is missing from the source.
    digest = models.CharField(max_length=80, blank=True)
    comparable = models.BooleanField(default=False)
    # The Acquisition of the last look that has read it, whose ETag is sent with the next.
    read = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="+")
    # The version that the source now is; `observed`: one that was made by looking.
    version = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="+")
    observed = models.BooleanField(default=False)
    # Passages of it that are cited, and those of them that were changed or gone at the last comparison.
    cited = models.IntegerField(default=0)
    drifted = models.IntegerField(default=0)
    answers = models.IntegerField(default=0)  # that rest on it, at the last look

    class Meta:
        indexes = [
            models.Index(fields=["next_at"], name="watch_due", condition=models.Q(paused=False)),
            models.Index(fields=["workspace", "outcome"], name="watch_by_outcome"),
            models.Index(fields=["workspace", "checked_at"], name="watch_by_age"),
        ]


class SourceCheck(models.Model):
    """One look at a source: when, and what it came to."""

    source = models.ForeignKey(
        Node, on_delete=models.CASCADE, related_name="checks", db_index=False
    )
    at = models.DateTimeField()
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    # HTTP status of the last reply; lineage.freshness.fetch.FAILURES, or empty.
    status = models.IntegerField(null=True)
    failure = models.CharField(max_length=20, blank=True)
    # Every redirect on the way was for good (301, 308): it has a new address.
    moved = models.BooleanField(default=False)
    # Somebody asked for it, instead of its time having come.
    asked_for = models.BooleanField(default=False)
    # The record of the response; the version that was read, where one was.
    acquisition = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="+")
    version = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        indexes = [
            models.Index(fields=["source", "-id"], name="check_of_source"),
            models.Index(fields=["at"], name="check_by_age"),
        ]


class PassageVerdict(models.Model):
    """What has become of a cited passage, by the last version of its source that was compared."""

    passage = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="fresh"
    )
    source = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+", db_index=False)
    # Null: the source itself is gone.
    version = models.ForeignKey(Node, null=True, on_delete=models.SET_NULL, related_name="+")
    verdict = models.CharField(max_length=12, choices=Verdict.choices)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["source", "verdict"], name="verdict_of_source")]


class HostTurn(models.Model):
    """When a site may be asked again, by whichever workspace; while it is asked, later than that."""

    # A keyed hash of scheme, host and port.
    host = models.CharField(max_length=43, primary_key=True)
    free_at = models.DateTimeField()
