"""Who is credited: counted from what the citations show, in agreement with the lists."""

import pytest
from pytest_django import DjangoAssertNumQueries

from citations import credit
from citations.coverage import Coverage
from citations.creator import creator_page
from citations.creator_answers import CreatorAnswers, creator_answers
from lineage.impact.report import impact
from lineage.models import Node
from lineage.nodes.paging import CursorInvalid
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.citations.credited_world import answered, credited_world
from tests.citations.world import reader, withdraw
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

Codes = dict[str, tuple[int, int]]


def coverage(viewer: Viewer, agent: Node) -> Coverage:
    found = creator_page(viewer, agent.uid).credit
    assert found is not None
    return found


def told(found: Coverage) -> Codes:
    """(answers, citations) of each code that has any."""
    return {row.code: (row.answers, row.citations) for row in found.rows if row.answers}


def test_credit_is_what_the_reader_sees_of_it(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    ann, press, bob = nodes["ann"], nodes["press"], nodes["bob"]
    assert told(coverage(reader(workspace), ann)) == {
        "named": (1, 1), "beyond": (1, 0), "uncredited": (2, 0),
    }  # fmt: skip
    assert told(coverage(reader(workspace, "staff"), ann)) == {
        "named": (2, 2), "uncredited": (2, 0),
    }  # fmt: skip
    # Of w1 and w3 others are the creators, of w2 nobody is.
    assert told(coverage(reader(workspace), press)) == {"published": (2, 2), "unstated": (3, 3)}
    assert told(coverage(reader(workspace), bob)) == {"named": (1, 1)}


def test_credit_by_licence(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    rows = coverage(reader(workspace), nodes["ann"]).licences
    assert [
        (
            row.licence and row.licence.spdx,
            row.versions,
            dict(row.citations),
            row.uncredited,
            row.asks_credit,
        )
        for row in rows
    ] == [
        ("CC-BY-4.0", 1, {"named": 1, "published": 0, "unstated": 0}, 1, True),
        ("MIT", 1, {"named": 0, "published": 0, "unstated": 0}, 1, False),
    ]


def pages(viewer: Viewer, uid: str, code: str = "", work: str = "") -> list[CreatorAnswers]:
    found = [creator_answers(viewer, uid, credit=code, work=work)]
    while found[-1].next is not None:
        found.append(creator_answers(viewer, uid, credit=code, work=work, cursor=found[-1].next))
    return found


def test_every_number_is_the_length_of_its_list(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citations.creator_answers.ANSWERS_ON_A_PAGE", 1)
    nodes = credited_world(workspace)
    for key in ("ann", "press", "bob"):
        for groups in ((), ("staff",)):
            viewer, uid = reader(workspace, *groups), nodes[key].uid
            rows = {row.code: row.answers for row in coverage(viewer, nodes[key]).rows}
            for code, count in rows.items():
                some = pages(viewer, uid, code)
                assert sum(len(page.items) for page in some) == count, (key, code)
                assert {page.total for page in some} == {count}
            counts = impact(viewer, uid).counts
            assert rows["uncredited"] == counts["in_context"]
            assert sum(rows.values()) == counts["cited"] + counts["in_context"]


def test_the_list_tells_the_claims_newest_first(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    found = creator_answers(reader(workspace), nodes["ann"].uid)
    assert [(row.uid, row.grade, row.question) for row in found.items] == [
        (nodes["a-six"].uid, "in_context", "What?"),
        (nodes["a-three"].uid, "cited", "What?"),
        (nodes["a-two"].uid, "in_context", "What?"),
        (nodes["a-one"].uid, "cited", "What?"),
    ]
    # Of what the reader may not see there is no claim.
    assert [[claim.text for claim in row.claims] for row in found.items] == [
        [], [], [], ["Alpha is one."],
    ]  # fmt: skip
    (claim,) = found.items[3].claims
    assert (claim.uid, claim.citation_uid, claim.marker, claim.standing) == (
        nodes["k-one"].uid, nodes["q-one"].uid, "[1]", "stands",
    )  # fmt: skip
    staff = creator_answers(reader(workspace, "staff"), nodes["ann"].uid)
    assert [claim.uid for claim in staff.items[1].claims] == [nodes["k-three"].uid]


def test_a_claim_that_lost_its_work_says_so(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    withdraw(workspace, nodes["w1"], "retraction")
    row = creator_answers(reader(workspace), nodes["ann"].uid, credit="named").items[0]
    assert (row.state, row.claims[0].standing) == ("stale", "fallen")


def test_the_list_of_one_work(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    uid = nodes["ann"].uid
    found = creator_answers(reader(workspace), uid, work=nodes["w1"].uid)
    assert (found.work_title, found.total) == ("On w1", 2)
    assert {row.uid for row in found.items} == {nodes["a-one"].uid, nodes["a-two"].uid}
    # Not hers, not visible, not there, not a work: the same.
    for other in ("w2", "w3", "w4", "a-one"):
        with pytest.raises(NotFound):
            creator_answers(reader(workspace), uid, work=nodes[other].uid)
    assert creator_answers(reader(workspace, "staff"), uid, work=nodes["w4"].uid).total == 1


def test_the_list_of_one_work_tells_how_that_work_is_credited(workspace: Workspace) -> None:
    ann = [{"agent": "ann"}]
    nodes = load(
        workspace,
        source("w1", ALPHA, creators=ann),
        source("w2", ALPHA, creators=ann),
        # Cites one of her works and was given another.
        answered("one", "w1-c", day=1, beside=("w2-c",)),
    )
    viewer, uid = reader(workspace), nodes["ann"].uid
    told = {
        work: [
            (page.items[0].grade, {code: n for code, n in page.counts.items() if n})
            for page in pages(viewer, uid, work=nodes[work].uid)
        ]
        for work in ("w1", "w2")
    }
    assert told == {
        "w1": [("cited", {"": 1, "named": 1})],
        "w2": [("in_context", {"": 1, "uncredited": 1})],
    }
    for work, code in (("w1", "named"), ("w2", "uncredited")):
        assert creator_answers(viewer, uid, credit=code, work=nodes[work].uid).items
    assert dict(creator_answers(viewer, uid).counts)["named"] == 1


def test_an_erased_work_is_not_named_over_its_list(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    withdraw(workspace, nodes["w1"], "erasure")
    found = creator_answers(reader(workspace), nodes["ann"].uid, work=nodes["w1"].uid)
    assert (found.work_title, found.total) == (None, 2)


def test_a_cursor_of_elsewhere_is_refused(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    for cursor in ("", "x", "WzFd", "WyJhIiwiYiJd", "W251bGwsbnVsbF0"):
        with pytest.raises(CursorInvalid):
            creator_answers(reader(workspace), nodes["ann"].uid, cursor=cursor)


def test_an_answer_counts_by_its_best_citation(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [record("agent", "ann", name="Ann")],
        source("w1", ALPHA, creators=[{"agent": "ann"}]),
        source("w2", ALPHA, publisher={"agent": "ann"}),
        answer("one", "w2-c"),
        [record("citation", "q-two", claim="k-one", marker="[2]", chunk="w1-c")],
    )
    found = coverage(reader(workspace), nodes["ann"])
    assert {row.code: (row.answers, row.citations) for row in found.rows if row.citations} == {
        "named": (1, 1),
        "unstated": (0, 1),
    }


def test_of_very_many_the_newest_are_told_apart(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = credited_world(workspace)
    monkeypatch.setattr(credit, "MOST_ANSWERS", 2)
    found = coverage(reader(workspace), nodes["press"])
    assert (found.recent, found.answers, told(found)) == (
        True, 2, {"unstated": (1, 3), "published": (1, 2)},
    )  # fmt: skip
    monkeypatch.setattr(credit, "MOST_VERSIONS", 1)
    assert coverage(reader(workspace), nodes["press"]).truncated
    monkeypatch.undo()
    whole = coverage(reader(workspace), nodes["press"])
    assert (whole.recent, whole.truncated) == (False, False)


def test_of_a_hidden_creator_nothing_is_told(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [record("agent", "ann", name="Ann")],
        source("w1", ALPHA, acl=["staff"], creators=[{"agent": "ann"}]),
        answer("one", "w1-c"),
    )
    page = creator_page(reader(workspace), nodes["ann"].uid)
    assert (page.hidden, page.name, dict(page.answers), page.credit) == (True, None, {}, None)
    answers = creator_answers(reader(workspace), nodes["ann"].uid)
    assert (answers.hidden, answers.total, answers.items) == (True, 0, ())
    assert creator_answers(reader(workspace, "staff"), nodes["ann"].uid).total == 1


def test_many_works_and_answers_cost_as_much_as_few(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    nodes = credited_world(workspace)
    uid = nodes["ann"].uid
    viewer = reader(workspace)
    for _ in range(2):
        with django_assert_num_queries(24):
            creator_page(viewer, uid)
        with django_assert_num_queries(27):
            creator_answers(viewer, uid)
        load(
            workspace,
            *(source(f"m{at}", ALPHA, creators=[{"agent": "ann"}]) for at in range(4)),
            *(answered(f"m{at}", f"m{at}-c", day=at + 1) for at in range(4)),
        )
