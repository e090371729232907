"""The picture of any lineage: numbers add up, lines end at boxes, nothing covers another, the same for the same input."""

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.pages.columns import BOX_HEIGHT, ROW, Picture, lay_out
from lineage.types import EdgeView, NodeView
from lineage.vocabulary import KINDS, Edge

pytestmark = pytest.mark.engine_free

AT: Final = datetime(2026, 5, 12, 14, 3, tzinfo=UTC)
KIND: Final = st.sampled_from(sorted(KINDS))


def node(number: int, kind: str, state: str) -> NodeView:
    return NodeView(
        uid=f"{KINDS[kind].prefix}_{number:03}", kind=kind, key=None, namespace=None, label=None,
        state=state, resolved=True, hidden=False, occurred_at=AT, recorded_at=AT, fields={},
        attributes={}, withdrawn_by=("cas_1",) if state == "withdrawn" else (),
    )  # fmt: skip


NODES: Final = st.lists(
    st.tuples(KIND, st.sampled_from(["active", "active", "withdrawn"])), min_size=1, max_size=60
).map(lambda told: [node(number, *each) for number, each in enumerate(told)])
LIMITS: Final = st.dictionaries(KIND, st.sampled_from([1, 25]), max_size=4)


@st.composite
def lineages(draw: st.DrawFn) -> tuple[list[NodeView], list[EdgeView]]:
    """Nodes of any kinds and edges between any of them, cycles and loops among them."""
    nodes = draw(NODES)
    ends = st.integers(0, len(nodes) - 1)
    types = st.sampled_from(list(Edge))
    told = draw(st.lists(st.tuples(types, ends, ends), max_size=80))
    return nodes, [EdgeView(kind, nodes[a].uid, nodes[b].uid, {}) for kind, a, b in told]


def told(picture: Picture) -> dict[int, tuple[int, int, int]]:
    """By stage: nodes, nodes shown, nodes in bundles."""
    boxes = Counter(box.stage for box in picture.boxes if box.node)
    boxes[0] = len(picture.beside)
    return {
        column.stage: (
            column.total, boxes[column.stage], sum(bundle.left for bundle in column.bundles)
        )
        for column in (picture.aside, *picture.columns)
    }  # fmt: skip


@given(lineages(), LIMITS, st.sets(KIND, max_size=2))
def test_numbers_add_up_and_lines_end_at_boxes(
    lineage: tuple[list[NodeView], list[EdgeView]], limits: dict[str, int], searched: set[str]
) -> None:
    nodes, edges = lineage
    root = nodes[0]
    matching = {
        kind: {each.uid for each in nodes if each.kind == kind and each.uid.endswith("1")}
        for kind in searched
    }
    picture = lay_out([root.uid], nodes, edges, limits=limits, matching=matching)
    stages = Counter(KINDS[each.kind].stage for each in nodes)
    for stage, (total, shown, left) in told(picture).items():
        assert (total, shown + left) == (stages[stage], stages[stage])
    placed = [box.node.uid for box in picture.boxes if box.node]
    placed += [each.uid for each in picture.beside]
    assert len(placed) == len(set(placed))
    assert root.uid in placed
    assert [box.place for box in picture.boxes] == list(range(len(picture.boxes)))
    assert {end for link in picture.links for end in (link.cause, link.effect)} <= {
        box.place for box in picture.boxes
    }
    # One below the other, none above the other.
    for stage in range(1, 9):
        tops = [box.y for box in picture.boxes if box.stage == stage]
        assert all(after - before == ROW for before, after in pairwise(tops))
    assert max((box.y + BOX_HEIGHT for box in picture.boxes), default=0) <= picture.height


def test_of_two_lines_that_lie_on_each_other_the_same_comes_first() -> None:
    """One thing is said to come of another, and that of the first."""
    nodes = [node(0, "acquisition", "active"), node(1, "answer", "active")]
    there, back = (
        EdgeView(Edge.SPECIALIZATION_OF, one.uid, other.uid, {})
        for one, other in (nodes, nodes[::-1])
    )
    root = [nodes[0].uid]
    assert lay_out(root, nodes, [there, back]) == lay_out(root, nodes, [back, there])
    assert len(lay_out(root, nodes, [there, back]).links) == 2


@given(lineages(), st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_changes_nothing(
    lineage: tuple[list[NodeView], list[EdgeView]], chance: Random
) -> None:
    nodes, edges = lineage
    expected = lay_out([nodes[0].uid], nodes, edges)
    mixed, turned = list(nodes), list(edges)
    chance.shuffle(mixed)
    chance.shuffle(turned)
    assert lay_out([nodes[0].uid], mixed, turned) == expected
