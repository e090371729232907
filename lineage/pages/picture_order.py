"""Which nodes a column shows and in which order: pure, the same for the same input.

What matters most is shown; a few barycentre sweeps order it so that few lines cross.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from lineage.pages.defect_path import DefectPath, is_troubled
from lineage.types import NodeView
from lineage.vocabulary import KINDS

_SWEEPS: Final = 8
_FAR: Final = 1_000_000
KIND_RANK: Final = {name: rank for rank, name in enumerate(KINDS)}

Neighbours = Mapping[str, set[str]]


def distances(roots: Collection[str], neighbours: Neighbours) -> dict[str, int]:
    """Edges from the nearest root, either way."""
    distance = dict.fromkeys(roots, 0)
    queue = deque(roots)
    while queue:
        uid = queue.popleft()
        for other in neighbours.get(uid, ()):
            if other not in distance:
                distance[other] = distance[uid] + 1
                queue.append(other)
    return distance


def chosen(
    ranked: Sequence[NodeView],
    roots: Collection[str],
    *,
    most: int,
    limits: Mapping[str, int],
    matching: Mapping[str, Collection[str]],
) -> list[NodeView]:
    """Of the nodes of a column, ranked, those shown: `most` of the closed kinds together, of an open kind its limit.

    Of a kind in `matching` only those that match; roots are always shown.
    """
    candidates = [
        node
        for node in ranked
        if node.uid in roots or node.uid in matching.get(node.kind, (node.uid,))
    ]
    closed = {node.kind for node in candidates} - limits.keys()
    # No kind crowds out another: each has its share of the room, and what is left goes by rank.
    share = {**dict.fromkeys(closed, most // max(len(closed), 1)), **limits}
    taken: Counter[str] = Counter()
    first: set[str] = set()
    for node in candidates:
        if taken[node.kind] < share[node.kind] or node.uid in roots:
            taken[node.kind] += 1
            first.add(node.uid)
    spare = most - sum(taken[kind] for kind in closed)
    shown: list[NodeView] = []
    left: dict[str, list[NodeView]] = defaultdict(list)
    for node in candidates:
        if node.uid in first:
            shown.append(node)
        elif node.kind in closed and spare > 0:
            spare -= 1
            shown.append(node)
        else:
            left[node.kind].append(node)
    # A bundle of one would take the place of the node itself.
    shown += [nodes[0] for nodes in left.values() if len(nodes) == 1]
    return shown


def ranked_by_weight(
    nodes: Sequence[NodeView],
    roots: Collection[str],
    path: DefectPath,
    distance: Mapping[str, int],
    neighbours: Neighbours,
) -> list[NodeView]:
    """What a column shows first: the roots, the path of a defect, what is near, what is well connected."""

    def weight(node: NodeView) -> tuple[bool, bool, int, int, int, str]:
        return (
            node.uid not in roots,
            node.uid not in path.nodes and not (node.kind == "answer" and is_troubled(node)),
            distance.get(node.uid, _FAR),
            KIND_RANK[node.kind],
            -len(neighbours.get(node.uid, ())),
            node.uid,
        )

    return sorted(nodes, key=weight)


def ordered(
    shown: Mapping[int, Sequence[NodeView]], neighbours: Neighbours
) -> dict[int, list[NodeView]]:
    """Each column by kind, then by where its neighbours in other columns stand."""
    order = {
        stage: sorted(nodes, key=lambda node: (KIND_RANK[node.kind], node.uid))
        for stage, nodes in shown.items()
    }
    stage_of = {node.uid: stage for stage, nodes in order.items() for node in nodes}
    place = {node.uid: row for nodes in order.values() for row, node in enumerate(nodes)}
    # Only what is shown has a place: the thousands of others are looked at once, not in each sweep.
    beside = {
        uid: [
            other
            for other in sorted(neighbours.get(uid, ()))
            if stage_of.get(other, stage) != stage
        ]
        for uid, stage in stage_of.items()
    }
    for sweep in range(_SWEEPS):
        stages = sorted(order, reverse=sweep % 2 == 1)
        for stage in stages:
            centre = {
                node.uid: _centre([place[other] for other in beside[node.uid]], place[node.uid])
                for node in order[stage]
            }
            order[stage].sort(key=lambda node: (KIND_RANK[node.kind], centre[node.uid], node.uid))
            for row, node in enumerate(order[stage]):
                place[node.uid] = row
    return order


def _centre(places: Sequence[int], own: int) -> float:
    return sum(places) / len(places) if places else float(own)
