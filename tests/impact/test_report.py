"""The impact report: every answer once, counted before and listed after the filters."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.impact.report import ImpactReport, UnknownWord, counts_of, impact
from lineage.models import UidAlias
from lineage.nodes.paging import CursorInvalid
from lineage.types import Moved, NotFound
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, T, record
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db

NONE = {
    "cited": 0, "in_context": 0, "produced": 0, "retrieved": 0, "possible": 0, "served": 0,
}  # fmt: skip


def graded(workspace: Workspace) -> dict[str, Any]:
    """Answers that cite the chunk s-c, have it in context, dropped it, never met it."""
    return load(
        workspace,
        source("s", ALPHA),
        source("t", ALPHA),
        answer("cites", "s-c", at=T),
        answer("context", "t-c", beside=("s-c",), at=LATER),
        answer("drops", "t-c", dropped=("s-c",), at=None),
        answer("other", "t-c", at=T),
        [record("answer", "a-cached", question="What?", text="Alpha.", served_from="a-cites",
                at="2026-02-01T10:00:00Z")],
    )  # fmt: skip


def grades(report: ImpactReport) -> list[tuple[str, str, str | None]]:
    return [(each.key, each.grade, each.origin_grade) for each in report.items]


def test_unknown_and_foreign_are_not_found_alike(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    foreign = graded(other)["s"].uid
    for uid in (foreign, "src_" + "a" * 26, "", "cas_" + "a" * 26):
        with pytest.raises(NotFound):
            impact(viewer(workspace), uid)
        with pytest.raises(NotFound):
            counts_of(viewer(workspace), uid)


def test_earlier_uid_leads_on(workspace: Workspace) -> None:
    node = load(workspace, source("s", ALPHA))["s"]
    UidAlias.objects.create(workspace=workspace, uid="src_" + "b" * 26, node=node)
    with pytest.raises(Moved):
        impact(viewer(workspace), "src_" + "b" * 26)


@pytest.mark.parametrize("filters", [{"grades": ["cheese"]}, {"states": ["stale", "cheese"]}])
def test_unknown_words_are_refused(workspace: Workspace, filters: dict[str, list[str]]) -> None:
    uid = load(workspace, source("s", ALPHA))["s"].uid
    with pytest.raises(UnknownWord, match=r"^cheese$"):
        impact(viewer(workspace), uid, **filters)  # type: ignore[arg-type]


@pytest.mark.parametrize("cursor", ["", "nonsense", "WzFd"])
def test_cursor_of_another_make_is_refused(workspace: Workspace, cursor: str) -> None:
    uid = load(workspace, source("s", ALPHA))["s"].uid
    with pytest.raises(CursorInvalid):
        impact(viewer(workspace), uid, cursor=cursor)


def test_node_that_nothing_rests_on_has_no_impact(workspace: Workspace) -> None:
    uid = load(workspace, source("s", ALPHA))["s"].uid
    assert impact(viewer(workspace), uid) == ImpactReport(NONE, (), None, 0)


def test_each_answer_stands_once_newest_first_unknown_times_last(workspace: Workspace) -> None:
    nodes = graded(workspace)
    report = impact(viewer(workspace), nodes["s"].uid)
    assert grades(report) == [
        ("a-context", "in_context", None),
        ("a-cites", "cited", None),
        ("a-cached", "served", "cited"),
        ("a-drops", "retrieved", None),
    ]
    assert report.counts == NONE | {"cited": 1, "in_context": 1, "retrieved": 1, "served": 1}
    assert list(report.counts) == list(NONE)
    assert (report.total, report.next) == (4, None)
    assert report.counts == counts_of(viewer(workspace), nodes["s"].uid)
    assert report.items[3].occurred_at is None


def test_filters_leave_the_counts_alone(workspace: Workspace) -> None:
    nodes = graded(workspace)
    uid = nodes["s"].uid
    withdraw(workspace, nodes["s"])
    whole = impact(viewer(workspace), uid)
    assert {each.key: each.state for each in whole.items} == {
        "a-cites": "stale", "a-context": "review", "a-cached": "stale", "a-drops": "current",
    }  # fmt: skip
    some = impact(viewer(workspace), uid, grades=["cited", "retrieved"])
    assert grades(some) == [("a-cites", "cited", None), ("a-drops", "retrieved", None)]
    assert (some.counts, some.total) == (whole.counts, 2)
    for state in ("current", "review", "stale"):
        kept = impact(viewer(workspace), uid, states=[state])
        assert [each.key for each in kept.items] == [
            each.key for each in whole.items if each.state == state
        ]
        assert (kept.counts, kept.total) == (whole.counts, len(kept.items))
    both = impact(viewer(workspace), uid, states=["stale"], grades=["cited"])
    assert [each.key for each in both.items] == ["a-cites"]
    two = impact(viewer(workspace), uid, states=["stale", "review"])
    assert [each.key for each in two.items] == ["a-context", "a-cites", "a-cached"]
    every = impact(viewer(workspace), uid, states=["stale", "review", "current"])
    assert every.items == whole.items


def test_pages_join_up_where_times_are_equal_and_unknown(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA),
        *(answer(f"same{n}", "s-c", at=T) for n in range(3)),
        *(answer(f"never{n}", "s-c", at=None) for n in range(2)),
        answer("late", "s-c", at=LATER),
    )
    uid = nodes["s"].uid
    whole = impact(viewer(workspace), uid)
    same = sorted(nodes[f"a-same{n}"].uid for n in range(3))
    never = sorted(nodes[f"a-never{n}"].uid for n in range(2))
    assert [each.uid for each in whole.items] == [nodes["a-late"].uid, *same, *never]
    joined: list[str] = []
    cursor: str | None = None
    while True:
        page = impact(viewer(workspace), uid, limit=2, cursor=cursor)
        assert (page.total, page.counts) == (6, whole.counts)
        joined += [each.uid for each in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert joined == [each.uid for each in whole.items]


def test_explaining_chain_leads_from_the_node_to_the_last_before_the_answer(
    workspace: Workspace,
) -> None:
    nodes = graded(workspace)

    def because(key: str) -> dict[str, list[str]]:
        by_uid = {each.uid: each.key for each in nodes.values()}
        report = impact(viewer(workspace), nodes[key].uid)
        return {each.key: [by_uid[uid] for uid in each.because] for each in report.items}

    work = ["s", "s@1", "s-doc", "s-c"]
    found = because("s")
    assert found["a-context"] == [*work, "ctx-context"]
    assert found["a-drops"] == [*work, "ret-drops", "ctx-drops"]
    # Whatever way a citing answer was reached, one served from it adds that answer itself.
    assert found["a-cached"] == [*found["a-cites"], "a-cites"]
    assert because("k-cites") == {"a-cites": ["k-cites"], "a-cached": ["k-cites", "a-cites"]}
    assert because("ctx-other") == {"a-other": ["ctx-other"]}


def test_agent_has_the_impact_of_what_it_made(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA, creators=[{"agent": "ana", "role": "creator"}]),
        [record("agent", "ana", name="Ana")],
        answer("one", "s-c"),
    )
    report = impact(viewer(workspace), nodes["ana"].uid)
    assert grades(report) == [("a-one", "cited", None)]


def test_queries_grow_with_the_chain_not_with_the_answers(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), answer("0", "s-c"))
    withdraw(workspace, nodes["s"])
    with CaptureQueriesContext(connection) as few:
        impact(viewer(workspace), nodes["s"].uid)
    load(workspace, *(answer(str(n), "s-c") for n in range(1, 6)))
    with CaptureQueriesContext(connection) as many:
        assert impact(viewer(workspace), nodes["s"].uid).total == 6
    assert len(few) == len(many)
