"""Walks from a node, level by level, within bounds: up to what it rests on, down to what rests on it.

Upstream follows every edge of the lineage, and from an answer also its claims.
Downstream follows the rules of impact (docs/architecture.md): what crosses only as
a first step, what crosses only as the last, what is only possible. Neither walks
along revisions, members of a snapshot, or cases.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.graph.above import Above
from lineage.graph.answers import AnswersFound, answers_downstream
from lineage.graph.possible import across_runs
from lineage.graph.scope import scope_of
from lineage.graph.starting import start_at
from lineage.graph.stepping import Stepper, kind_name
from lineage.graph.then import Then
from lineage.types import EdgeView
from lineage.vocabulary import IMPACT_EDGES, Edge

__all__ = ["AnswersFound", "Walk", "WalkedEdge", "answers_downstream", "downstream", "upstream"]

WalkedEdge = EdgeView
# Edges read for each node that a walk may reach.
_EDGES_A_NODE: Final = 10


@dataclass(frozen=True, slots=True)
class Walk:
    """Nodes by uid, nearest first, the start among them, and the edges walked between them.

    `possible`: nodes reached only across a run that does not say what came of what.
    `truncated`: there is more, beyond the depth or the number of nodes allowed.
    """

    root: str
    uids: tuple[str, ...]
    edges: tuple[EdgeView, ...]
    truncated: bool
    possible: frozenset[str] = frozenset()


class _Found:
    """Nodes and edges of a walk under way, up to a number of nodes."""

    def __init__(self, root: str, stepper: Stepper, limit: int) -> None:
        self.root = root
        self.stepper = stepper
        self.depth_of = {root: 0}
        self.possible: set[str] = set()
        self._edges: dict[tuple[str, str, str, str], EdgeView] = {}
        self._limit = limit
        self._cut = False

    def add(
        self, edges: Iterable[EdgeView], *, depth: int, deepest: int, possible: bool = False
    ) -> set[str]:
        """Take in edges of which at least one end is known; gives the nodes that are new.

        An edge whose other end is beyond a bound is left out, and the walk is truncated.
        """
        fresh: set[str] = set()
        for edge in edges:
            ends = [uid for uid in (edge.from_uid, edge.to_uid) if uid not in self.depth_of]
            if ends and (depth > deepest or len(self.depth_of) + len(ends) > self._limit):
                self._cut = True
                continue
            for uid in ends:
                self.depth_of[uid] = depth
                fresh.add(uid)
                if possible:
                    self.possible.add(uid)
            role = str(edge.properties.get("role", ""))
            self._edges[edge.from_uid, edge.type, edge.to_uid, role] = edge
        return fresh

    def at(self, depth: int) -> set[str]:
        return {uid for uid, found_at in self.depth_of.items() if found_at == depth}

    def walk(self) -> Walk:
        return Walk(
            root=self.root,
            uids=tuple(sorted(self.depth_of, key=lambda uid: (self.depth_of[uid], uid))),
            edges=tuple(self._edges[key] for key in sorted(self._edges)),
            truncated=self._cut or self.stepper.truncated,
            possible=frozenset(self.possible),
        )


def _stepper(workspace_id: int, limit: int, as_of: datetime | None) -> Stepper:
    """Reads edges enough for so many nodes; `as_of`: of what was there by then. Raises NotFound."""
    then = Then(workspace_id, as_of) if as_of is not None else None
    return Stepper(scope_of(workspace_id).code, limit=limit * _EDGES_A_NODE, then=then)


def upstream(
    workspace_id: int,
    uid: str,
    *,
    depth: int = 10,
    limit: int = 2000,
    as_of: datetime | None = None,
) -> Walk:
    """What the node rests on, at most `depth` steps away and `limit` nodes.

    `as_of`: without what began later (lineage.graph.then). An unknown uid stands alone. Raises
    GraphAway, NotFound for an unknown workspace.
    """
    stepper = _stepper(workspace_id, limit, as_of)
    found, above = _Found(uid, stepper, limit), Above(stepper.workspace, uid, stepper)
    frontier = {uid}
    for level in range(1, depth + 2):
        if not frontier:
            break
        frontier = found.add(above.step(frontier, level), depth=level, deepest=depth)
    return found.walk()


def downstream(
    workspace_id: int,
    uid: str,
    *,
    depth: int = 10,
    limit: int = 2000,
    as_of: datetime | None = None,
) -> Walk:
    """What rests on the node by the rules of impact, at most `depth` steps away and `limit` nodes.

    `as_of`: without what began later (lineage.graph.then). An unknown uid stands alone. Raises
    GraphAway, NotFound for an unknown workspace.
    """
    stepper = _stepper(workspace_id, limit, as_of)
    found = _Found(uid, stepper, limit)
    start = start_at(stepper, uid)
    for level, step in enumerate(start.steps, start=1):
        ends = step | found.depth_of.keys()
        edges = [edge for edge in start.edges if edge.from_uid in step and edge.to_uid in ends]
        found.add(edges, depth=level, deepest=depth)
    closed, opened = set(start.sources), set[str]()
    for level in range(1, depth + 2):
        below = _below(stepper, found.at(level - 1) | opened, closed)
        found.add(below, depth=level, deepest=depth)
        # A work of the agent that was made of another counts with all its versions.
        opened = closed & {edge.from_uid for edge in below}
        closed -= opened
    opened = set()
    for level in range(1, depth + 3):
        frontier = found.at(level - 1)
        crossed, outputs = across_runs(stepper, frontier)
        found.add(crossed, depth=level, deepest=depth, possible=True)
        beyond = _below(stepper, (frontier & found.possible) | opened, ())
        found.add(beyond, depth=level, deepest=depth, possible=True)
        # So does one that a run may have made.
        opened = closed & (outputs | {edge.from_uid for edge in beyond})
        closed -= opened
    return found.walk()


def _below(stepper: Stepper, frontier: Collection[str], closed: Collection[str]) -> list[EdgeView]:
    """One step of impact; a claim's last one leads to its answer."""
    edges = stepper.arriving(frontier, IMPACT_EDGES)
    edges += stepper.leaving(
        [uid for uid in frontier if kind_name(uid) == "claim"], [Edge.STATED_IN]
    )
    return [
        edge
        for edge in edges
        if not (edge.type == Edge.SPECIALIZATION_OF and edge.to_uid in closed)
    ]
