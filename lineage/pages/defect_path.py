"""The way that a defect takes through a lineage: from where it began to the answers it reached."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.types import EdgeView, NodeView
from lineage.vocabulary import Edge

_CALM_STATES: Final = frozenset({"active", "current"})
# Found, but not read: a defect does not travel along these.
_IDLE: Final = frozenset({Edge.RETRIEVED, Edge.MATCHED})


@dataclass(frozen=True, slots=True)
class DefectPath:
    """Uids of the nodes on the way, those among them where it began, and its edges (effect, cause)."""

    nodes: frozenset[str]
    origins: frozenset[str]
    edges: frozenset[tuple[str, str]]


def is_troubled(node: NodeView) -> bool:
    """Whether a case touches the node: in effect on it or upstream, or an answer no longer current."""
    return bool(node.withdrawn_by) or node.state not in _CALM_STATES


def defect_path(
    roots: Collection[str], nodes: Mapping[str, NodeView], edges: Sequence[EdgeView]
) -> DefectPath:
    """What lies between the origins of trouble and the answers (or the roots) that it reached.

    Origins are nodes under a case none of whose causes is under one. A passage that was
    only retrieved is under the case, too, but the defect did not pass through it.
    """
    causes: dict[str, set[str]] = defaultdict(set)
    effects: dict[str, set[str]] = defaultdict(set)
    derived: set[str] = set()
    for edge in edges:
        effect, cause = edge.from_uid, edge.to_uid
        if edge.type == Edge.STATED_IN:
            # A claim makes its answer stale, not the other way round.
            effect, cause = cause, effect
        if not (is_troubled(nodes[effect]) and is_troubled(nodes[cause])):
            continue
        derived.add(effect)
        if edge.type in _IDLE:
            continue
        causes[effect].add(cause)
        effects[cause].add(effect)
    under_case = {uid for uid, node in nodes.items() if node.withdrawn_by}
    origins = under_case - derived
    reached = {uid for uid, node in nodes.items() if node.kind == "answer" and is_troubled(node)}
    reached |= {root for root in roots if root in nodes and is_troubled(nodes[root])}
    between = _reach(reached, causes) & _reach(origins, effects)
    return DefectPath(
        nodes=frozenset(between),
        origins=frozenset(origins & between),
        edges=frozenset(
            (effect, cause) for effect in between for cause in causes[effect] if cause in between
        ),
    )


def _reach(starts: Collection[str], steps: Mapping[str, set[str]]) -> set[str]:
    """The starts and all that lies beyond them."""
    found, frontier = set(starts), list(starts)
    while frontier:
        for uid in steps.get(frontier.pop(), ()):
            if uid not in found:
                found.add(uid)
                frontier.append(uid)
    return found
