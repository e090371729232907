"""From which event on references to a key may mean another node than before.

`bind` looks at the sightings that are not after the event, and where there is none at the
first. So sightings that come after others of their key leave references of earlier events
alone; a key with a long history is not gone through again whenever it is seen once more.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from lineage.ingest.bind import SightingOrder
from lineage.ingest.node_rows import Row
from lineage.models import Node
from provexplorer.clock import BEFORE_ALL

# What binding, and whatever follows from it, asks of a node.
Known: TypeAlias = tuple[object, ...]


def known_of(node: Node) -> Known | None:
    """What references to it depend on; None where they are unresolved."""
    if not node.resolved:
        return None
    return node.uid, node.digest, node.version_id, node.owner_id, node.provisional


def bound_again_from(rows: Sequence[Row], before: Mapping[int, Known | None]) -> datetime | None:
    """From which event time on references to a key bind again: BEFORE_ALL for all, None for none.

    `rows`: all revisions of the key as they are now, with ids; `before`: `known_of` of its
    nodes as they were, by id. A reference without an event time, or by digest, binds again
    unless it is None.
    """
    if not any(before.values()):
        return BEFORE_ALL
    old: list[SightingOrder] = []
    new: list[SightingOrder] = []
    for row in rows:
        pk = row.node.pk
        if pk in before and before[pk] != known_of(row.node):
            return BEFORE_ALL
        for seen in row.group.seen:
            if seen.node_id is not None and seen.node_id != pk:
                return BEFORE_ALL
            (old if seen.node_id is not None else new).append(seen.order)
    if not new or len(rows) == len(before) == 1:
        return None
    return min(new)[0] if old and min(old) < min(new) else BEFORE_ALL


def is_as_before(row: Row) -> bool:
    """Whether the revision has the sightings that it had."""
    return all(seen.node_id == row.node.pk for seen in row.group.seen)
