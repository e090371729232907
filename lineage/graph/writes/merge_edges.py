"""Writes edges of one type between nodes of two kinds, at most one for each pair.

An end that the graph does not hold yet is made with its uid and workspace; its
own projection fills it in. The edge is looked for from its dependent: of most types
few edges leave a node and many may arrive, and ArcadeDB walks all edges of the end
that the pattern starts from. merge_wide_edges is for nodes that many leave.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from lineage.graph.client import Unit
from lineage.graph.labels import for_label
from lineage.types import JsonValue
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $rows AS row
MERGE (dependent:FromKind {uid: row[0]}) ON CREATE SET dependent.workspace = $workspace
MERGE (cause:ToKind {uid: row[1]}) ON CREATE SET cause.workspace = $workspace
MERGE (dependent)-[edge:EDGE]->(cause)
SET edge = row[2], edge.batch = $batch
"""


class EdgeRow(NamedTuple):
    """An edge to write; `role` tells edges between the same two nodes apart where the type has roles.

    The properties hold the role where the type has roles, and not the number of the batch.
    """

    edge: Edge
    from_kind: str
    from_uid: str
    to_kind: str
    to_uid: str
    role: str
    properties: dict[str, JsonValue]

    @property
    def parameters(self) -> list[JsonValue]:
        """As the statements take it: by place, since names are packed and unpacked again for each row."""
        return [self.from_uid, self.to_uid, self.properties]


def merge_edges(
    unit: Unit,
    *,
    workspace: str,
    batch: int,
    edge: Edge,
    from_kind: str,
    to_kind: str,
    rows: Sequence[EdgeRow],
) -> None:
    """Write edges that are all of this type, between these kinds."""
    unit.run(
        for_label(CYPHER, from_kind=from_kind, to_kind=to_kind, edges=[edge]),
        workspace=workspace,
        batch=batch,
        rows=[row.parameters for row in rows],
    )
