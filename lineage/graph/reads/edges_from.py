"""Which edges of these types leave these nodes of one kind? One step; walks go level by level."""

from collections.abc import Iterable, Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label
from lineage.types import EdgeView
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})-[edge:EDGES]->(cause)
WHERE cause.workspace = $workspace
RETURN uid AS from_uid, type(edge) AS type, cause.uid AS to_uid, properties(edge) AS properties
ORDER BY from_uid, type, to_uid, edge.role LIMIT $limit
"""


def edges_from(
    *, workspace: str, kind: str, uids: Sequence[str], edges: Iterable[Edge], limit: int
) -> list[EdgeView]:
    """At most `limit` edges, in the order of (from, type, to, role)."""
    rows = client.read(
        for_label(CYPHER, kind=kind, edges=edges),
        name=__name__,
        workspace=workspace,
        uids=list(uids),
        limit=limit,
    )
    return [EdgeView(**{**row, "properties": shown(row["properties"])}) for row in rows]


def shown(properties: dict[str, object]) -> dict[str, object]:
    """The properties that mean something outside the projection."""
    return {name: properties[name] for name in sorted(properties) if name != "batch"}
