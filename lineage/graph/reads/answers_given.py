"""Which answers had these chunks or facts of one kind in their context? Each answer once."""

from collections.abc import Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (item:Kind {uid: uid, workspace: $workspace})<-[:INCLUDED]-(context:Context)
WITH DISTINCT context
MATCH (context)<-[:WAS_DERIVED_FROM]-(answer:Answer)
WHERE answer.workspace = $workspace
RETURN DISTINCT answer.uid AS answer_uid
ORDER BY answer_uid LIMIT $limit
"""


def answers_given(
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
