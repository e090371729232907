"""Writes edges of types that carry a role: one for each pair and role (creator and editor are two)."""

from collections.abc import Sequence
from typing import Final

from lineage.graph.client import Unit
from lineage.graph.labels import for_label
from lineage.graph.writes.merge_edges import EdgeRow
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $rows AS row
MERGE (dependent:FromKind {uid: row[0]}) ON CREATE SET dependent.workspace = $workspace
MERGE (cause:ToKind {uid: row[1]}) ON CREATE SET cause.workspace = $workspace
MERGE (dependent)-[edge:EDGE {role: row[2].role}]->(cause)
SET edge = row[2], edge.batch = $batch
"""


def merge_role_edges(
    unit: Unit,
    *,
    workspace: str,
    batch: int,
    edge: Edge,
    from_kind: str,
    to_kind: str,
    rows: Sequence[EdgeRow],
) -> None:
    """Write edges that are all of this type, between these kinds; their properties hold the role."""
    unit.run(
        for_label(CYPHER, from_kind=from_kind, to_kind=to_kind, edges=[edge]),
        workspace=workspace,
        batch=batch,
        rows=[row.parameters for row in rows],
    )
