"""What a picture is drawn from: the walks from its roots, ways that must be shown, and how much lies beyond a bound."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from lineage.graph import walk
from lineage.impact.question import Question
from lineage.impact.report import affected, listed
from lineage.impact.stages import downstream_of_several
from lineage.impact.targets import Targets
from lineage.models import Node
from lineage.pages.picture_address import PictureAddress
from lineage.types import EdgeView, Viewer

Paths = Sequence[Sequence[str]]
# Answers that a picture shows even where the walk was cut before it reached any.
MOST_REACHED: Final = 7


@dataclass(frozen=True, slots=True)
class Walked:
    """All walks as one.

    `uids`: what they reached without the roots, nearest first. `possible`: what was reached only
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
    """Walk from the roots of a picture, as its address says, each within its share of `most`. Raises GraphAway."""
    share = max(2, most // len(address.roots))
    depth, until = address.depth, address.until
    walks = []
    for root in address.roots:
        where = (viewer.workspace_id, root)
        if address.direction != "down":
            walks.append(walk.upstream(*where, depth=depth, limit=share, as_of=until))
        if address.direction != "up":
            walks.append(walk.downstream(*where, depth=depth, limit=share, as_of=until))
    edges = {(edge.from_uid, edge.type, edge.to_uid): edge for one in walks for edge in one.edges}
    # Nearest first, either way: where a bound cuts, it cuts what is far.
    rank: dict[str, int] = {}
    for one in walks:
        for at, uid in enumerate(one.uids):
            rank[uid] = min(at, rank.get(uid, at))
    return Walked(
        uids=tuple(sorted(rank.keys() - set(address.roots), key=lambda uid: (rank[uid], uid))),
        edges=tuple(edges.values()),
        possible=frozenset[str]().union(*(one.possible for one in walks)),
        truncated=any(one.truncated for one in walks),
        # An edge with two new ends needs room for both.
        cut=any(one.truncated and len(one.uids) >= share - 1 for one in walks),
    )


def beyond(viewer: Viewer, address: PictureAddress) -> Beyond:
    """What lies downstream of the roots beyond a cut, from what is prepared: nothing upstream, nothing of the past."""
    if address.direction == "up" or address.until is not None:
        return Beyond()
    starts = list(
        Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=address.roots).order_by("uid")
    )
    question = Question(nodes=tuple(start.uid for start in starts))
    targets = Targets(tuple(start.pk for start in starts), None, len(starts))
    found = affected(viewer, question, targets=targets)
    counts = found.counts()
    items, _ = listed(found, limit=MOST_REACHED, cursor=None, counts=counts)
    downstream = downstream_of_several(viewer, starts, sum(counts.values()))
    totals = Counter(downstream.counts)
    counted = found.among([start.pk for start in starts])
    totals.update(start.kind for start in starts if start.pk not in counted)
    # Only an answer has answers upstream: those that it was served from.
    among_answers = any(start.kind == "answer" for start in starts)
    exact = {"answer"} if address.direction == "down" or not among_answers else set()
    if address.direction == "down" and not downstream.truncated:
        exact |= totals.keys()
    return Beyond(
        paths=[(*item.because, item.uid) for item in items], totals=totals, exact=frozenset(exact)
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
