"""What stands upstream of a few nodes, read in two statements: their edges, then the nodes.

A page of one citation needs its chunk, document, version and work with their agents, runs
and components, and the answer's contexts and retrievals. Read relation by relation, that is
a dozen statements; the recursive one below walks them all at once (SQLite and PostgreSQL).
"""

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.db import connections, router

from lineage.compiled import Compiled, by_their_ids
from lineage.models import Node, Reference
from lineage.types import JsonValue
from lineage.vocabulary import Edge

logger = logging.getLogger(__name__)

# Steps from the seeds: citation → nested chunks → document → version → work → agent.
_MOST_STEPS: Final = 12
_MOST_EDGES: Final = 20_000
# Nodes per SELECT … IN: below SQLite's limit of variables.
_IDS_PER_QUERY: Final = 5_000

# Walked from every node that is reached.
_WALKED: Final = (
    Edge.WAS_QUOTED_FROM, Edge.WAS_DERIVED_FROM, Edge.SPECIALIZATION_OF, Edge.WAS_ATTRIBUTED_TO,
    Edge.WAS_GENERATED_BY, Edge.WAS_ASSOCIATED_WITH,
)  # fmt: skip
# Walked only where the page tells of everything that the answer had before it.
_GIVEN: Final = (Edge.INCLUDED, Edge.RETRIEVED)
# Read, but not walked.
_BESIDE: Final = (
    Edge.USED_SNAPSHOT, Edge.WAS_INFLUENCED_BY, Edge.SERVED_FROM, Edge.WAS_REVISION_OF,
)  # fmt: skip

# Edges that a shared run implies lead to whatever it read: that is not where a passage is from.
# The plus keeps SQLite from reading all references of the workspace instead of a node's.
_SQL: Final = """
WITH RECURSIVE walked(node_id, depth) AS (
    SELECT id, 0 FROM lineage_node WHERE +workspace_id = %s AND id IN ({seeds})
    UNION
    SELECT step.to_node_id, walked.depth + 1
    FROM walked JOIN lineage_reference step ON step.from_node_id = walked.node_id
    WHERE walked.depth < %s AND step.edge IN ({walked}) AND step.relation <> 'computed.run'
      AND step.to_node_id IS NOT NULL AND +step.workspace_id = %s
)
SELECT edge.from_node_id, edge.to_node_id, edge.edge, edge.relation, edge.properties
FROM lineage_reference edge
WHERE edge.from_node_id IN (SELECT node_id FROM walked) AND edge.to_node_id IS NOT NULL
  AND edge.relation <> 'computed.run' AND +edge.workspace_id = %s
  AND (
    edge.edge IN ({read})
    OR (edge.edge IN ({given}) AND edge.to_node_id IN (SELECT node_id FROM walked))
  )
ORDER BY edge.from_node_id, edge.relation, edge.ordinal, edge.id
LIMIT %s
"""
_NODES: Final = Compiled(
    lambda given: (
        by_their_ids(Node.objects.filter(pk__in=given.ids("ids")), given.id("workspace"))
        .only(
            "kind",
            "uid",
            "digest",
            "resolved",
            "parent_id",
            "owner_id",
            "version_id",
            "occurred_at",
            "start",
            "end",
            "anchor",
            "has_text",
            "fields",
            "attributes",
        )
        .order_by("pk")
    )
)
_NOTHING: Final[Mapping[str, JsonValue]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge from effect to cause, as a record states it."""

    to_id: int
    relation: str
    properties: Mapping[str, JsonValue]


class Upstream:
    """The nodes upstream of the seeds, by id, and the edges between them, in their order."""

    def __init__(
        self, nodes: Mapping[int, Node], edges: Mapping[tuple[int, str], Sequence[EdgeRow]]
    ) -> None:
        self.nodes = nodes
        self._edges = edges

    def rows(self, node_id: int, edge: Edge, relation: str | None = None) -> list[EdgeRow]:
        """The edges of this kind from a node, those of one relation if it is given."""
        rows = self._edges.get((node_id, edge.value), ())
        return [row for row in rows if relation is None or row.relation == relation]

    def causes(self, node_id: int, edge: Edge, relation: str | None = None) -> list[Node]:
        """The nodes that these edges lead to, each once."""
        found = {row.to_id: None for row in self.rows(node_id, edge, relation)}
        return [self.nodes[pk] for pk in found if pk in self.nodes]

    def parent(self, node: Node | None, kind: str) -> Node | None:
        """The place of a node, if it is of that kind."""
        found = self.nodes.get(node.parent_id or 0) if node is not None else None
        return found if found is not None and found.kind == kind else None


def upstream_of(workspace_id: int, seeds: Iterable[Node], *, all_given: bool = False) -> Upstream:
    """Everything upstream of the seeds, in two statements and one a step for places beyond.

    Of contexts and retrievals only the items and candidates that are upstream of a seed by
    another way (cited ones); with `all_given` all of them, with what is upstream of them.
    """
    known = {node.pk: node for node in seeds}
    if not known:
        return Upstream({}, {})
    through = (*_WALKED, *_GIVEN) if all_given else _WALKED
    read = [edge.value for edge in (*_WALKED, *_BESIDE)]
    statement = _SQL.format(
        seeds=_places(known), walked=_places(through), read=_places(read), given=_places(_GIVEN)
    )
    with connections[router.db_for_read(Reference)].cursor() as cursor:
        cursor.execute(
            statement,
            [
                workspace_id, *known, _MOST_STEPS, *(edge.value for edge in through), workspace_id,
                workspace_id, *read, *(edge.value for edge in _GIVEN), _MOST_EDGES,
            ],
        )  # fmt: skip
        rows = cursor.fetchall()
    edges: dict[tuple[int, str], list[EdgeRow]] = defaultdict(list)
    for from_id, to_id, edge, relation, properties in rows:
        said = _NOTHING if properties == "{}" else json.loads(properties)
        edges[from_id, edge].append(EdgeRow(to_id, relation, said))
    reached = {row[1] for row in rows}
    if len(rows) == _MOST_EDGES:
        logger.warning("upstream of %d nodes was cut at %d edges", len(known), _MOST_EDGES)
    return Upstream(_loaded(workspace_id, known, reached), edges)


def _loaded(workspace_id: int, known: dict[int, Node], reached: set[int]) -> dict[int, Node]:
    """The nodes with these ids, and the places of all, which an unresolved step may have missed."""
    wanted = reached | _parents(known.values())
    for _ in range(_MOST_STEPS):
        wanted -= known.keys()
        if not wanted:
            break
        found: list[Node] = []
        ordered = sorted(wanted)
        for begin in range(0, len(ordered), _IDS_PER_QUERY):
            batch = ordered[begin : begin + _IDS_PER_QUERY]
            found += _NODES.instances(workspace=workspace_id, ids=batch)
        known |= {node.pk: node for node in found}
        wanted = _parents(found)
    return known


def _parents(nodes: Iterable[Node]) -> set[int]:
    return {pk for node in nodes for pk in (node.parent_id, node.version_id) if pk is not None}


def _places(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))
