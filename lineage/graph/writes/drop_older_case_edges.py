"""Removes edges that lead to a case and that no batch since the given one has written."""

from typing import Final

from lineage.graph.client import Unit

CYPHER: Final = """
MATCH (node:Case {uid: $uid, workspace: $workspace})<-[edge:AFFECTED_BY|WAS_INVALIDATED_BY]-()
WHERE edge.batch < $batch
WITH edge LIMIT $limit
DELETE edge
RETURN count(*) AS dropped
"""


def drop_older_case_edges(unit: Unit, *, workspace: str, uid: str, batch: int, limit: int) -> int:
    """How many were removed: fewer than `limit` when none is left."""
    rows = unit.run(CYPHER, workspace=workspace, uid=uid, batch=batch, limit=limit)
    return int(rows[0]["dropped"]) if rows else 0
