"""Deletes what search looks up of nodes that are erased, or of which nothing is said any more."""

from collections.abc import Collection

from lineage.compiled import by_their_ids
from lineage.ingest.keys import in_chunks
from lineage.ingest.search_terms import forget_terms
from lineage.ingest.search_words import WORDED
from lineage.models import Node, SearchDue, SearchToken, SearchWord


def forget_words(workspace_id: int, node_ids: Collection[int]) -> None:
    """Delete all by which these nodes are found by words and identifiers, in the caller's transaction.

    Terms that only they had go as well. They stay findable by their uid.
    """
    for some in in_chunks(node_ids):
        mine = by_their_ids(SearchToken.objects.filter(node_id__in=some), workspace_id)
        tokens = set(mine.values_list("token", flat=True))
        mine.delete()
        by_their_ids(SearchWord.objects.filter(node_id__in=some), workspace_id).delete()
        SearchDue.objects.filter(workspace_id=workspace_id, node_id__in=some).delete()
        forget_terms(workspace_id, tokens)


def forget_owned(workspace_id: int, owner_ids: Collection[int]) -> int:
    """Delete all by which the nodes are found whose texts lie under these owners' keys; how many nodes.

    For an erasure: a source with its versions, an answer. To be called with the workspace's turn.
    """
    count = 0
    for some in in_chunks(owner_ids):
        owned = Node.objects.filter(workspace_id=workspace_id, kind__in=WORDED, owner_id__in=some)
        ids = list(owned.order_by("pk").values_list("pk", flat=True))
        forget_words(workspace_id, ids)
        count += len(ids)
    return count
