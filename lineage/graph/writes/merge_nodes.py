"""Writes nodes of one kind: exactly the properties given, whatever stood there before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lineage.graph.client import Unit
from lineage.graph.labels import for_label
from lineage.types import JsonValue

CYPHER: Final = """
UNWIND $rows AS row
MERGE (node:Kind {uid: row.uid})
WITH node, row, node.batch AS previous
SET node = row
WITH row.uid AS uid, previous WHERE previous IS NOT NULL
RETURN uid ORDER BY uid LIMIT $limit
"""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node to write; `properties` hold its uid, workspace and batch too."""

    kind: str
    uid: str
    properties: dict[str, JsonValue]


def merge_nodes(unit: Unit, *, kind: str, rows: Sequence[NodeRow]) -> set[str]:
    """Write the rows; gives the uids that an earlier batch had written as well."""
    found = unit.run(
        for_label(CYPHER, kind=kind),
        rows=[row.properties for row in rows],
        limit=len(rows),
    )
    return {row["uid"] for row in found}
