"""Which edges of these types arrive at these nodes of one kind? One step; walks go level by level."""

from collections.abc import Iterable, Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label
from lineage.graph.reads.edges_from import shown
from lineage.types import EdgeView
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})<-[edge:EDGES]-(dependent)
WHERE dependent.workspace = $workspace
RETURN dependent.uid AS from_uid, type(edge) AS type, uid AS to_uid, properties(edge) AS properties
ORDER BY to_uid, type, from_uid, edge.role LIMIT $limit
"""


def edges_into(
    *, workspace: str, kind: str, uids: Sequence[str], edges: Iterable[Edge], limit: int
) -> list[EdgeView]:
    """At most `limit` edges, in the order of (to, type, from, role)."""
    rows = client.read(
        for_label(CYPHER, kind=kind, edges=edges),
        name=__name__,
        workspace=workspace,
        uids=list(uids),
        limit=limit,
    )
    return [EdgeView(**{**row, "properties": shown(row["properties"])}) for row in rows]
