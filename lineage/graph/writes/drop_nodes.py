"""Removes nodes of one kind with all their edges; one that is not there is no error."""

from collections.abc import Sequence
from typing import Final

from lineage.graph.client import Unit
from lineage.graph.labels import for_label

CYPHER: Final = """
UNWIND $uids AS uid
MATCH (node:Kind {uid: uid, workspace: $workspace})
DETACH DELETE node
"""


def drop_nodes(unit: Unit, *, workspace: str, kind: str, uids: Sequence[str]) -> None:
    """Remove the nodes with these uids."""
    unit.run(for_label(CYPHER, kind=kind), workspace=workspace, uids=list(uids))
