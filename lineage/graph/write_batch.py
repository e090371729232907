"""Hands nodes and edges of a batch to the statements that write them, sorted and grouped by label."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from lineage.graph.client import Unit
from lineage.graph.state import ROLE_EDGES
from lineage.graph.writes.drop_nodes import drop_nodes
from lineage.graph.writes.drop_older_edges import drop_older_edges
from lineage.graph.writes.merge_edges import EdgeRow, merge_edges
from lineage.graph.writes.merge_nodes import NodeRow, merge_nodes
from lineage.graph.writes.merge_role_edges import merge_role_edges
from lineage.graph.writes.merge_wide_edges import merge_wide_edges
from lineage.identifiers import kind_of_uid
from lineage.vocabulary import Edge

# Types of which one node may have very many: its members, its inputs.
WIDE_EDGES: Final = frozenset({Edge.HAD_MEMBER, Edge.USED})
# So many of any other type, leaving one node, are as well looked for from where they lead.
MANY: Final = 64


def write_nodes(unit: Unit, *, workspace: str, batch: int, rows: Iterable[NodeRow]) -> set[str]:
    """Write nodes of any kind; gives the uids that an earlier batch had written as well."""
    earlier: set[str] = set()
    ordered = sorted(rows, key=lambda row: (row.kind, row.uid))
    for kind, of_kind in groupby(ordered, key=lambda row: row.kind):
        earlier |= merge_nodes(
            unit, workspace=workspace, batch=batch, kind=kind, rows=list(of_kind)
        )
    return earlier


def write_edges(unit: Unit, *, workspace: str, batch: int, rows: Iterable[EdgeRow]) -> None:
    """Write edges of any type between nodes of any kind."""
    every = list(rows)
    leaving = Counter((row.edge, row.from_uid) for row in every)

    def group(row: EdgeRow) -> tuple[Edge, str, str, bool]:
        wide = row.edge in WIDE_EDGES or leaving[row.edge, row.from_uid] >= MANY
        return row.edge, row.from_kind, row.to_kind, wide

    ordered = sorted(every, key=lambda row: (*group(row), row.from_uid, row.to_uid, row.role))
    for (edge, from_kind, to_kind, wide), of_group in groupby(ordered, key=group):
        merge = merge_edges
        if edge in ROLE_EDGES:
            merge = merge_role_edges
        elif wide:
            merge = merge_wide_edges
        merge(
            unit,
            workspace=workspace,
            batch=batch,
            edge=edge,
            from_kind=from_kind,
            to_kind=to_kind,
            rows=list(of_group),
        )


def remove_nodes(unit: Unit, *, workspace: str, uids: Iterable[str]) -> None:
    """Remove nodes of any kind with their edges; what is no uid is passed over."""
    for kind, of_kind in _by_kind(uids):
        drop_nodes(unit, workspace=workspace, kind=kind, uids=of_kind)


def remove_older_edges(unit: Unit, *, workspace: str, uids: Iterable[str], batch: int) -> None:
    """Remove edges leaving these nodes that no batch since `batch` has written."""
    for kind, of_kind in _by_kind(uids):
        drop_older_edges(unit, workspace=workspace, kind=kind, uids=of_kind, batch=batch)


def _by_kind(uids: Iterable[str]) -> list[tuple[str, Sequence[str]]]:
    named = sorted((kind.name, uid) for uid in uids if (kind := kind_of_uid(uid)))
    return [
        (kind, [uid for _, uid in pairs])
        for kind, pairs in groupby(named, key=lambda pair: pair[0])
    ]
