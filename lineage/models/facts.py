"""Facts compared without their words, and how far the workspace trusts each source."""

from django.conf import settings
from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class FactKey(models.Model):
    """Keyed hashes of a fact's words: the same subject and predicate are found without any text."""

    node = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="fact_key"
    )
    # Every index below starts with the workspace; one of its own would only mislead the planner.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    # Of subject and predicate together.
    about = models.CharField(max_length=26)
    # Of the object.
    says = models.CharField(max_length=26)

    class Meta:
        indexes = [models.Index(fields=["workspace", "about", "says"], name="fact_about")]


class SourceAuthority(models.Model):
    """How much a source counts where facts contradict; a source without a row counts 0."""

    source = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="authority"
    )
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    # From -1000 to 1000; the greater is shown first.
    authority = models.IntegerField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    set_at = models.DateTimeField()
