"""Edges that leave nodes which the transaction at hand has made, remembered as they are written.

Nothing can have been said of such a node before, so that what was written is all there is,
and need not be read back.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from lineage.types import JsonValue


class OutEdge(NamedTuple):
    """A reference as an edge, without the end that it leaves; `relation` and `ordinal` are the reference's."""

    edge: str
    to_id: int
    to_kind: str
    to_uid: str
    relation: str
    ordinal: int
    properties: Mapping[str, JsonValue]


class Made:
    """What is known of the edges leaving `nodes`, all made by this transaction."""

    def __init__(self, nodes: Collection[int]) -> None:
        self._sure: dict[int, list[OutEdge]] = {node: [] for node in nodes}

    def add(self, from_id: int, edge: OutEdge) -> None:
        """To be called for every edge that is written; those that leave other nodes are passed over."""
        if (edges := self._sure.get(from_id)) is not None:
            edges.append(edge)

    def doubt(self, node_ids: Iterable[int | None]) -> None:
        """Forget what is known of these nodes: a row of theirs was changed or deleted."""
        for node in node_ids:
            if node is not None:
                self._sure.pop(node, None)

    def doubt_all(self) -> None:
        """Forget everything: nodes are deleted, and edges with them."""
        self._sure = {}

    @property
    def edges(self) -> Mapping[int, Sequence[OutEdge]]:
        """Every edge that leaves each of these nodes, in the order of their rows."""
        return self._sure
