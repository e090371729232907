"""What tells whether the graph is the one that was written to last, and how far writing it anew has got."""

from django.db import models


class GraphMark(models.Model):
    """The one row beside which the graph carries a mark of its own (lineage.graph.mark)."""

    id = models.SmallIntegerField(primary_key=True)
    # Of the graph's node that carries the mark: several installations may share a server.
    uid = models.CharField(max_length=40)
    # Random; empty in an installation that has not marked its graph yet.
    current = models.CharField(max_length=32, blank=True)
    # The one that is being written; whichever of the two the graph has, it is the same graph.
    next = models.CharField(max_length=32, blank=True)
    # Since when the graph is known to be another. `current` is then the mark of the one that is
    # written anew, and these are how far that has got (lineage.graph.rebuild).
    wrong_at = models.DateTimeField(null=True)
    workspace = models.BigIntegerField(default=0)
    stage = models.SmallIntegerField(default=0)
    after = models.BigIntegerField(default=0)
