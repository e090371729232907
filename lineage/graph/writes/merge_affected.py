"""Writes which answers one case affects: one edge for each answer, at most one for each pair.

As merge_edges does, for very many answers of one case: the case is looked up once, and the
three things that such an edge says are set one by one, which both servers do in less time
than a map of them. An answer that the graph does not hold yet is made with its uid and
workspace; its own projection fills it in.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from lineage.graph.client import Unit

CYPHER: Final = """
MERGE (case:Case {uid: $case}) ON CREATE SET case.workspace = $workspace
WITH case
UNWIND $rows AS row
MERGE (answer:Answer {uid: row[0]}) ON CREATE SET answer.workspace = $workspace
MERGE (answer)-[edge:AFFECTED_BY]->(case)
SET edge.grade = row[1], edge.at = row[2], edge.ended_at = row[3], edge.batch = $batch
"""


class AffectedRow(NamedTuple):
    """An answer, by how strong a grade it is affected, since when and until when (None: it is)."""

    answer_uid: str
    grade: str
    at: str
    ended_at: str | None


def merge_affected(
    unit: Unit, *, workspace: str, batch: int, case: str, rows: Sequence[AffectedRow]
) -> None:
    """Write the edges; times as the graph has them (lineage.graph.properties.instant)."""
    unit.run(
        CYPHER,
        workspace=workspace,
        batch=batch,
        case=case,
        rows=[list(row) for row in rows],
    )
