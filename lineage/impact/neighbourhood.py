"""Loads, level by level, the edges that a set of answers can rest on."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from types import MappingProxyType
from typing import Final

from django.db import connections, router
from django.db.models import QuerySet

from lineage.compiled import by_their_ids
from lineage.impact.made import OutEdge
from lineage.impact.rests_on import Edges, speaks_for
from lineage.models import Node, Reference
from lineage.vocabulary import UPSTREAM_EDGES, Edge
from provexplorer.clock import TICK
from provexplorer.workspaces.models import Workspace

# Below SQLite's limit of 32,766 variables in a statement.
_CHUNK: Final = 2_000
# Levels that are read one by one; what lies above them is found by one recursive statement.
STEPWISE: Final = 64
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WALKED: Final = frozenset(edge.value for edge in UPSTREAM_EDGES)


def load(
    workspace: Workspace,
    answers: Collection[int],
    made: Mapping[int, Sequence[OutEdge]] = MappingProxyType({}),
) -> tuple[Edges, set[int]]:
    """The edges above these answers, and every answer among them (those served from, too).

    `made`: nodes whose edges need no look-up, each with all of them (lineage.impact.made).
    """
    edges = Edges()
    edges.kinds.update(dict.fromkeys(answers, "answer"))
    frontier = set(answers)
    seen = set(frontier)
    every_answer = set(answers)
    for level in count():
        if not frontier:
            spoken = _load_used(workspace, edges)
            frontier = {node for node in spoken if node not in seen}
            if not frontier:
                break
        if level >= STEPWISE:
            frontier |= _above(workspace, frontier) - seen
        fresh = _known(edges, made, frontier & made.keys())
        fresh |= _level(workspace, edges, frontier - made.keys())
        new_answers = {node for node in frontier if edges.kinds[node] == "answer"}
        every_answer |= new_answers
        fresh |= _load_claims(workspace, edges, new_answers)
        seen |= frontier
        frontier = fresh - seen
    _load_credits(workspace, edges, made)
    return edges, every_answer


def _references(workspace: Workspace) -> QuerySet[Reference]:
    return by_their_ids(Reference.objects.all(), workspace.pk)


def _chunks(values: Collection[int]) -> list[list[int]]:
    every = sorted(values)
    return [every[start : start + _CHUNK] for start in range(0, len(every), _CHUNK)]


def _known(
    edges: Edges, made: Mapping[int, Sequence[OutEdge]], frontier: Collection[int]
) -> set[int]:
    fresh: set[int] = set()
    for node in frontier:
        for out in made[node]:
            if out.edge in _WALKED:
                there = edges.out[node][out.edge]
                if out.to_id not in there:
                    there.append(out.to_id)
                edges.kinds[out.to_id] = out.to_kind
                fresh.add(out.to_id)
    return fresh


def _level(workspace: Workspace, edges: Edges, frontier: Collection[int]) -> set[int]:
    fresh: set[int] = set()
    for chunk in _chunks(frontier):
        for from_id, edge, to_id, kind in (
            _references(workspace)
            .filter(from_node_id__in=chunk, edge__in=_WALKED, to_node__isnull=False)
            .order_by("pk")
            .values_list("from_node_id", "edge", "to_node_id", "to_node__kind")
        ):
            there = edges.out[from_id or 0][edge]
            if to_id not in there:
                there.append(to_id or 0)
            edges.kinds[to_id or 0] = kind or ""
            fresh.add(to_id or 0)
    return fresh


def _above(workspace: Workspace, nodes: Collection[int]) -> set[int]:
    """All that lies above these nodes, however deep: a chain of 10,000 is no reason for as many statements."""
    reference, node = _table(Reference), _table(Node)
    found: set[int] = set()
    for chunk in _chunks(nodes):
        marks, edges = ", ".join(["%s"] * len(chunk)), ", ".join(["%s"] * len(_WALKED))
        with connections[router.db_for_read(Reference)].cursor() as cursor:
            # UNION meets each node once, so that circles end.
            cursor.execute(
                f"WITH RECURSIVE above(id) AS (SELECT id FROM {node} WHERE id IN ({marks}) "  # noqa: S608 - our own names
                f"UNION SELECT edge.to_node_id FROM above JOIN {reference} edge "
                f"ON edge.from_node_id = above.id WHERE edge.edge IN ({edges}) "
                "AND edge.to_node_id IS NOT NULL AND edge.workspace_id + 0 = %s) "
                "SELECT id FROM above",
                [*chunk, *sorted(_WALKED), workspace.pk],
            )
            found |= {pk for (pk,) in cursor.fetchall()}
    return found


def _table(model: type[Node | Reference]) -> str:
    return model._meta.db_table  # noqa: SLF001 - Django's documented API


def _load_claims(workspace: Workspace, edges: Edges, answers: Collection[int]) -> set[int]:
    fresh: set[int] = set()
    for chunk in _chunks(answers):
        for claim, answer in (
            _references(workspace)
            .filter(to_node_id__in=chunk, edge=Edge.STATED_IN, from_node__isnull=False)
            .order_by("pk")
            .values_list("from_node_id", "to_node_id")
        ):
            edges.claims[answer or 0].append(claim or 0)
            edges.kinds[claim or 0] = "claim"
            fresh.add(claim or 0)
    return fresh


def _load_used(workspace: Workspace, edges: Edges) -> set[int]:
    """Inputs of the runs that speak for an output, loaded once each."""
    runs = {
        run for node in list(edges.kinds) for run in speaks_for(edges, node)
    } - edges.used.keys()
    inputs: set[int] = set()
    for run in runs:
        edges.used[run] = []
    for chunk in _chunks(runs):
        for run, node, kind in (
            _references(workspace)
            .filter(from_node_id__in=chunk, edge=Edge.USED, to_node__isnull=False)
            .order_by("pk")
            .values_list("from_node_id", "to_node_id", "to_node__kind")
        ):
            edges.used[run or 0].append(node or 0)
            edges.kinds[node or 0] = kind or ""
            inputs.add(node or 0)
    return inputs


def _load_credits(
    workspace: Workspace, edges: Edges, made: Mapping[int, Sequence[OutEdge]]
) -> None:
    holders: list[int] = []
    for node, by_edge in edges.out.items():
        if Edge.WAS_ATTRIBUTED_TO not in by_edge:
            continue
        if node not in made:
            holders.append(node)
            continue
        edges.credits[node] += [
            (out.to_id, str(out.properties.get("role", "")))
            for out in made[node]
            if out.edge == Edge.WAS_ATTRIBUTED_TO
        ]
    for chunk in _chunks(holders):
        for node, agent, properties in (
            _references(workspace)
            .filter(
                from_node_id__in=chunk, edge=Edge.WAS_ATTRIBUTED_TO, to_node__isnull=False
            )
            .order_by("pk")
            .values_list("from_node_id", "to_node_id", "properties")
        ):  # fmt: skip
            edges.credits[node or 0].append((agent or 0, str(properties.get("role", ""))))


def occurred_at_micros(answers: Collection[int]) -> dict[int, int]:
    """Each answer's occurred_at in microseconds since 1970, -1 where unknown.

    What a clock that was never set says (the year 1, 1601) counts as the first instant of 1970:
    the unknown comes last, and is told from all that is known.
    """
    found: dict[int, int] = {}
    for chunk in _chunks(answers):
        for pk, at in Node.objects.filter(pk__in=chunk).values_list("pk", "occurred_at"):
            found[pk] = -1 if at is None else max(0, micros(at))
    return found


def micros(at: datetime) -> int:
    """Microseconds since 1970, as RestsOn.at has them: exact, whatever the year."""
    return (at - _EPOCH) // TICK
