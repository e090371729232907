"""Opens a unit of work on a workspace: takes its turn and the number of the batch.

The counter node is written before it is read, so that Neo4j holds other units of
the same workspace here until this one commits; ArcadeDB lets them run and then
refuses the commit of all but the first, which the client repeats. Either way
units of a workspace happen one after the other, in the order of their numbers,
and what a unit reads after this statement is newer than what any earlier one read.
"""

from dataclasses import dataclass
from typing import Final

from lineage.graph.client import Unit

CYPHER: Final = """
MERGE (turn:Projection {uid: $workspace})
ON CREATE SET turn.batch = 0
SET turn.taken = $mark
WITH turn
SET turn.batch = turn.batch + 1
RETURN turn.batch AS batch, turn.terms AS terms
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Number of the batch, and the digest of the vocabulary that the graph holds (None: not yet)."""

    batch: int
    terms: str | None


def take_batch(unit: Unit, *, workspace: str, mark: int) -> Batch:
    """The next batch of the workspace; `mark` is any number not written there before."""
    (row,) = unit.run(CYPHER, workspace=workspace, mark=mark)
    return Batch(**row)
