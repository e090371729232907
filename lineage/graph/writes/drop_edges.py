"""Removes edges of one type between nodes of two kinds, by their ends."""

from collections.abc import Sequence
from typing import Final

from lineage.graph.client import Unit
from lineage.graph.labels import for_label
from lineage.vocabulary import Edge

CYPHER: Final = """
UNWIND $pairs AS pair
MATCH (:FromKind {uid: pair[0], workspace: $workspace})-[edge:EDGE]->(:ToKind {uid: pair[1]})
DELETE edge
"""


def drop_edges(
    unit: Unit,
    *,
    workspace: str,
    edge: Edge,
    from_kind: str,
    to_kind: str,
    pairs: Sequence[tuple[str, str]],
) -> None:
    """Remove the edges between these (from, to) uids; one that is not there is no error."""
    unit.run(
        for_label(CYPHER, from_kind=from_kind, to_kind=to_kind, edges=[edge]),
        workspace=workspace,
        pairs=[list(pair) for pair in pairs],
    )
