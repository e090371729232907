"""The picture of a lineage: a pure function, checked by hand-written places."""

from datetime import UTC, datetime

import pytest

from lineage.pages.columns import BOX_WIDTH, PITCH, ROW, TOP, Box, Picture, Total, lay_out
from lineage.pages.defect_path import defect_path
from lineage.types import EdgeView, NodeView

pytestmark = pytest.mark.engine_free

AT = datetime(2026, 5, 12, 14, 3, tzinfo=UTC)


def node(
    kind: str, uid: str, *, state: str = "active", withdrawn_by: tuple[str, ...] = ()
) -> NodeView:
    return NodeView(
        uid=uid, kind=kind, key=uid, namespace="", label=uid, state=state, resolved=True,
        hidden=False, occurred_at=AT, recorded_at=AT, fields={}, attributes={},
        withdrawn_by=withdrawn_by,
    )  # fmt: skip


def withdrawn(kind: str, uid: str) -> NodeView:
    return node(kind, uid, state="withdrawn", withdrawn_by=("cas_1",))


def edge(effect: str, cause: str, kind: str = "WAS_DERIVED_FROM") -> EdgeView:
    return EdgeView(type=kind, from_uid=effect, to_uid=cause, properties={})


def places(picture: Picture) -> dict[str, tuple[int, int]]:
    return {box.node.uid: (box.x, box.y) for box in picture.boxes if box.node}


def test_lay_out_of_nothing_still_has_eight_empty_columns() -> None:
    picture = lay_out(["doc_a"], [], [])
    assert [(column.stage, column.total) for column in picture.columns] == [
        (n, 0) for n in range(1, 9)
    ]
    assert picture.boxes == ()
    assert picture.height == TOP + ROW


def test_lay_out_drops_edges_to_nodes_it_was_not_given() -> None:
    picture = lay_out(["doc_a"], [node("document", "doc_a")], [edge("chk_gone", "doc_a")])
    assert picture.links == ()


def test_lay_out_places_each_kind_in_the_column_of_its_stage() -> None:
    picture = lay_out(
        ["chk_a"],
        [
            node("source", "src_a"),
            node("document", "doc_a"),
            node("chunk", "chk_a"),
            node("claim", "clm_a"),
        ],
        [],
    )
    assert places(picture) == {
        "src_a": (0, TOP),
        "doc_a": (2 * PITCH, TOP),
        "chk_a": (3 * PITCH, TOP),
        "clm_a": (7 * PITCH, TOP),
    }
    assert picture.width == 7 * PITCH + BOX_WIDTH


def test_lay_out_orders_a_column_by_its_neighbours_so_that_lines_do_not_cross() -> None:
    nodes = [
        node("document", "doc_a"), node("document", "doc_b"),
        node("chunk", "chk_1"), node("chunk", "chk_2"),
    ]  # fmt: skip
    # By uid alone the lines doc_a–chk_2 and doc_b–chk_1 would cross.
    picture = lay_out(["doc_a"], nodes, [edge("chk_2", "doc_a"), edge("chk_1", "doc_b")])
    found = places(picture)
    assert (found["doc_a"][1] < found["doc_b"][1]) == (found["chk_2"][1] < found["chk_1"][1])


def test_lay_out_bundles_what_a_column_does_not_show() -> None:
    nodes = [node("chunk", f"chk_{n:03}") for n in range(547)]
    picture = lay_out(["chk_400"], nodes, [], most=7)
    column = picture.columns[3]
    assert (column.total, column.shown) == (547, 7)
    box = picture.boxes[-1]
    assert box.bundle is not None
    assert (box.node, box.bundle.left, box.bundle.total, box.y) == (None, 540, 547, TOP + 7 * ROW)
    assert "chk_400" in places(picture), "the root is always shown"


def test_lay_out_shows_the_last_node_rather_than_a_bundle_of_one() -> None:
    picture = lay_out(["chk_0"], [node("chunk", f"chk_{n}") for n in range(8)], [], most=7)
    assert (picture.columns[3].shown, [box for box in picture.boxes if box.node is None]) == (8, [])


def test_lay_out_opens_one_bundle_on_request() -> None:
    nodes = [node("chunk", f"chk_{n:03}") for n in range(100)]
    picture = lay_out(["chk_000"], nodes, [], most=7, limits={"chunk": 60})
    (bundle,) = picture.columns[3].bundles
    assert (picture.columns[3].shown, bundle.left, bundle.opened, bundle.more) == (
        60,
        40,
        True,
        True,
    )


