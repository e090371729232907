"""Where the nodes of a lineage stand in the eight stage columns: a pure function of nodes and edges.

The stages are the layers, so nothing has to be searched for: a column shows the
nodes that matter most and bundles the rest ("540 more"), and a few barycentre
sweeps order what is shown so that few lines cross. Units are those of the
picture's viewBox; the result is the same for the same input.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.pages.defect_path import DefectPath, defect_path, is_troubled
from lineage.types import EdgeView, NodeView
from lineage.vocabulary import KINDS

STAGES: Final = 8
BOX_WIDTH: Final = 136
BOX_HEIGHT: Final = 50
PITCH: Final = 163  # from the left of one column to the left of the next
ROW: Final = 60
TOP: Final = 46  # below the titles of the columns
_SWEEPS: Final = 8
_FAR: Final = 1_000_000
_KIND_RANK: Final = {name: rank for rank, name in enumerate(KINDS)}
Pair = tuple[int, int, int, int]  # x and y of the cause's box, then of the effect's


@dataclass(frozen=True, slots=True)
class Box:
    """One node of a column, or (`node` None) the bundle of the `bundled` nodes it does not show."""

    stage: int
    x: int
    y: int
    node: NodeView | None
    bundled: int = 0
    is_root: bool = False
    near: bool = False  # an edge joins it to the root
    troubled: bool = False  # on the path of a defect
    tells: bool = False  # its state is put into words: where a defect began, and what it reached


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two boxes, from cause to effect; `count` edges of the lineage run along it."""

    path: str
    count: int
    troubled: bool


