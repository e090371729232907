"""Why an answer rests on a node: the explaining chain, followed for a whole page by one statement."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.db import connections, router

from lineage.bulk_rows import slices
from lineage.models import RestsOn

# Steps of one chain; sections nest, and nobody reads a longer explanation.
MOST_STEPS: Final = 32
# Pairs of one statement: SQLite puts at most 500 rows and selects together.
_MOST_TOGETHER: Final = 250
# Each pair is found by the unique index over both, one at a time: for a join SQLite prepares a filter
# of the whole table at each step. The number of steps bounds what turns back.
_CHAINS: Final = """
WITH RECURSIVE chain (answer_id, node_id, step) AS (
  VALUES {pairs}
  UNION ALL
  SELECT chain.answer_id, (
    SELECT row.via_id FROM lineage_restson row
    WHERE row.target_id = chain.node_id AND row.answer_id = chain.answer_id
  ), chain.step + 1
  FROM chain WHERE chain.node_id IS NOT NULL AND chain.step < {most}
)
SELECT chain.answer_id, chain.node_id,
  (SELECT node.uid FROM lineage_node node WHERE node.id = chain.node_id)
FROM chain WHERE chain.node_id IS NOT NULL
ORDER BY chain.answer_id, chain.step
"""
_PAIR: Final = "(CAST(%s AS bigint), CAST(%s AS bigint), 0)"


def chains_of(targets: Mapping[int, int]) -> dict[int, tuple[str, ...]]:
    """For each answer (node id) the uids from its target (node id) to the last node before the answer.

    The target comes first and is always there, since the answer rests on it; the answer is not
    part of it. A chain that turns back or is longer than 32 steps ends where it does.
    """
    because: dict[int, list[str]] = {answer_id: [] for answer_id in targets}
    passed: dict[int, set[int]] = {answer_id: {answer_id} for answer_id in targets}
    ended: set[int] = set()
    for answer_id, node_id, uid in _steps(sorted(targets.items())):
        if node_id in passed[answer_id]:
            ended.add(answer_id)
        if answer_id not in ended:
            because[answer_id].append(uid)
            passed[answer_id].add(node_id)
    return {answer_id: tuple(uids) for answer_id, uids in because.items()}


def _steps(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Answer, node and the node's uid, step by step of each answer."""
    with connections[router.db_for_read(RestsOn)].cursor() as cursor:
        for some in slices(pairs, _MOST_TOGETHER):
            statement = _CHAINS.format(pairs=", ".join([_PAIR] * len(some)), most=MOST_STEPS)
            cursor.execute(statement, [part for pair in some for part in pair])
            yield from cursor.fetchall()
