"""Which outputs of these runs have no derivation of their own, so that the run must speak for them?"""

from collections.abc import Sequence
from typing import Final

from lineage.graph import client
from lineage.types import EdgeView
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (run:Run {uid: uid, workspace: $workspace})<-[:WAS_GENERATED_BY]-(output)
WHERE output.workspace = $workspace AND NOT EXISTS { (output)-[:WAS_DERIVED_FROM]->() }
RETURN output.uid AS from_uid, uid AS to_uid
ORDER BY to_uid, from_uid LIMIT $limit
"""


def outputs_without_derivation(
    *, workspace: str, uids: Sequence[str], limit: int
) -> list[EdgeView]:
    """Their WAS_GENERATED_BY edges, at most `limit`, in the order of (run, output)."""
    rows = client.read(CYPHER, name=__name__, workspace=workspace, uids=list(uids), limit=limit)
    return [
        EdgeView(Edge.WAS_GENERATED_BY.value, row["from_uid"], row["to_uid"], {}) for row in rows
    ]
