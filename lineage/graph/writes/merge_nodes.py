"""Writes nodes of one kind: exactly the properties given, whatever stood there before."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from lineage.graph.client import Unit
from lineage.graph.labels import for_label
from lineage.types import JsonValue

CYPHER: Final = """
UNWIND $rows AS row
MERGE (node:Kind {uid: row.uid})
WITH node, row, node.batch AS previous
SET node = row, node.workspace = $workspace, node.batch = $batch
WITH row.uid AS uid, previous WHERE previous IS NOT NULL
RETURN uid ORDER BY uid LIMIT $limit
"""


class NodeRow(NamedTuple):
    """A node to write; `properties` hold its uid too, but neither the workspace nor the number of the batch."""

    kind: str
    uid: str
    properties: dict[str, JsonValue]


def merge_nodes(
    unit: Unit, *, workspace: str, batch: int, kind: str, rows: Sequence[NodeRow]
) -> set[str]:
    """Write the rows; gives the uids that an earlier batch had written as well."""
    found = unit.run(
        for_label(CYPHER, kind=kind),
        workspace=workspace,
        batch=batch,
        rows=[row.properties for row in rows],
        limit=len(rows),
    )
    return {row["uid"] for row in found}
