"""The baseline of the writes: the same nodes and edges by plain `UNWIND … MERGE`, nothing else.

One transaction a batch, one statement for each label and each type of edge, properties
as parameters: what a loader would do that checks nothing, keeps no text, no history and
no prepared closure. The rows are those that the product itself would write.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from neo4j import Driver, Session

from lineage.graph.labels import for_label
from lineage.graph.writes.merge_edges import EdgeRow
from lineage.graph.writes.merge_nodes import NodeRow

NODES = "UNWIND $rows AS row MERGE (node:Kind {uid: row.uid}) SET node = row.properties"
EDGES = """
UNWIND $rows AS row
MATCH (dependent:FromKind {uid: row.from_uid})
MATCH (cause:ToKind {uid: row.to_uid})
MERGE (dependent)-[edge:EDGE]->(cause)
SET edge = row.properties
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """What one batch of records comes to in the graph."""

    nodes: list[NodeRow]
    edges: list[EdgeRow]


def renamed(rows: Rows, mark: str) -> Rows:
    """The same rows under other uids, so that they meet nothing that is there."""

    def other(uid: str) -> str:
        return f"{uid[:4]}{hashlib.sha256((mark + uid).encode()).hexdigest()[:26]}"

    return Rows(
        [
            row._replace(uid=other(row.uid), properties={**row.properties, "uid": other(row.uid)})
            for row in rows.nodes
        ],
        [
            row._replace(from_uid=other(row.from_uid), to_uid=other(row.to_uid))
            for row in rows.edges
        ],
    )


def write(driver: Driver, database: str, rows: Rows) -> None:
    """Write one batch in one transaction."""
    with driver.session(database=database) as session:
        _write(session, rows)


def _write(session: Session, rows: Rows) -> None:
    with session.begin_transaction() as transaction:
        for kind, nodes in groupby(sorted(rows.nodes, key=_kind), key=_kind):
            statement = for_label(NODES, kind=kind)
            transaction.run(
                statement, rows=[{"uid": row.uid, "properties": row.properties} for row in nodes]
            ).consume()
        for (edge, from_kind, to_kind), edges in groupby(sorted(rows.edges, key=_type), key=_type):
            statement = for_label(EDGES, from_kind=from_kind, to_kind=to_kind, edges=[edge])
            transaction.run(statement, rows=_parameters(list(edges))).consume()
        transaction.commit()


def _parameters(rows: Sequence[EdgeRow]) -> list[dict[str, Any]]:
    return [
        {"from_uid": row.from_uid, "to_uid": row.to_uid, "properties": row.properties}
        for row in rows
    ]


def _kind(row: NodeRow) -> str:
    return row.kind


def _type(row: EdgeRow) -> tuple[Any, str, str]:
    return row.edge, row.from_kind, row.to_kind
