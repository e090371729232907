"""Which edges leave a node and all that it rests on, within some steps? A walk of many levels by one statement.

Two levels at a time, then each node once: an enumeration of paths (`*0..10`) meets a node as often
as there are ways to it, and of nested documents there are too many. One level at a time would make
a statement that takes Neo4j longer to plan than all steps of a plain walk.
"""

from collections.abc import Iterable
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label
from lineage.graph.reads.edges_from import shown
from lineage.types import EdgeView
from lineage.vocabulary import Edge

# Steps from the root to the farthest node whose edges are told: two for each line that repeats.
LEVELS: Final = 10
# A server that has just started may take as long to plan it.
SECONDS: Final = 5.0
CYPHER: Final = """
MATCH (root:Kind {uid: $uid, workspace: $workspace})
OPTIONAL MATCH (root)-[:SERVED_FROM*0..10]->(answer:Answer)<-[:STATED_IN]-(claim:Claim)
UNWIND [root, claim] AS start
WITH DISTINCT start AS node WHERE node IS NOT NULL
MATCH (node)-[:EDGES*0..2]->(above) WITH DISTINCT above AS node
MATCH (node)-[:EDGES*0..2]->(above) WITH DISTINCT above AS node
MATCH (node)-[:EDGES*0..2]->(above) WITH DISTINCT above AS node
MATCH (node)-[:EDGES*0..2]->(above) WITH DISTINCT above AS node
MATCH (node)-[:EDGES*0..2]->(above) WITH DISTINCT above AS node
MATCH (node)-[edge:EDGES|STATED_IN]->(cause)
WHERE cause.workspace = $workspace
RETURN node.uid AS from_uid, type(edge) AS type, cause.uid AS to_uid, properties(edge) AS properties
ORDER BY from_uid, type, to_uid, edge.role LIMIT $limit
"""


def edges_above(
    *, workspace: str, kind: str, uid: str, edges: Iterable[Edge], limit: int
) -> list[EdgeView]:
    """At most `limit` edges, in the order of (from, type, to, role), of a root of this kind.

    Of these types, and STATED_IN: an answer's claims belong to what is above it, those of the
    answers that it was served from, too. Raises QueryTimedOut after 5 seconds.
    """
    rows = client.read(
        for_label(CYPHER, kind=kind, edges=edges),
        name=__name__,
        workspace=workspace,
        uid=uid,
        timeout=SECONDS,
        limit=limit,
    )
    return [EdgeView(**{**row, "properties": shown(row["properties"])}) for row in rows]
