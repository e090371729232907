"""A walk of the graph as nodes that the viewer may see, with the edges between them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.graph.walk import Walk
from lineage.models import Node
from lineage.nodes import node, views
from lineage.types import EdgeView, NodeView, Viewer

MOST_NODES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What lies around a node, itself first; `truncated` where a bound cut the walk."""

    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    truncated: bool


def around(
    viewer: Viewer,
    uid: str,
    walk: Callable[..., Walk],
    depth: int,
    as_of: datetime | None = None,
) -> Neighbourhood:
    """The nodes that the walk reaches, hidden ones by their shape; `as_of`: without what began later.

    Raises NotFound, Moved, Erased for the node itself, GraphAway where no walk is possible.
    """
    node(viewer, uid)
    walked = walk(viewer.workspace_id, uid, depth=depth, limit=MOST_NODES, as_of=as_of)
    rows = {
        row.uid: row
        for row in Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=walked.uids)
    }
    found = [rows[each] for each in walked.uids if each in rows]
    edges = tuple(e for e in walked.edges if e.from_uid in rows and e.to_uid in rows)
    return Neighbourhood(tuple(views(viewer, found)), edges, walked.truncated)
