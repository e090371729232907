"""What lies around a node, as one page: the picture, and the same nodes as a table by stage."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from lineage.graph import walk
from lineage.nodes import node
from lineage.pages.columns import Picture, lay_out
from lineage.pages.names import nodes_of
from lineage.types import EdgeView, NodeView, Viewer
from lineage.vocabulary import KINDS

Direction = Literal["up", "down", "both"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("up", "down", "both")
DEEPEST: Final = 30
MOST_NODES: Final = 1_000
MOST_ROWS: Final = 20  # of one stage in the table, unless that stage is opened
MOST_ROWS_OPENED: Final = 400


_KIND_ORDER: Final = {name: order for order, name in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Row:
    """A node of the table and the nodes that it points to within the lineage shown (effect → cause)."""

    node: NodeView
    causes: tuple[NodeView, ...]
    causes_total: int
    is_root: bool


@dataclass(frozen=True, slots=True)
class StageRows:
    """One stage of the table; stage 0 holds what has no stage: creators, components, runs, cases."""

    stage: int
    rows: tuple[Row, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Around:
    """A node with what lies up- and downstream of it."""

    root: NodeView
    direction: Direction
    opened: int | None
    picture: Picture
    stages: tuple[StageRows, ...]
    total: int
    edges_total: int
    truncated: bool
    most: int


def around(
    viewer: Viewer,
    uid: str,
    *,
    direction: Direction = "both",
    depth: int = 10,
    opened: int | None = None,
    most: int = MOST_NODES,
    paths: Sequence[Sequence[str]] = (),
) -> Around:
    """Walk from the node and lay out what was found.

    `paths` are ways from the node to what must be shown, however far the walk got (uids,
    from cause to effect). Raises NotFound, Moved, Erased, and GraphAway while the graph does not answer.
    """
    root = node(viewer, uid)
    walks = []
    if direction != "down":
        walks.append(walk.upstream(viewer.workspace_id, uid, depth=depth, limit=most))
    if direction != "up":
        walks.append(walk.downstream(viewer.workspace_id, uid, depth=depth, limit=most))
    edges = {
        (edge.from_uid, edge.type, edge.to_uid): edge for found in walks for edge in found.edges
    }
    joined = {frozenset((edge.from_uid, edge.to_uid)) for edge in edges.values()}
    for path in paths:
        for cause, effect in pairwise(path):
            if frozenset((cause, effect)) not in joined:
                edges[effect, "", cause] = EdgeView("", effect, cause, {})
    required = {each for path in paths for each in path} - {uid}
    uids = sorted({each for found in walks for each in found.uids} - required - {uid})
    room = max(0, most - 1 - len(required))
    known = {uid: root, **nodes_of(viewer, {*required, *uids[:room]})}
    nodes = list(known.values())
    return Around(
        root=root,
        direction=direction,
        opened=opened,
        picture=lay_out(uid, nodes, list(edges.values()), opened=opened),
        stages=_stages(root, nodes, list(edges.values()), opened),
        total=len(nodes),
        edges_total=len(edges),
        truncated=any(found.truncated for found in walks) or len(uids) > room,
        most=most,
    )


def _stages(
    root: NodeView, nodes: Sequence[NodeView], edges: Sequence[EdgeView], opened: int | None
) -> tuple[StageRows, ...]:
    """The table: stages in order, what has no stage last."""
    by_uid = {each.uid: each for each in nodes}
    causes: dict[str, dict[str, NodeView]] = defaultdict(dict)
    for edge in edges:
        if edge.to_uid in by_uid:
            causes[edge.from_uid][edge.to_uid] = by_uid[edge.to_uid]
    stages: dict[int, list[NodeView]] = defaultdict(list)
    for each in nodes:
        stages[KINDS[each.kind].stage].append(each)
    found = []
    for stage in (1, 2, 3, 4, 5, 6, 7, 8, 0):
        members = sorted(
            stages[stage],
            key=lambda each: (
                each.uid != root.uid,
                _KIND_ORDER[each.kind],
                _begins(each),
                each.label or "",
                each.uid,
            ),
        )
        if not members:
            continue
        limit = MOST_ROWS_OPENED if stage == opened else MOST_ROWS
        rows = tuple(
            Row(
                each,
                tuple(list(causes[each.uid].values())[:3]),
                len(causes[each.uid]),
                each.uid == root.uid,
            )
            for each in members[:limit]
        )
        found.append(StageRows(stage, rows, len(members)))
    return tuple(found)


def _begins(node: NodeView) -> int:
    """Where a passage begins in its document, so that passages stand in reading order; -1 elsewhere."""
    interval = node.fields.get("interval")
    start = interval.get("start") if isinstance(interval, dict) else None
    return start if isinstance(start, int) else -1
