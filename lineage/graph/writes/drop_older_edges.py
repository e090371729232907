"""Removes edges that leave a node and that no batch since the given one has written.

Case edges leave a node too, but are written by the cases: they stay.
"""

from collections.abc import Sequence
from typing import Final

from lineage.graph.client import Unit
from lineage.graph.labels import for_label
from lineage.vocabulary import CASE_EDGES

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})-[edge]->()
WHERE edge.batch < $batch AND NOT type(edge) IN $kept
DELETE edge
"""


def drop_older_edges(
    unit: Unit, *, workspace: str, kind: str, uids: Sequence[str], batch: int
) -> None:
    """Remove what batches before `batch` wrote and none since has confirmed."""
    unit.run(
        for_label(CYPHER, kind=kind),
        workspace=workspace,
        uids=list(uids),
        batch=batch,
        kept=[edge.value for edge in CASE_EDGES],
    )
