"""What impact is measured against: plain traversals in the graph, and recursive SQL over the same edges.

The recursive statement is Marquez's way: its lineage is a CTE whose only brake is a depth (20) that
each row carries, so that a node is met once for each depth. *Tuned* drops the depth and reads
a table of (cause, effect, kind of the effect) made for it. Both follow exactly the edges that lead
from a component to answers. Figures: docs/performance.md.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from django.db.backends.utils import CursorWrapper
    from neo4j import Session

# From a component to the contexts that hold what its runs made.
_CONTEXTS: Final = """
MATCH (:Component {uid: $uid})<-[:WAS_ASSOCIATED_WITH]-(:Run)<-[:WAS_GENERATED_BY]-(:Document)
      <-[:WAS_DERIVED_FROM]-(chunk:Chunk)<-[:INCLUDED]-(context:Context)
"""
# Answers that cite such a chunk; the others have it in their context.
_CITED: Final = """
MATCH (:Component {uid: $uid})<-[:WAS_ASSOCIATED_WITH]-(:Run)<-[:WAS_GENERATED_BY]-(:Document)
      <-[:WAS_DERIVED_FROM]-(:Chunk)<-[:WAS_QUOTED_FROM]-(:Citation)<-[:CITES]-(:Claim)
      -[:STATED_IN]->(answer:Answer)
RETURN count(DISTINCT answer) AS number
"""
GRAPH: Final = {
    # One label and type a step, each step's nodes once: the fastest of those tried.
    "count": f"""{_CONTEXTS}
WITH DISTINCT context MATCH (context)<-[:WAS_DERIVED_FROM]-(answer:Answer)
RETURN count(DISTINCT answer) AS number""",
    "page": f"""{_CONTEXTS}
WITH DISTINCT context MATCH (context)<-[:WAS_DERIVED_FROM]-(answer:Answer)
RETURN DISTINCT answer.uid AS uid, answer.occurred_at AS at ORDER BY at DESC, uid LIMIT 50""",
    "cited": _CITED,
}


def ask(session: "Session", name: str, uid: str) -> list[dict[str, Any]]:
    """The rows of one of the traversals."""
    found: list[dict[str, Any]] = session.run(GRAPH[name], uid=uid).data()
    return found


# The edges of the edge table that such a walk takes.
_CROSSED: Final = (
    "'WAS_ASSOCIATED_WITH', 'WAS_GENERATED_BY', 'WAS_DERIVED_FROM', 'RETRIEVED', 'INCLUDED', "
    "'WAS_QUOTED_FROM', 'CITES'"
)
PLAIN: Final = f"""
WITH RECURSIVE walk(id, depth) AS (
  SELECT %s::bigint, 0
  UNION
  SELECT edge.from_node_id, walk.depth + 1
  FROM walk JOIN lineage_reference edge ON edge.to_node_id = walk.id
  WHERE walk.depth < 20 AND edge.edge IN ({_CROSSED})
)
SELECT count(DISTINCT walk.id) FROM walk JOIN lineage_node node ON node.id = walk.id
WHERE node.kind = 'answer'
"""
TUNED: Final = """
WITH RECURSIVE walk(id, kind) AS (
  SELECT %s::bigint, 'component'::text
  UNION
  SELECT edge.effect, edge.kind FROM walk JOIN bench_edge edge ON edge.cause = walk.id
)
SELECT count(*) FROM walk WHERE kind = 'answer'
"""
PREPARE_TUNED: Final = (
    f"""CREATE TABLE bench_edge AS SELECT edge.to_node_id AS cause, edge.from_node_id AS effect,
    node.kind::text AS kind
    FROM lineage_reference edge JOIN lineage_node node ON node.id = edge.from_node_id
    WHERE edge.edge IN ({_CROSSED})""",
    "CREATE INDEX bench_edge_cause ON bench_edge (cause) INCLUDE (effect, kind)",
    "VACUUM ANALYZE bench_edge",
)


def count_by(cursor: "CursorWrapper", statement: str, component: int) -> int:
    """The number of answers that a recursive statement finds."""
    cursor.execute("SET jit = off")
    cursor.execute("SET work_mem = '256MB'")
    cursor.execute(statement, [component])
    (number,) = cursor.fetchone()
    return int(number)