@dataclass(frozen=True, slots=True)
class Column:
    """One stage: how many nodes it holds and how many are shown as boxes."""

    stage: int
    x: int
    total: int
    shown: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Columns, boxes and lines; `beside` are the nodes of no stage: creators, components, runs, cases."""

    width: int
    height: int
    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    beside: tuple[NodeView, ...]


def lay_out(
    root: str,
    nodes: Sequence[NodeView],
    edges: Sequence[EdgeView],
    *,
    most: int = 7,
    opened: int | None = None,
    most_opened: int = 60,
) -> Picture:
    """Place the nodes. A column shows `most` boxes, the `opened` one `most_opened`, the rest as one bundle.

    Edges that name a node which is not among `nodes` are left out.
    """
    by_uid = {node.uid: node for node in nodes}
    known = [edge for edge in edges if edge.from_uid in by_uid and edge.to_uid in by_uid]
    neighbours: dict[str, set[str]] = defaultdict(set)
    for edge in known:
        neighbours[edge.from_uid].add(edge.to_uid)
        neighbours[edge.to_uid].add(edge.from_uid)
    stages: dict[int, list[NodeView]] = defaultdict(list)
    for node in by_uid.values():
        stages[KINDS[node.kind].stage].append(node)
    distance = _distances(root, neighbours)
    path = defect_path(root, by_uid, known)

    shown: dict[int, list[NodeView]] = {}
    for stage in range(1, STAGES + 1):
        ranked = sorted(
            stages[stage], key=lambda node: _weight(node, root, path, distance, neighbours)
        )
        limit = most_opened if stage == opened else most
        # A bundle of one would take the place of the node itself.
        shown[stage] = ranked if len(ranked) <= limit + 1 else ranked[:limit]
    order = _ordered(shown, neighbours)

    boxes: list[Box] = []
    box_of: dict[str, Box] = {}
    columns: list[Column] = []
    for stage in range(1, STAGES + 1):
        x = (stage - 1) * PITCH
        total = len(stages[stage])
        columns.append(Column(stage, x, total, len(order[stage])))
        for row, node in enumerate(order[stage]):
            box = Box(
                stage, x, TOP + row * ROW, node,
                is_root=node.uid == root, near=root in neighbours[node.uid],
                troubled=node.uid in path.nodes,
                tells=node.uid in path.origins or (node.kind == "answer" and is_troubled(node)),
            )  # fmt: skip
            boxes.append(box)
            box_of[node.uid] = box
        if rest := total - len(order[stage]):
            bundle = Box(stage, x, TOP + len(order[stage]) * ROW, None, bundled=rest)
            boxes.append(bundle)
            for node in stages[stage]:
                box_of.setdefault(node.uid, bundle)
    rows = max((column.shown + (column.total > column.shown) for column in columns), default=0)
    return Picture(
        width=(STAGES - 1) * PITCH + BOX_WIDTH,
        height=TOP + max(rows, 1) * ROW,
        columns=tuple(columns),
        boxes=tuple(boxes),
        links=tuple(_links(known, box_of, path)),
        beside=tuple(
            sorted(stages[0], key=lambda node: (_KIND_RANK[node.kind], node.label or "", node.uid))
        ),
    )


def _distances(root: str, neighbours: Mapping[str, set[str]]) -> dict[str, int]:
    """Edges from the root, either way."""
    distance = {root: 0}
    queue = deque([root])
    while queue:
        uid = queue.popleft()
        for other in neighbours.get(uid, ()):
            if other not in distance:
                distance[other] = distance[uid] + 1
                queue.append(other)
    return distance


def _weight(
    node: NodeView,
    root: str,
    path: DefectPath,
    distance: Mapping[str, int],
    neighbours: Mapping[str, set[str]],
) -> tuple[bool, bool, int, int, int, str]:
    """What a column shows first: the root, the path of a defect, what is near, what is well connected."""
    return (
        node.uid != root,
        node.uid not in path.nodes and not (node.kind == "answer" and is_troubled(node)),
        distance.get(node.uid, _FAR),
        _KIND_RANK[node.kind],
        -len(neighbours.get(node.uid, ())),
        node.uid,
    )


def _ordered(
    shown: Mapping[int, list[NodeView]], neighbours: Mapping[str, set[str]]
) -> dict[int, list[NodeView]]:
    """Each column by kind, then by where its neighbours in other columns stand."""
    order = {
        stage: sorted(nodes, key=lambda node: (_KIND_RANK[node.kind], node.uid))
        for stage, nodes in shown.items()
    }
    stage_of = {node.uid: stage for stage, nodes in order.items() for node in nodes}
    place = {node.uid: row for nodes in order.values() for row, node in enumerate(nodes)}
    for sweep in range(_SWEEPS):
        stages = range(1, STAGES + 1) if sweep % 2 == 0 else range(STAGES, 0, -1)
        for stage in stages:
            centre = {
                node.uid: _centre(
                    [
                        place[other]
                        for other in neighbours.get(node.uid, ())
                        if stage_of.get(other, stage) != stage
                    ],
                    place[node.uid],
                )
                for node in order[stage]
            }
            order[stage].sort(key=lambda node: (_KIND_RANK[node.kind], centre[node.uid], node.uid))
            for row, node in enumerate(order[stage]):
                place[node.uid] = row
    return order


def _centre(places: Sequence[int], own: int) -> float:
    return sum(places) / len(places) if places else float(own)


def _links(edges: Iterable[EdgeView], box_of: Mapping[str, Box], path: DefectPath) -> list[Link]:
    """One line for all edges between two boxes; those of no stage have no box and no line."""
    ends: dict[Pair, tuple[Box, Box]] = {}
    counts: dict[Pair, int] = defaultdict(int)
    troubled: set[Pair] = set()
    for edge in edges:
        effect, cause = box_of.get(edge.from_uid), box_of.get(edge.to_uid)
        if effect is None or cause is None or effect is cause:
            continue
        pair = (cause.x, cause.y, effect.x, effect.y)
        ends[pair] = (cause, effect)
        counts[pair] += 1
        ends_of_edge = (edge.from_uid, edge.to_uid)
        if ends_of_edge in path.edges or ends_of_edge[::-1] in path.edges:
            troubled.add(pair)
    links = [Link(_path(*ends[pair]), count, pair in troubled) for pair, count in counts.items()]
    # The path of the defect is drawn last, above the rest.
    return sorted(links, key=lambda link: (link.troubled, link.path))


def _path(cause: Box, effect: Box) -> str:
    """A curve from the cause's right side to the effect's left; within a column it bows out to the right."""
    y1, y2 = cause.y + BOX_HEIGHT // 2, effect.y + BOX_HEIGHT // 2
    if cause.stage == effect.stage:
        x = cause.x + BOX_WIDTH
        return f"M{x} {y1}C{x + 18} {y1} {x + 18} {y2} {x} {y2}"
    left, right = (cause, effect) if cause.stage < effect.stage else (effect, cause)
    x1, x2 = left.x + BOX_WIDTH, right.x
    if left is not cause:
        y1, y2 = y2, y1
    bend = max((x2 - x1) // 2, 12)
    return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
