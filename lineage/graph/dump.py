"""A workspace's graph as plain sorted values, to compare two of them.

Left out: when a node was recorded and in which batch it was written. All else must
be equal for the same records, in whatever order, split and repetition they came.
"""

from collections.abc import Iterator
from typing import Final

from lineage.graph.reads.edges_from import edges_from
from lineage.graph.reads.nodes_of_workspace import nodes_of_workspace
from lineage.graph.scope import scope_of
from lineage.types import JsonValue
from lineage.vocabulary import KINDS, Edge

PAGE: Final = 500
_LEFT_OUT: Final = frozenset({"recorded_at", "batch"})

# (kind, uid, other properties sorted by name) and (from uid, type, to uid, properties).
DumpedNode = tuple[str, str, tuple[tuple[str, JsonValue], ...]]
DumpedEdge = tuple[str, str, str, tuple[tuple[str, JsonValue], ...]]


class DumpTooLarge(Exception):
    """There is more in the graph than the dump was allowed to take."""


def dump(workspace_id: int, *, limit: int = 100_000) -> tuple[list[DumpedNode], list[DumpedEdge]]:
    """All nodes and edges, sorted. Raises DumpTooLarge beyond `limit` of either, GraphAway."""
    workspace = scope_of(workspace_id).code
    nodes: list[DumpedNode] = []
    edges: list[DumpedEdge] = []
    for kind in KINDS:
        for page in _pages(workspace, kind):
            nodes += page
            uids = [uid for _, uid, _ in page]
            found = edges_from(
                workspace=workspace, kind=kind, uids=uids, edges=Edge, limit=limit + 1
            )
            edges += [
                (edge.from_uid, edge.type, edge.to_uid, tuple(sorted(edge.properties.items())))
                for edge in found
            ]
            if max(len(nodes), len(edges)) > limit:
                message = f"more than {limit} nodes or edges"
                raise DumpTooLarge(message)
    return sorted(nodes), sorted(edges)


def _pages(workspace: str, kind: str) -> Iterator[list[DumpedNode]]:
    after = ""
    while True:
        found = nodes_of_workspace(workspace=workspace, kind=kind, after=after, limit=PAGE)
        yield [(kind, node["uid"], _kept(node)) for node in found]
        if len(found) < PAGE:
            return
        after = found[-1]["uid"]


def _kept(properties: dict[str, JsonValue]) -> tuple[tuple[str, JsonValue], ...]:
    left_out = _LEFT_OUT | {"uid"}
    return tuple(sorted((name, properties[name]) for name in properties.keys() - left_out))
