"""Which answers came of a retrieval that found, matched or searched these nodes of one kind? Each answer once."""

from collections.abc import Iterable, Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})<-[:EDGES]-(retrieval:Retrieval)
WITH DISTINCT retrieval
MATCH (retrieval)<-[:WAS_DERIVED_FROM]-(context:Context)
WITH DISTINCT context
MATCH (context)<-[:WAS_DERIVED_FROM]-(answer:Answer)
WHERE answer.workspace = $workspace
RETURN DISTINCT answer.uid AS answer_uid
ORDER BY answer_uid LIMIT $limit
"""


def answers_retrieving(
    *,
    workspace: str,
    kind: str,
    uids: Sequence[str],
    edges: Iterable[Edge],
    limit: int,
    timeout: float,
) -> list[str]:
    """At most `limit` answers by uid, in its order; `timeout` in seconds."""
    rows = client.read(
        for_label(CYPHER, kind=kind, edges=edges),
        name=__name__,
        timeout=timeout,
        workspace=workspace,
        uids=list(uids),
        limit=limit,
    )
    return [row["answer_uid"] for row in rows]
