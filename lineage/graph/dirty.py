"""Marks nodes whose projection is behind. Call it in the transaction of the change itself."""

import secrets
from collections.abc import Collection
from typing import Final

from lineage.models import GraphDirty

_SLICE: Final = 1000


def mark_dirty(workspace_id: int, node_ids: Collection[int]) -> None:
    """Have these nodes and their outgoing edges projected (again).

    The mark is a new random number each time: a projection under way that has claimed
    the node finds its own mark gone and leaves the node on the list.
    """
    version = secrets.randbits(62)
    ordered = sorted(set(node_ids))
    for start in range(0, len(ordered), _SLICE):
        GraphDirty.objects.bulk_create(
            [
                GraphDirty(node_id=node_id, workspace_id=workspace_id, version=version)
                for node_id in ordered[start : start + _SLICE]
            ],
            update_conflicts=True,
            update_fields=["version"],
            unique_fields=["node"],
        )
