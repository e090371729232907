"""What lies above a node, read ahead: so that a walk upstream costs one round trip instead of one a level and kind."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from lineage.graph.client import QueryTimedOut
from lineage.graph.reads.edges_above import LEVELS, edges_above
from lineage.graph.stepping import Stepper, in_order, kind_name
from lineage.types import EdgeView
from lineage.vocabulary import UPSTREAM_EDGES, Edge

_CLAIMS: Final = (Edge.STATED_IN,)


class Above:
    """Steps upstream from a root: out of what was read ahead as far as that goes, then by the stepper.

    A root with more above it than may be read is walked by the stepper alone, so that what a
    bound cuts is the same either way; so is one of which the server cannot tell all at once.
    """

    def __init__(self, workspace: str, root: str, stepper: Stepper) -> None:
        self._stepper = stepper
        self._levels = 0
        self._leaving: dict[str, list[EdgeView]] = defaultdict(list)
        self._claims: dict[str, list[EdgeView]] = defaultdict(list)
        kind = kind_name(root)
        if not kind:
            return
        try:
            rows = edges_above(
                workspace=workspace, kind=kind, uid=root, edges=UPSTREAM_EDGES,
                limit=stepper.left + 1,
            )  # fmt: skip
        except QueryTimedOut:
            return
        if len(rows) > stepper.left:
            return
        stepper.left -= len(rows)
        # The edges of the root's own level and of those beyond it.
        self._levels = LEVELS + 1
        for edge in stepper.kept(rows):
            if edge.type == Edge.STATED_IN:
                self._claims[edge.to_uid].append(edge)
            else:
                self._leaving[edge.from_uid].append(edge)

    def step(self, frontier: Collection[str], level: int) -> list[EdgeView]:
        """The edges upstream of these nodes, which are `level` - 1 steps from the root."""
        answers = [uid for uid in frontier if kind_name(uid) == "answer"]
        if level > self._levels:
            found = self._stepper.leaving(frontier, UPSTREAM_EDGES)
            return found + self._stepper.arriving(answers, _CLAIMS)
        return [*_of(self._leaving, frontier), *_of(self._claims, answers)]


def _of(edges: dict[str, list[EdgeView]], nodes: Iterable[str]) -> list[EdgeView]:
    return [edge for uid in in_order(nodes) for edge in edges.get(uid, ())]
