"""Nodes that a request has just made or changed, projected without reading back what it has in memory.

What is in memory is what the store says as long as nobody has marked or claimed the node since
the request marked it: every change of a node or of the edges that leave it marks it again.
Whether that is so is asked in the node's turn in the graph, in which no newer state can have
been written before.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lineage.graph.scope import Scope
from lineage.graph.state import NodeState, Stated, marks_of


@dataclass(frozen=True, slots=True)
class Fresh:
    """Nodes by id; new ones with every reference that makes an edge leaving them.

    Of the others the request has changed no edge: in the graph they have those that they had.
    `mark`: the version with which the request puts them on the list of those behind.
    """

    states: Mapping[int, NodeState] = field(default_factory=dict)
    references: Mapping[int, Sequence[Stated]] = field(default_factory=dict)
    mark: int = field(default_factory=lambda: secrets.randbits(62))

    def unchanged(self, scope: Scope, node_ids: Sequence[int]) -> list[int]:
        """Those of the nodes that nobody has marked or claimed since."""
        marks = marks_of(scope, node_ids).filter(version=self.mark)
        return list(marks.order_by("node_id").values_list("node_id", flat=True))
