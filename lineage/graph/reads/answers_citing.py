"""Which answers cite these chunks or facts of one kind? From passage to answer in one question, each answer once."""

from collections.abc import Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (item:Kind {uid: uid, workspace: $workspace})<-[:WAS_QUOTED_FROM]-(citation:Citation)
WITH DISTINCT citation
MATCH (citation)<-[:CITES]-(claim:Claim)
WITH DISTINCT claim
MATCH (claim)-[:STATED_IN]->(answer:Answer)
WHERE answer.workspace = $workspace
RETURN DISTINCT answer.uid AS answer_uid
ORDER BY answer_uid LIMIT $limit
"""


def answers_citing(
    *, workspace: str, kind: str, uids: Sequence[str], limit: int, timeout: float
) -> list[str]:
    """At most `limit` answers by uid, in its order; `timeout` in seconds."""
    rows = client.read(
        for_label(CYPHER, kind=kind),
        name=__name__,
        timeout=timeout,
        workspace=workspace,
        uids=list(uids),
        limit=limit,
    )
    return [row["answer_uid"] for row in rows]