def test_lay_out_bundles_each_kind_of_a_column_by_itself() -> None:
    nodes = [node("document", f"doc_{n}") for n in range(5)]
    nodes += [node("part", f"prt_{n:02}") for n in range(20)]
    picture = lay_out(["doc_0"], nodes, [], most=7)
    left = [(box.bundle.kind, box.bundle.left) for box in picture.boxes if box.bundle]
    # Three each, one more document, and the last of them rather than a bundle of one.
    assert (picture.columns[2].shown, left) == (8, [("part", 17)])
    opened = lay_out(["doc_0"], nodes, [], most=7, limits={"part": 10})
    assert [(box.bundle.kind, box.bundle.left) for box in opened.boxes if box.bundle] == [
        ("part", 10)
    ]
    assert opened.columns[2].shown == 15


def test_lay_out_leaves_room_for_each_kind_of_a_column() -> None:
    """The contexts are nearer to a chunk than the answers, which are what one looks for."""
    nodes = [node("chunk", "chk_a")]
    nodes += [node("context", f"ctx_{n}") for n in range(9)]
    nodes += [node("answer", f"ans_{n}") for n in range(9)]
    edges = [edge(f"ctx_{n}", "chk_a", "INCLUDED") for n in range(9)]
    edges += [edge(f"ans_{n}", f"ctx_{n}") for n in range(9)]
    shown = places(lay_out(["chk_a"], nodes, edges, most=7))
    kinds = [uid[:3] for uid in shown]
    assert (kinds.count("ctx"), kinds.count("ans")) == (4, 3)


def test_lay_out_shows_of_a_kind_only_what_matches_and_always_the_root() -> None:
    nodes = [node("chunk", f"chk_{n:03}") for n in range(100)]
    picture = lay_out(
        ["chk_000"], nodes, [], limits={"chunk": 25}, matching={"chunk": {"chk_050", "chk_060"}}
    )
    (bundle,) = picture.columns[3].bundles
    assert set(places(picture)) == {"chk_000", "chk_050", "chk_060"}
    assert (bundle.total, bundle.matched, bundle.left, bundle.more) == (100, 2, 97, False)


def test_lay_out_keeps_all_numbers_of_a_column_adding_up() -> None:
    nodes = [node("chunk", f"chk_{n:03}") for n in range(40)] + [
        node("fact", f"fct_{n:03}") for n in range(30)
    ]
    for limits in ({}, {"fact": 25}, {"chunk": 25, "fact": 50}):
        column = lay_out(["none"], nodes, [], limits=limits).columns[3]
        assert column.total == 70
        assert column.shown + sum(bundle.left for bundle in column.bundles) == 70, limits


def test_lay_out_takes_the_greater_number_where_the_nodes_are_but_a_part() -> None:
    nodes = [node("chunk", f"chk_{n}") for n in range(5)] + [node("document", "doc_a")]
    picture = lay_out(
        ["doc_a"], nodes, [],
        totals={"chunk": Total(4_310, at_least=True), "document": Total(0, at_least=False)},
    )  # fmt: skip
    (bundle,) = picture.columns[3].bundles
    assert (bundle.total, bundle.left, bundle.at_least, bundle.more) == (4_310, 4_305, True, False)
    assert (picture.columns[3].total, picture.columns[3].at_least) == (4_310, True)
    assert (picture.columns[2].total, picture.columns[2].at_least) == (1, False)
    assert picture.boxes[-1].bundle == bundle


def test_lay_out_shows_the_strongest_grade_of_a_line() -> None:
    nodes = [node("chunk", "chk_a"), node("context", "ctx_a"), node("retrieval", "ret_a")]
    edges = [
        edge("ctx_a", "chk_a", "INCLUDED"), edge("ret_a", "chk_a", "RETRIEVED"),
        edge("ctx_a", "ret_a"),
    ]  # fmt: skip
    picture = lay_out(["chk_a"], nodes, edges)
    box = {each.node.uid: each.place for each in picture.boxes if each.node}
    assert {(link.cause, link.effect): link.line for link in picture.links} == {
        (box["chk_a"], box["ctx_a"]): "in_context",
        (box["chk_a"], box["ret_a"]): "retrieved",
        (box["ret_a"], box["ctx_a"]): "derived",
    }


def test_lay_out_joins_what_is_only_possible_across_its_run() -> None:
    """Runs have no column: without a line of its own a possible dependency could not be seen."""
    nodes = [
        node("source_version", "srv_a"), node("source_version", "srv_b"), node("run", "run_a"),
        node("document", "doc_a"), node("document", "doc_b"), node("chunk", "chk_a"),
    ]  # fmt: skip
    edges = [
        edge("run_a", "srv_a", "USED"), edge("doc_a", "run_a", "WAS_GENERATED_BY"),
        edge("doc_b", "run_a", "WAS_GENERATED_BY"), edge("chk_a", "doc_a"),
    ]  # fmt: skip
    # doc_b says itself what it was made from: the run does not speak for it.
    picture = lay_out(["srv_a"], nodes, edges, possible={"doc_a", "chk_a"})
    box = {each.place: each.node.uid for each in picture.boxes if each.node}
    found = {(box[link.cause], box[link.effect], link.line) for link in picture.links}
    assert found == {("srv_a", "doc_a", "possible"), ("doc_a", "chk_a", "possible")}


