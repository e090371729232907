"""What search looks up: numbers that stand for words, never the words of an answer themselves.

Every look-up is by equality of a number, so that it costs the same in any collation and on
any database, however many nodes there are.
"""

from django.db import models

from lineage.models.records import Node
from provexplorer.workspaces.models import Workspace


class SearchToken(models.Model):
    """That a word of a node begins so: a keyed hash of the kind and the beginning.

    Ordered by node within a token, the newest nodes are read without the rest. Rows come by the
    thousand, so that the database is spared checking what the code guarantees (no constraints,
    no key of their own); whoever deletes a node deletes them, as Django's cascade does.
    """

    pk = models.CompositePrimaryKey("workspace_id", "token", "node_id")
    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+"
    )
    token = models.BigIntegerField()
    node = models.ForeignKey(
        Node, on_delete=models.CASCADE, db_constraint=False, related_name="tokens"
    )


class SearchTerm(models.Model):
    """A word of titles and names in clear, kept as long as a node has it: what a typing error may mean."""

    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, db_index=False, related_name="+"
    )
    # The token of the whole word, by which its nodes are told (SearchToken.token).
    token = models.BigIntegerField()
    word = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "token"], name="one_term_per_word")
        ]


class SearchNear(models.Model):
    """What a term is like: a keyed hash of it with one letter left out, or of its beginning and length."""

    pk = models.CompositePrimaryKey("workspace_id", "token", "term_id")
    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+"
    )
    token = models.BigIntegerField()
    term = models.ForeignKey(
        SearchTerm, on_delete=models.CASCADE, db_constraint=False, related_name="near"
    )


class SearchDue(models.Model):
    """An answer whose words are not looked up yet, since it is new or has changed."""

    node = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="search_due"
    )
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
