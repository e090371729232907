"""What stands upstream of nodes, by the relational edges: the walk behind fail-closed reads.

Level by level, one query a level whatever the number of nodes, cycle-safe. It
follows every upstream edge but attribution: a case on an agent is in the
register under the sources and versions that it reaches (targets.py), since a
version that names its own creator is not that of its source's.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from lineage.models import Reference
from lineage.vocabulary import UPSTREAM_EDGES, Edge

logger = logging.getLogger(__name__)

WALKED: Final = tuple(edge for edge in UPSTREAM_EDGES if edge is not Edge.WAS_ATTRIBUTED_TO)
# Ids in one IN list: below the 32,766 variables that SQLite takes.
_SLICE: Final = 5_000
# Nodes in one walk. A page of 200 passages with everything upstream has some thousands.
MOST_NODES: Final = 200_000


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The nodes reached and, for each, what points at it directly (its effects)."""

    reached: frozenset[int]
    _causes: dict[int, set[int]]

    def upstream_of(self, node_id: int) -> set[int]:
        """The node and everything upstream of it."""
        seen, frontier = {node_id}, [node_id]
        while frontier:
            for cause in self._causes.get(frontier.pop(), ()):
                if cause not in seen:
                    seen.add(cause)
                    frontier.append(cause)
        return seen

    def downstream_of(self, node_ids: Collection[int]) -> set[int]:
        """The nodes reached that have one of these upstream, or are one."""
        effects: dict[int, list[int]] = defaultdict(list)
        for effect, causes in self._causes.items():
            for cause in causes:
                effects[cause].append(effect)
        seen = set(node_ids) & self.reached
        frontier = list(seen)
        while frontier:
            for effect in effects.get(frontier.pop(), ()):
                if effect not in seen:
                    seen.add(effect)
                    frontier.append(effect)
        return seen


def sliced(ids: Collection[int], size: int = _SLICE) -> Iterator[list[int]]:
    """The ids in ascending slices that one IN list can carry."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def ancestry(workspace_id: int, node_ids: Collection[int]) -> Ancestry:
    """Walk upstream from the nodes, all at once."""
    causes: dict[int, set[int]] = defaultdict(set)
    reached = set(node_ids)
    frontier = set(node_ids)
    while frontier:
        found: set[int] = set()
        for ids in sliced(frontier):
            edges = Reference.objects.filter(
                workspace_id=workspace_id,
                from_node_id__in=ids,
                edge__in=WALKED,
                to_node_id__isnull=False,
            ).values_list("from_node_id", "to_node_id")
            for effect, cause in edges:
                causes[effect].add(cause)
                found.add(cause)
        frontier = found - reached
        reached |= frontier
        if len(reached) > MOST_NODES:
            logger.error(
                "upstream walk cut", extra={"workspace": workspace_id, "nodes": len(reached)}
            )
            break
    return Ancestry(frozenset(reached), dict(causes))
