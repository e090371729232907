"""What a picture is drawn from: the walks from its root, ways that must be shown, and how much lies beyond a bound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from lineage.graph import walk
from lineage.impact.report import impact
from lineage.impact.stages import downstream_counts
from lineage.pages.picture_address import PictureAddress
from lineage.types import EdgeView, NodeView, Viewer

Paths = Sequence[Sequence[str]]
# Answers that a picture shows even where the walk was cut before it reached any.
MOST_REACHED: Final = 7


@dataclass(frozen=True, slots=True)
class Walked:
    """Both walks as one.

    `uids`: what they reached without the root, nearest first. `possible`: what was reached only
    across a run that does not say what came of what. `truncated`: there is more; `cut`:
    because of the bound of nodes, not of the depth.
    """

    uids: tuple[str, ...]
    edges: tuple[EdgeView, ...]
    possible: frozenset[str]
    truncated: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class Beyond:
    """What is known of a lineage that was cut: ways to some answers, and numbers by kind.

    The numbers are at least those; those of the kinds in `exact` are all.
    """

    paths: Paths = ()
    totals: Mapping[str, int] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()


def walked(viewer: Viewer, address: PictureAddress, most: int) -> Walked:
    """Walk from the root of a picture, as its address says. Raises GraphAway."""
    where = (viewer.workspace_id, address.root)
    walks = []
    if address.direction != "down":
        walks.append(walk.upstream(*where, depth=address.depth, limit=most))
    if address.direction != "up":
        walks.append(walk.downstream(*where, depth=address.depth, limit=most))
    edges = {(edge.from_uid, edge.type, edge.to_uid): edge for one in walks for edge in one.edges}
    # Nearest first, either way: where a bound cuts, it cuts what is far.
    rank = {uid: at for one in reversed(walks) for at, uid in enumerate(one.uids)}
    return Walked(
        uids=tuple(sorted(rank.keys() - {address.root}, key=lambda uid: (rank[uid], uid))),
        edges=tuple(edges.values()),
        possible=frozenset[str]().union(*(one.possible for one in walks)),
        truncated=any(one.truncated for one in walks),
        # An edge with two new ends needs room for both.
        cut=any(one.truncated and len(one.uids) >= most - 1 for one in walks),
    )


def beyond(viewer: Viewer, address: PictureAddress, root: NodeView) -> Beyond:
    """What lies downstream of the root beyond a cut, from what is prepared; nothing for a picture upstream."""
    if address.direction == "up":
        return Beyond()
    answers = impact(viewer, address.root, limit=MOST_REACHED)
    downstream = downstream_counts(viewer, address.root)
    totals = dict(downstream.counts)
    totals[root.kind] = totals.get(root.kind, 0) + 1
    # Only an answer has answers upstream: those that it was served from.
    exact = {"answer"} if address.direction == "down" or root.kind != "answer" else set()
    if address.direction == "down" and not downstream.truncated:
        exact |= totals.keys()
    return Beyond(
        paths=[(*item.because, item.uid) for item in answers.items],
        totals=totals,
        exact=frozenset(exact),
    )


def with_paths(edges: Sequence[EdgeView], paths: Paths) -> list[EdgeView]:
    """The edges, and one for each step of a path that no edge joins: of no type, from effect to cause."""
    found = list(edges)
    joined = {frozenset((edge.from_uid, edge.to_uid)) for edge in edges}
    for path in paths:
        for cause, effect in pairwise(path):
            if frozenset((cause, effect)) not in joined:
                joined.add(frozenset((cause, effect)))
                found.append(EdgeView("", effect, cause, {}))
    return found
