"""Writes the vocabulary of a workspace: what its kinds and predicates are called, in two languages."""

from collections.abc import Sequence
from typing import Final

from lineage.graph.client import Unit
from lineage.types import JsonValue

CYPHER: Final = """
MATCH (turn:Projection {uid: $workspace})
SET turn.terms = $digest
WITH turn
UNWIND $rows AS row
MERGE (term:Term {uid: row.uid})
SET term = row
"""


def merge_terms(
    unit: Unit, *, workspace: str, digest: str, rows: Sequence[dict[str, JsonValue]]
) -> None:
    """Write the terms and note the digest of the vocabulary they are of."""
    unit.run(CYPHER, workspace=workspace, digest=digest, rows=list(rows))
