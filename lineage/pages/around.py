"""What lies around a node, or several, as one page: the picture, and the same nodes as a table by stage.

Both show the same selection of what one walk found, with the same numbers.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lineage.graph.then import Then
from lineage.nodes import node
from lineage.pages.columns import Column, Picture, Total, lay_out
from lineage.pages.names import nodes_of
from lineage.pages.picture_address import DEEPEST, DIRECTIONS, Direction, PictureAddress
from lineage.pages.picture_lines import LINES, line_of
from lineage.pages.picture_nodes import outlines, saying
from lineage.pages.picture_order import KIND_RANK
from lineage.pages.picture_walk import Beyond, Paths, beyond, walked, with_paths
from lineage.types import EdgeView, NodeView, Viewer
from lineage.vocabulary import KINDS

__all__ = ["DEEPEST", "DIRECTIONS", "Around", "Direction", "around"]

MOST_NODES: Final = 2_000
MOST_CAUSES: Final = 3  # named in a row of the table


@dataclass(frozen=True, slots=True)
class Cause:
    """What a node rests on; `line` is one of picture_lines.LINES."""

    node: NodeView
    line: str


@dataclass(frozen=True, slots=True)
class Row:
    """A node of the table and the nodes that it points to within the lineage shown (effect → cause)."""

    node: NodeView
    causes: tuple[Cause, ...]
    causes_total: int
    is_root: bool


@dataclass(frozen=True, slots=True)
class StageRows:
    """One stage of the table; stage 0 holds what has no stage: creators, components, runs, cases."""

    stage: int
    rows: tuple[Row, ...]
    column: Column

    @property
    def total(self) -> int:
        return self.column.total


@dataclass(frozen=True, slots=True)
class Around:
    """A node with what lies up- and downstream of it, and of the `others` that the picture starts from, too.

    `truncated`: the walk stopped at its depth or at `most` nodes, and numbers are at least what
    they say, but for columns and bundles that say otherwise. `lines`: the kinds of lines drawn.
    `troubled`: the way of a defect is among them. Of a picture as of a date (`address.until`),
    `undated`: nodes of which no time is known; `later`: the starts that began only after it.
    """

    root: NodeView
    others: tuple[NodeView, ...]
    direction: Direction
    address: PictureAddress
    picture: Picture
    stages: tuple[StageRows, ...]
    total: int
    edges_total: int
    truncated: bool
    most: int
    lines: tuple[str, ...]
    troubled: bool
    undated: int
    later: tuple[NodeView, ...]


def around(
    viewer: Viewer,
    uid: str,
    *,
    direction: Direction = "both",
    address: PictureAddress | None = None,
    most: int = MOST_NODES,
    paths: Paths = (),
) -> Around:
    """Walk from the node and lay out what was found.

    `address` says more than `direction` alone: depth, open bundles, words, selection, further
    nodes to walk from, of which those that the workspace does not know are passed over. `paths`
    are ways from the nodes to what must be shown, however far the walk got (uids, from cause to
    effect). Raises NotFound, Moved, Erased, and GraphAway while the graph does not answer.
    """
    shown = address or PictureAddress(uid, direction)
    root = node(viewer, uid)
    found = walked(viewer, shown, most)
    more = beyond(viewer, shown) if found.cut else Beyond()
    paths = [*paths, *more.paths]
    edges = with_paths(found.edges, paths)
    required = {*shown.also, *(each for path in paths for each in path)} - {uid}
    reached = [each for each in found.uids if each not in required]
    room = max(0, most - 1 - len(required))
    known = {uid: root, **outlines(viewer, {*required, *reached[:room]})}
    roots = [each for each in shown.roots if each in known]
    truncated = found.truncated or len(reached) > room
    picture = lay_out(
        roots,
        list(known.values()),
        edges,
        limits=shown.limits,
        matching=_matching(viewer, known, shown.filters),
        possible=found.possible,
        totals={
            kind: Total(more.totals.get(kind, 0), truncated and kind not in more.exact)
            for kind in KINDS
        },
    )
    until = shown.until
    then = Then(viewer.workspace_id, until) if until is not None else None
    late = then.late(roots) if then else set()
    causes = _causes(edges, known, found.possible)
    stages, picture = _told(viewer, root, roots, picture, causes)
    named = {box.node.uid: box.node for box in picture.boxes if box.node is not None}
    named |= {each.uid: each for each in picture.beside}
    return Around(
        root=root,
        others=tuple(named[each] for each in roots[1:]),
        direction=shown.direction,
        address=shown,
        picture=picture,
        stages=stages,
        total=sum(column.total for column in (*picture.columns, picture.aside)),
        edges_total=len(edges),
        truncated=truncated,
        most=most,
        lines=tuple(line for line in LINES if any(link.line == line for link in picture.links)),
        troubled=any(link.troubled for link in picture.links),
        undated=len(then.undated(known)) if then else 0,
        later=tuple(named[each] for each in roots if each in late),
    )


def _matching(
    viewer: Viewer, known: Mapping[str, NodeView], words: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """By kind, the nodes that hold the words asked for."""
    return {
        kind: saying(viewer, [each.uid for each in known.values() if each.kind == kind], wanted)
        for kind, wanted in words.items()
    }


def _causes(
    edges: Sequence[EdgeView], known: Mapping[str, NodeView], possible: Collection[str]
) -> dict[str, dict[str, str]]:
    """By effect, its causes with the strongest line to each."""
    causes: dict[str, dict[str, str]] = defaultdict(dict)
    for edge in edges:
        if edge.from_uid not in known or edge.to_uid not in known:
            continue
        line = line_of(edge, possible)
        before = causes[edge.from_uid].get(edge.to_uid, line)
        causes[edge.from_uid][edge.to_uid] = min(line, before, key=LINES.index)
    return causes


def _told(
    viewer: Viewer,
    root: NodeView,
    roots: Collection[str],
    picture: Picture,
    causes: Mapping[str, Mapping[str, str]],
) -> tuple[tuple[StageRows, ...], Picture]:
    """The table of what is shown, and the picture with names in its boxes."""
    shown: dict[int, list[str]] = defaultdict(list)
    for box in picture.boxes:
        if box.node is not None:
            shown[box.stage].append(box.node.uid)
    shown[0] = [each.uid for each in picture.beside]
    named = {uid for uids in shown.values() for uid in uids}
    told = {
        uid: sorted(causes.get(uid, {}), key=lambda cause: (cause not in named, cause))
        for uid in named
    }
    named |= {cause for some in told.values() for cause in some[:MOST_CAUSES]}
    views = {**nodes_of(viewer, named - {root.uid}), root.uid: root}

    def row(uid: str) -> Row:
        listed = tuple(
            Cause(views[cause], causes[uid][cause])
            for cause in told[uid][:MOST_CAUSES]
            if cause in views
        )
        return Row(views[uid], listed, len(told[uid]), uid in roots)

    stages = tuple(
        StageRows(
            column.stage,
            tuple(
                row(uid)
                for uid in sorted(
                    (uid for uid in shown[column.stage] if uid in views),
                    key=lambda uid: _in_order(views[uid], roots),
                )
            ),
            column,
        )
        for column in (*picture.columns, picture.aside)
        if column.total
    )
    boxes = tuple(
        replace(box, node=views.get(box.node.uid, box.node)) if box.node else box
        for box in picture.boxes
    )
    beside = sorted(
        (views.get(each.uid, each) for each in picture.beside),
        key=lambda each: _in_order(each, roots),
    )
    return stages, replace(picture, boxes=boxes, beside=tuple(beside))


def _in_order(view: NodeView, roots: Collection[str]) -> tuple[bool, int, int, str, str]:
    """The roots first, then by kind; passages as they stand in their document, others by name."""
    interval = view.fields.get("interval")
    start = interval.get("start") if isinstance(interval, dict) else None
    begins = start if isinstance(start, int) else -1
    return view.uid not in roots, KIND_RANK[view.kind], begins, view.label or "", view.uid
