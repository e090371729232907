"""Where the nodes of a lineage stand in the eight stage columns: a pure function of nodes and edges.

The stages are the layers, so nothing has to be searched for: a column shows the
nodes that matter most and bundles the rest by kind ("7 of 4,310 chunks"); a bundle
that is open shows more of its kind. Units are those of the picture's viewBox; the
result is the same for the same input.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from lineage.pages.defect_path import DefectPath, defect_path, is_troubled
from lineage.pages.picture_lines import Link, links
from lineage.pages.picture_order import KIND_RANK, chosen, distances, ordered, ranked_by_weight
from lineage.types import EdgeView, NodeView
from lineage.vocabulary import KINDS

__all__ = ["Box", "Bundle", "Column", "Link", "Picture", "Total", "lay_out"]

STAGES: Final = 8
BOX_WIDTH: Final = 136
BOX_HEIGHT: Final = 50
PITCH: Final = 158  # from the left of one column to the left of the next
ROW: Final = 60
TOP: Final = 6  # the titles of the columns stand above the picture
# Chips beside the picture: each kind has its own room, or the runs would crowd out the creators.
_ROOM_BESIDE: Final = {kind.name: 8 for kind in KINDS.values() if kind.stage == 0}
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
_EVERYTHING: Final[Mapping[str, Collection[str]]] = MappingProxyType({})


class Total(NamedTuple):
    """How many nodes of a kind there are; `at_least`: there may be more."""

    number: int
    at_least: bool


_AS_GIVEN: Final[Mapping[str, Total]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Bundle:
    """Of one kind in a column: how many nodes there are, are shown, and match its words (None: no words).

    `more`: opening it further shows more. `at_least`: there may be more than `total`.
    """

    kind: str
    total: int
    shown: int
    opened: bool
    matched: int | None
    more: bool
    at_least: bool = False

    @property
    def left(self) -> int:
        """Nodes that are not shown."""
        return self.total - self.shown


@dataclass(frozen=True, slots=True)
class Box:
    """One node of a column, or (`node` None) what its `bundle` does not show; `place` is its number."""

    place: int
    stage: int
    x: int
    y: int
    node: NodeView | None
    bundle: Bundle | None = None
    is_root: bool = False
    near: bool = False  # an edge joins it to a root
    troubled: bool = False  # on the path of a defect
    tells: bool = False  # its state is put into words: where a defect began, and what it reached


@dataclass(frozen=True, slots=True)
class Column:
    """One stage: how many nodes it holds, of which `kinds`, how many are shown, and its bundles, open or not.

    Stage 0 is no column: what has no stage, beside the picture.
    """

    stage: int
    x: int
    total: int
    shown: int
    bundles: tuple[Bundle, ...] = ()
    at_least: bool = False
    kinds: Mapping[str, Total] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """Columns, boxes and lines; `beside` are the nodes of no stage: creators, components, runs, cases."""

    width: int
    height: int
    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    beside: tuple[NodeView, ...]
    aside: Column


def lay_out(
    roots: Sequence[str],
    nodes: Sequence[NodeView],
    edges: Sequence[EdgeView],
    *,
    most: int = 7,
    limits: Mapping[str, int] = _NOTHING,
    matching: Mapping[str, Collection[str]] = _EVERYTHING,
    possible: Collection[str] = (),
    totals: Mapping[str, Total] = _AS_GIVEN,
) -> Picture:
    """Place the nodes around the roots. A column shows `most` boxes; of the kinds in `limits`, which are open, as many as those say.

    `matching`: by kind, the uids that may be shown; the others are in the bundle. `possible`:
    uids reached only across a run that does not say what came of what. `totals`: by kind, how
    many there are where `nodes` may be but a part. Edges that name a node which is not among
    `nodes` are left out.
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
    distance = distances(roots, neighbours)
    path = defect_path(roots, by_uid, known)
    counts = Counter(node.kind for node in by_uid.values())
    count = {
        kind: max(counts[kind], totals[kind].number) if kind in totals else counts[kind]
        for kind in KINDS
    }
    unsure = {kind for kind, total in totals.items() if total.at_least}
    shown: dict[int, list[NodeView]] = {}
    columns: dict[int, Column] = {}
    for stage in range(STAGES + 1):
        ranked = ranked_by_weight(stages[stage], roots, path, distance, neighbours)
        room = limits if stage else {**_ROOM_BESIDE, **limits}
        shown[stage] = chosen(ranked, roots, most=most, limits=room, matching=matching)
        bundles = _bundles(stages[stage], shown[stage], limits, matching, count, unsure)
        kinds = [kind.name for kind in KINDS.values() if kind.stage == stage]
        columns[stage] = Column(
            stage,
            (stage - 1) * PITCH if stage else 0,
            sum(count[kind] for kind in kinds),
            len(shown[stage]),
            bundles,
            # Of a kind that is not there nothing is said.
            at_least=any(count[kind] and kind in unsure for kind in kinds),
            kinds={kind: Total(count[kind], kind in unsure) for kind in kinds if count[kind]},
        )
    beside = sorted(
        shown.pop(0), key=lambda node: (KIND_RANK[node.kind], node.label or "", node.uid)
    )
    order = ordered(shown, neighbours)
    boxes = _boxes(roots, order, columns, path, neighbours)
    box_of = {box.node.uid: box for box in boxes if box.node is not None}
    rest = {box.bundle.kind: box for box in boxes if box.bundle is not None}
    for node in by_uid.values():
        if node.kind in rest:
            box_of.setdefault(node.uid, rest[node.kind])
    return Picture(
        width=(STAGES - 1) * PITCH + BOX_WIDTH,
        height=max((box.y for box in boxes), default=TOP) + ROW,
        columns=tuple(columns[stage] for stage in range(1, STAGES + 1)),
        boxes=tuple(boxes),
        links=tuple(links(known, box_of, path, possible, width=BOX_WIDTH, height=BOX_HEIGHT)),
        beside=tuple(beside),
        aside=columns[0],
    )


