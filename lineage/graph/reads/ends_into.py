"""Between which nodes do edges of these types run that arrive at these nodes of one kind? Without what they say.

For searches that read very many of them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from lineage.graph import client
from lineage.graph.labels import for_label
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})<-[edge:EDGES]-(dependent)
WHERE dependent.workspace = $workspace
RETURN DISTINCT dependent.uid AS from_uid, uid AS to_uid
ORDER BY to_uid, from_uid LIMIT $limit
"""


def ends_into(
    *, workspace: str, kind: str, uids: Sequence[str], edges: Iterable[Edge], limit: int
) -> list[tuple[str, str]]:
    """At most `limit` pairs (from, to), in the order of (to, from)."""
    rows = client.read(
        for_label(CYPHER, kind=kind, edges=edges),
        name=__name__,
        workspace=workspace,
        uids=list(uids),
        limit=limit,
    )
    return [(row["from_uid"], row["to_uid"]) for row in rows]
