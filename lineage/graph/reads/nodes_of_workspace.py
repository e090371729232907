"""Which nodes of one kind does the graph hold of a workspace? For dumps and rebuilds, not for pages."""

from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label
from lineage.types import JsonValue

CYPHER: Final = """
MATCH (node:Kind {workspace: $workspace}) WHERE node.uid > $after
RETURN properties(node) AS properties ORDER BY node.uid LIMIT $limit
"""


def nodes_of_workspace(
    *, workspace: str, kind: str, after: str, limit: int
) -> list[dict[str, JsonValue]]:
    """The properties of at most `limit` nodes, by uid, from behind the uid `after`."""
    rows = client.read(
        for_label(CYPHER, kind=kind), name=__name__, workspace=workspace, after=after, limit=limit
    )
    return [row["properties"] for row in rows]
