"""The edge table names every edge that can be made, says of each what the product does, and has a test of each line."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import pytest

from lineage.formats.holds import Shape
from lineage.formats.shape import SHAPES
from lineage.ingest.relations import RELATIONS
from lineage.vocabulary import (
    BESIDE_LINEAGE,
    CASE_EDGES,
    CASE_TARGET_KINDS,
    IMPACT_EDGES,
    IMPACT_START_EDGES,
    Edge,
)
from tests.impact import test_edge_table, test_edge_table_kinds, test_traps
from tests.impact.edge_lines import TABLE, lines_of

pytestmark = pytest.mark.engine_free

_MODULES: Final = (test_edge_table, test_edge_table_kinds, test_traps)


def named(shape: Shape, within: str = "") -> Iterator[tuple[str, str]]:
    """The relations of a record and the kinds that each may name."""
    for name, field in shape.fields.items():
        relation = within + (field.relation or name)
        yield from ((relation, kind) for kind in field.kinds)
        if field.members is not None:
            yield from named(field.members, f"{relation}.")


def test_table_has_a_line_for_each_edge_that_records_can_state_and_no_other() -> None:
    stated: dict[Edge, set[str]] = defaultdict(set)
    for kind, relations in RELATIONS.items():
        for relation, other in named(SHAPES[kind]):
            edge, reverse = relations[relation].edge, relations[relation].reverse
            stated[edge].add(f"{other} → {kind}" if reverse else f"{kind} → {other}")
    assert {edge: line.ends for edge, line in TABLE.items() if edge not in CASE_EDGES} == stated
    assert set(TABLE) == set(Edge)
    assert TABLE[Edge.WAS_INVALIDATED_BY].ends == {f"{kind} → case" for kind in CASE_TARGET_KINDS}


def test_what_impact_crosses_is_what_the_table_says() -> None:
    crossed = {word: {e for e, line in TABLE.items() if line.crossed == word} for word in (
        "always", "start", "run", "last", "never",
    )}  # fmt: skip
    assert crossed["always"] == set(IMPACT_EDGES)
    assert crossed["start"] == {edge for edges in IMPACT_START_EDGES.values() for edge in edges}
    assert crossed["run"] | crossed["last"] | crossed["never"] == BESIDE_LINEAGE


def test_each_line_has_a_test_that_is_named_for_it() -> None:
    tested = {
        line
        for module in _MODULES
        for name, test in vars(module).items()
        if name.startswith("test_") and test.__module__ == module.__name__
        for line in lines_of(test)
    }
    assert tested == {(edge, ends) for edge, line in TABLE.items() for ends in line.ends}
