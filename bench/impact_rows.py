"""Writes the generated workspace of bench.impact_world in bulk: relational rows, and nodes and edges of the graph.

Straight into the tables, because through the product a million answers would take many
hours. Nodes have no texts, sightings or words to be found by; what impact reads is complete,
and equals what the product makes of the same records (tests/impact/test_measured_world.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.db import transaction

from bench.impact_world import EdgeOf, NodeOf, World, key, uid
from lineage import bulk_rows
from lineage.graph.labels import for_label
from lineage.graph.scope import workspace_code
from lineage.models import Node, Reference, RestsOn
from lineage.vocabulary import KINDS, Edge
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Session

_T = TypeVar("_T")
_ANSWERS: Final = 2_000
_GRAPH_ROWS: Final = 10_000
# What a world is written into.
TABLES: Final = (Node, Reference, RestsOn)
NODE_COLUMNS: Final = (
    "pk", "workspace_id", "kind", "namespace", "key", "address", "anywhere", "uid", "digest",
    "resolved", "provisional", "parent_id", "owner_id", "version_id", "label", "occurred_at",
    "event_at", "recorded_at", "start", "end", "anchor", "has_text", "fields", "attributes", "flags",
)  # fmt: skip
_REFERENCE: Final = (
    "workspace_id", "holder_id", "relation", "pointer", "ordinal", "edge", "kind", "address",
    "anywhere", "digest", "uid_named", "event_at", "status", "from_node_id", "to_node_id",
    "properties",
)  # fmt: skip
_REST: Final = ("answer_id", "target_id", "grade", "origin_grade", "via_id", "at")

_Stated = tuple[NodeOf, list[EdgeOf]]


class Writer:
    """Writes one world into one workspace; remembers the ids of what answers share."""

    def __init__(self, workspace: Workspace, world: World) -> None:
        self._workspace, self._world = workspace, world
        self._ids: dict[NodeOf, int] = {}
        self._now = clock.now()

    def write(self) -> None:
        """All rows, a few thousand answers in a transaction."""
        for some in _slices(self._world.shared(), _ANSWERS * 10):
            with transaction.atomic():
                self._stated(some, {})
        for answers in _slices(range(self._world.answers), _ANSWERS):
            with transaction.atomic():
                own: dict[NodeOf, int] = {}
                every = chain.from_iterable(self._world.answered(n) for n in answers)
                self._stated(list(every), own)
                self._closure(answers, own)

    def _stated(self, some: list[_Stated], own: dict[NodeOf, int]) -> None:
        ids = own if some and some[0][0].kind == "retrieval" else self._ids
        numbers = bulk_rows.reserve(Node, len(some))
        ids |= {node: pk for (node, _), pk in zip(some, numbers, strict=True)}
        self._own = own
        bulk_rows.insert(Node, NODE_COLUMNS, [self._node(node) for node, _ in some])
        edges = [edge for _, stated in some for edge in stated]
        bulk_rows.insert(Reference, _REFERENCE, [self._reference(edge) for edge in edges])

    def _id(self, node: NodeOf) -> int:
        found = self._own.get(node)
        return self._ids[node] if found is None else found

    def _node(self, node: NodeOf) -> bulk_rows.Row:
        name = uid(self._workspace.hash_key, node)
        at = self._world.at(node)
        late = KINDS[node.kind].stage >= KINDS["retrieval"].stage
        pk = self._id(node)
        return (
            pk, self._workspace.pk, node.kind, "", key(*node), name, name[4:], name, "",
            True, False, None, pk, None, "", at, at if late else None, self._now, None, None, "",
            False, {}, {}, [],
        )  # fmt: skip

    def _reference(self, edge: EdgeOf) -> bulk_rows.Row:
        # A reference names what its holder does not: the other end.
        named = edge.start if edge.holder == edge.end else edge.end
        return (
            self._workspace.pk, self._id(edge.holder), edge.relation, f"/{edge.relation}",
            edge.ordinal, edge.edge.value, named.kind, uid(self._workspace.hash_key, named), "", "",
            "", self._world.at(edge.holder), "bound", self._id(edge.start), self._id(edge.end), {},
        )  # fmt: skip

    def _closure(self, answers: Iterable[int], own: dict[NodeOf, int]) -> None:
        self._own = own
        rows: list[bulk_rows.Row] = []
        for number in answers:
            answer = NodeOf("answer", number)
            pk, at = self._id(answer), round(self._world.at(answer).timestamp() * 1_000_000)
            rows += [
                (pk, self._id(rest.target), int(rest.grade), 0, self._id(rest.via), at)
                for rest in self._world.rests(number)
            ]
        bulk_rows.insert(RestsOn, _REST, rows)


def write_graph(driver: "Driver", database: str, workspace: Workspace, world: World) -> None:
    """The same nodes and edges into an empty, migrated graph, by UNWIND in batches.

    While the server writes one batch the next is put together.
    """
    with driver.session(database=database) as session, ThreadPoolExecutor(1) as beside:
        written: Future[None] | None = None
        for batch in _batches(workspace.hash_key, world):
            if written is not None:
                written.result()
            written = beside.submit(batch.write, session)
        if written is not None:
            written.result()


class _Batch:
    """Nodes by kind and edges by type and kinds, some thousands."""

    def __init__(self) -> None:
        self.nodes: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.edges: dict[tuple[Edge, str, str], list[list[str]]] = defaultdict(list)
        self.size = 0

    def write(self, session: "Session") -> None:
        """In one transaction: where there is none ArcadeDB commits each node, 5 ms instead of 0.1."""
        session.execute_write(self._written)

    def _written(self, transaction: "ManagedTransaction") -> None:
        # Nodes first: edges look for both their ends.
        for kind, rows in self.nodes.items():
            create = "UNWIND $rows AS row CREATE (node:Kind) SET node = row"
            transaction.run(for_label(create, kind=kind), rows=rows).consume()
        for (edge, start, end), pairs in self.edges.items():
            statement = for_label(_LINK, from_kind=start, to_kind=end, edges=[edge])
            transaction.run(statement, pairs=pairs).consume()


def _batches(secret: bytes, world: World) -> Iterator[_Batch]:
    code = workspace_code(secret)
    batch = _Batch()
    answered = chain.from_iterable(world.answered(n) for n in range(world.answers))
    for node, stated in chain(world.shared(), answered):
        at = world.at(node).isoformat()
        batch.nodes[node.kind].append(
            {"uid": uid(secret, node), "workspace": code, "occurred_at": at}
        )
        for edge in stated:
            pair = [uid(secret, edge.start), uid(secret, edge.end)]
            batch.edges[edge.edge, edge.start.kind, edge.end.kind].append(pair)
        batch.size += len(stated)
        if batch.size >= _GRAPH_ROWS:
            yield batch
            batch = _Batch()
    yield batch


_LINK: Final = """
UNWIND $pairs AS pair
MATCH (dependent:FromKind {uid: pair[0]})
MATCH (cause:ToKind {uid: pair[1]})
CREATE (dependent)-[:EDGE]->(cause)
"""


def _slices(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
