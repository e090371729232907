"""Keeps the graph the image of the relational store.

A change marks the nodes it touches (GraphDirty) in its own transaction: those whose own
row or outgoing edges differ now, be it only because the node at the other end has
another uid. Projecting such a node writes what the relational store says of it *now*:
the node, the edges that leave it, and nothing else; edges that it no longer has leave
the graph, and so do the uids that it had before, with all that points at them.

Why an older state never overwrites a newer one: a unit of work takes its turn in
the graph first (writes/take_batch.py) and reads the relational store after that, so
units of a workspace are serial and each reads at least what its forerunner read.
Why nothing is lost: the marks are claimed before the state is read and cleared last,
each only if nobody has marked or claimed the node since. Dying anywhere in between
leaves the marks, and projecting again changes nothing.

Do not call these functions inside a relational transaction: the turn in the graph
would wait for the database's lock while its holder waits for the turn.
"""

import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from lineage.graph.case_projection import project_case, write_case_edges_of
from lineage.graph.client import Unit
from lineage.graph.fresh import Fresh
from lineage.graph.scope import Scope, scope_of
from lineage.graph.state import (
    Cursor,
    claim,
    clear,
    distinct_edges,
    former_uids,
    live_uids,
    read_edges,
    read_nodes,
)
from lineage.graph.turn import in_turn
from lineage.graph.write_batch import remove_nodes, remove_older_edges, write_edges, write_nodes
from lineage.models import GraphDirty
from lineage.models.turns import turn

__all__ = ["project", "project_case", "retire"]

# A request of 500 records, with what it implies, in one turn.
NODES_A_BATCH: Final = 1000
EDGES_A_BATCH: Final = 5000
_Item = TypeVar("_Item")


def project(
    workspace_id: int, node_ids: Collection[int] | None = None, fresh: Fresh | None = None
) -> int:
    """Bring the graph up to date with the marked nodes: all of the workspace, or those named.

    `fresh`: those of the named whose state is in memory. Gives how many nodes were written.
    Raises GraphAway; what was not reached stays marked.
    """
    scope = scope_of(workspace_id)
    if node_ids is None:
        return sum(_project_slice(scope, slice_ids) for slice_ids in _marked(scope))
    written: set[int] = set()
    if fresh is not None:
        for slice_ids in _slices(sorted(fresh.states)):
            written |= _project_fresh(scope, fresh, slice_ids)
    left = sorted(set(node_ids) - written)
    return len(written) + sum(_project_slice(scope, slice_ids) for slice_ids in _slices(left))


def retire(workspace_id: int, uids: Collection[str]) -> None:
    """Remove nodes that the relational store no longer has; one that it has (again) is spared.

    Safe to repeat. Raises GraphAway.
    """
    scope = scope_of(workspace_id)
    for some in _slices(sorted(set(uids))):
        in_turn(scope, partial(_retire, scope, some), name=f"{__name__}.retire")


def _retire(scope: Scope, uids: Sequence[str], unit: Unit, _batch: int) -> None:
    gone = set(uids) - live_uids(scope, uids)
    remove_nodes(unit, workspace=scope.code, uids=gone)


def _slices(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), NODES_A_BATCH):
        yield items[start : start + NODES_A_BATCH]


def _marked(scope: Scope) -> Iterator[list[int]]:
    """Ids of marked nodes, from the lowest on; what is marked behind the cursor waits for the next call."""
    last = 0
    while True:
        marked = GraphDirty.objects.filter(workspace_id=scope.workspace_id, node_id__gt=last)
        ids = list(marked.order_by("node_id").values_list("node_id", flat=True)[:NODES_A_BATCH])
        if not ids:
            return
        yield ids
        last = ids[-1]


@dataclass(frozen=True, slots=True)
class _Written:
    """What the first unit of a slice did; `rest` tells from where its edges are still to be written."""

    batch: int
    uids: dict[int, str]
    earlier: set[str]
    rest: Cursor | None


def _project_slice(scope: Scope, node_ids: Sequence[int]) -> int:
    """Project those of the nodes that are marked; gives how many."""
    mark = secrets.randbits(62)
    with turn(scope.workspace_id):
        claimed = claim(scope, node_ids, mark=mark)
    if not claimed:
        return 0
    written = in_turn(scope, partial(_write_nodes, scope, claimed), name=__name__)
    rest = written.rest
    while rest is not None:
        rest = in_turn(scope, partial(_write_rest, scope, written, rest), name=f"{__name__}.rest")
    with turn(scope.workspace_id):
        clear(scope, claimed, mark=mark)
    return len(written.uids)


def _project_fresh(scope: Scope, fresh: Fresh, node_ids: Sequence[int]) -> set[int]:
    """Project those of the nodes that are as they are in memory; gives which."""
    if sum(len(fresh.references.get(pk, ())) for pk in node_ids) > EDGES_A_BATCH:
        return set()
    written = in_turn(
        scope, partial(_write_fresh, scope, fresh, node_ids), name=f"{__name__}.fresh"
    )
    with turn(scope.workspace_id):
        clear(scope, written, mark=fresh.mark)
    return set(written)


def _write_fresh(
    scope: Scope, fresh: Fresh, node_ids: Sequence[int], unit: Unit, batch: int
) -> list[int]:
    unchanged = fresh.unchanged(scope, node_ids)
    nodes = [fresh.states[pk].row for pk in unchanged]
    whole = [pk for pk in unchanged if pk in fresh.references]
    edges = distinct_edges(stated for pk in whole for stated in fresh.references[pk])
    earlier = write_nodes(unit, workspace=scope.code, batch=batch, rows=nodes)
    write_edges(unit, workspace=scope.code, batch=batch, rows=edges)
    earlier &= {fresh.states[pk].row.uid for pk in whole}
    remove_older_edges(unit, workspace=scope.code, uids=earlier, batch=batch)
    return unchanged


def _write_nodes(scope: Scope, node_ids: Sequence[int], unit: Unit, batch: int) -> _Written:
    states = read_nodes(scope, node_ids)
    uids = {state.id: state.row.uid for state in states}
    former = former_uids(scope, uids)
    remove_nodes(unit, workspace=scope.code, uids=former.uids)
    earlier = write_nodes(
        unit, workspace=scope.code, batch=batch, rows=[state.row for state in states]
    )
    edges, rest = read_edges(scope, uids, after=None, limit=EDGES_A_BATCH)
    write_edges(unit, workspace=scope.code, batch=batch, rows=edges)
    write_case_edges_of(unit, scope, node_ids=former.of_nodes, batch=batch)
    if rest is None:
        remove_older_edges(unit, workspace=scope.code, uids=earlier, batch=batch)
    return _Written(batch, uids, earlier, rest)


def _write_rest(
    scope: Scope, written: _Written, after: Cursor, unit: Unit, batch: int
) -> Cursor | None:
    edges, rest = read_edges(scope, written.uids, after=after, limit=EDGES_A_BATCH)
    write_edges(unit, workspace=scope.code, batch=batch, rows=edges)
    if rest is None:
        remove_older_edges(unit, workspace=scope.code, uids=written.earlier, batch=written.batch)
    return rest
