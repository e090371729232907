"""Of which chunks and facts are these nodes of one kind made? One step."""

from collections.abc import Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})-[:WAS_DERIVED_FROM]->(item)
WHERE (item:Chunk OR item:Fact) AND item.workspace = $workspace
RETURN DISTINCT uid AS from_uid, item.uid AS to_uid
ORDER BY from_uid, to_uid LIMIT $limit
"""


def items_above(
    *, workspace: str, kind: str, uids: Sequence[str], limit: int
) -> list[tuple[str, str]]:
    """At most `limit` pairs (made, of what), in that order."""
    rows = client.read(
        for_label(CYPHER, kind=kind),
        name=__name__,
        workspace=workspace,
        uids=list(uids),
        limit=limit,
    )
    return [(row["from_uid"], row["to_uid"]) for row in rows]