def _bundles(
    nodes: Sequence[NodeView],
    shown: Sequence[NodeView],
    limits: Mapping[str, int],
    matching: Mapping[str, Collection[str]],
    count: Mapping[str, int],
    unsure: Collection[str],
) -> tuple[Bundle, ...]:
    """Of each kind of a column that is not all shown, or is open, or is looked through for words."""
    counts = Counter(node.kind for node in shown)
    seen = {node.uid for node in shown}
    left = {
        node.kind
        for node in nodes
        if node.uid not in seen and node.uid in matching.get(node.kind, (node.uid,))
    }
    return tuple(
        Bundle(
            kind=kind,
            total=count[kind],
            shown=counts[kind],
            opened=kind in limits,
            matched=len(matching[kind]) if kind in matching else None,
            more=kind in left,
            at_least=kind in unsure,
        )
        for kind in sorted({node.kind for node in nodes}, key=KIND_RANK.__getitem__)
        if count[kind] > counts[kind] or kind in limits or kind in matching
    )


def _boxes(
    roots: Collection[str],
    order: Mapping[int, Sequence[NodeView]],
    columns: Mapping[int, Column],
    path: DefectPath,
    neighbours: Mapping[str, set[str]],
) -> list[Box]:
    """The boxes of each column from top to bottom, its bundles last."""
    boxes: list[Box] = []
    for stage in sorted(order):
        column = columns[stage]
        for row, node in enumerate(order[stage]):
            boxes.append(
                Box(
                    len(boxes), stage, column.x, TOP + row * ROW, node,
                    is_root=node.uid in roots,
                    near=not neighbours.get(node.uid, set()).isdisjoint(roots),
                    troubled=node.uid in path.nodes,
                    tells=node.uid in path.origins
                    or (node.kind == "answer" and is_troubled(node)),
                )
            )  # fmt: skip
        left = [bundle for bundle in column.bundles if bundle.left]
        for row, bundle in enumerate(left, start=len(order[stage])):
            boxes.append(Box(len(boxes), stage, column.x, TOP + row * ROW, None, bundle=bundle))
    return boxes