def test_lay_out_shows_what_a_case_touches_before_the_rest() -> None:
    nodes = [node("answer", f"ans_{n:02}", state="current") for n in range(20)]
    nodes.append(node("answer", "ans_zz", state="stale"))
    picture = lay_out(["none"], nodes, [], most=3)
    touched = {box.node.uid for box in picture.boxes if box.node and box.tells}
    assert touched == {"ans_zz"}


def test_lay_out_joins_the_edges_of_a_bundle_into_one_counted_line() -> None:
    nodes = [node("document", "doc_a"), *(node("chunk", f"chk_{n}") for n in range(10))]
    edges = [edge(f"chk_{n}", "doc_a") for n in range(10)]
    picture = lay_out(["doc_a"], nodes, edges, most=2)
    assert sorted(link.count for link in picture.links) == [1, 1, 8]


def test_lay_out_marks_the_path_of_a_defect_and_draws_it_last() -> None:
    nodes = [
        withdrawn("source_version", "srv_a"),
        node("source_version", "srv_b"),
        withdrawn("document", "doc_a"),
        node("document", "doc_b"),
    ]
    edges = [edge("doc_a", "srv_a"), edge("doc_b", "srv_b")]
    picture = lay_out(["doc_a"], nodes, edges)
    assert [link.troubled for link in picture.links] == [False, True]
    told = {box.node.uid for box in picture.boxes if box.node and box.tells}
    assert told == {"srv_a"}, "words stand where the defect began"


def test_defect_path_leaves_out_what_was_only_retrieved() -> None:
    nodes = {
        each.uid: each
        for each in (
            withdrawn("source", "src_a"),
            withdrawn("chunk", "chk_read"),
            withdrawn("chunk", "chk_found"),
            withdrawn("retrieval", "ret_a"),
            withdrawn("context", "ctx_a"),
            node("answer", "ans_a", state="review"),
            node("answer", "ans_b", state="current"),
        )
    }
    edges = [
        edge("chk_read", "src_a"), edge("chk_found", "src_a"),
        edge("ret_a", "chk_read", "RETRIEVED"), edge("ret_a", "chk_found", "RETRIEVED"),
        edge("ctx_a", "ret_a"), edge("ctx_a", "chk_read", "INCLUDED"),
        edge("ans_a", "ctx_a"), edge("ans_b", "ctx_a"),
    ]  # fmt: skip
    path = defect_path(["src_a"], nodes, edges)
    assert path.nodes == {"src_a", "chk_read", "ctx_a", "ans_a"}
    assert path.origins == {"src_a"}
    assert path.edges == {("chk_read", "src_a"), ("ctx_a", "chk_read"), ("ans_a", "ctx_a")}


def test_defect_path_goes_from_a_citation_through_its_claim_into_the_answer() -> None:
    nodes = {
        each.uid: each
        for each in (
            withdrawn("chunk", "chk_a"), withdrawn("citation", "cit_a"),
            withdrawn("claim", "clm_a"), node("answer", "ans_a", state="stale"),
        )
    }  # fmt: skip
    edges = [
        edge("cit_a", "chk_a", "WAS_QUOTED_FROM"), edge("clm_a", "cit_a", "CITES"),
        edge("clm_a", "ans_a", "STATED_IN"),
    ]  # fmt: skip
    path = defect_path(["ans_a"], nodes, edges)
    assert path.nodes == {"chk_a", "cit_a", "clm_a", "ans_a"}


def test_lay_out_survives_a_cycle() -> None:
    picture = lay_out(
        ["chk_a"],
        [node("chunk", "chk_a"), node("chunk", "chk_b")],
        [edge("chk_a", "chk_b"), edge("chk_b", "chk_a")],
    )
    assert len(picture.links) == 2


def test_lay_out_keeps_what_has_no_stage_beside_the_columns() -> None:
    picture = lay_out(
        ["cmp_a"], [node("component", "cmp_a"), node("agent", "agt_a"), node("run", "run_a")], []
    )
    assert [each.uid for each in picture.beside] == ["agt_a", "cmp_a", "run_a"]
    assert picture.boxes == ()


@pytest.mark.parametrize("turn", [1, -1])
def test_lay_out_is_the_same_whatever_the_order_of_its_input(turn: int) -> None:
    nodes = [node("document", f"doc_{n}") for n in range(4)] + [
        node("chunk", f"chk_{n}") for n in range(9)
    ]
    edges = [edge(f"chk_{n}", f"doc_{n % 4}") for n in range(9)]
    expected = lay_out(["doc_1"], nodes, edges)
    assert lay_out(["doc_1"], nodes[::turn], edges[::turn]) == expected
    assert isinstance(expected.boxes[0], Box)
