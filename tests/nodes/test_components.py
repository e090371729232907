"""Components by name, their runs, and what these did: who sees them, order, bounds, counts."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.nodes import component_figures, component_runs, component_versions, component_work
from lineage.nodes.component import component_view
from lineage.nodes.component_runs import run_view
from lineage.nodes.component_versions import component_families
from lineage.nodes.component_work import Step, begin_of, in_steps
from lineage.nodes.counting import AtLeast
from lineage.nodes.paging import CursorInvalid
from lineage.nodes.run_outcomes import FAILED_SPELLINGS, RunOutcome, outcome_of
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, node, record
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw


def part(kind: str, name: str, version: str, **more: Any) -> dict[str, Any]:
    key = more.pop("key", f"{kind}:{name}@{version}")
    return record("component", key, component_kind=kind, name=name, version=version, **more)


def run(key: str, component: str, **more: Any) -> dict[str, Any]:
    return record("run", key, run_kind="parse", component=component, **more)


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("COMPLETE", "completed"), (" Succeeded ", "completed"), ("FAIL", "failed"),
        ("timed-out", "failed"), ("Timed Out", "failed"), ("RUNNING", "running"),
        ("in_progress", "running"), ("half done", "other"), ("", "unstated"), (None, "unstated"),
        (7, "unstated"), ("failed to fail", "other"),
    ],
)  # fmt: skip
def test_how_a_run_ended_is_told_by_its_status(status: Any, outcome: str) -> None:
    assert outcome_of(status) == RunOutcome(outcome)


@pytest.mark.engine_free
def test_what_databases_count_as_failed_is_what_is_told_to_be() -> None:
    assert {outcome_of(word) for word in FAILED_SPELLINGS} == {RunOutcome.FAILED}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("step", "begin"),
    [
        ("hour", "2026-03-05T14:00"), ("day", "2026-03-05"), ("week", "2026-03-02"),
        ("month", "2026-03-01"), ("year", "2026-01-01"),
    ],
)  # fmt: skip
def test_a_step_begins_at_its_hour_day_monday_month_or_year(step: str, begin: str) -> None:
    assert begin_of(step, at("2026-03-05T14:23:45")) == at(begin)


@pytest.mark.engine_free
def test_steps_have_no_gap_and_lose_nothing() -> None:
    ok, bad = RunOutcome.COMPLETED, RunOutcome.FAILED
    runs = [
        (at("2026-03-01T10:00"), ok),
        (at("2026-03-04T09:00"), bad),
        (at("2026-03-04T10:00"), ok),
    ]
    name, steps = in_steps(runs, [(at("2026-03-04T09:00"), 5)])
    assert name == "day"
    assert steps == (
        Step(at("2026-03-01"), 1, 0, 0), Step(at("2026-03-02"), 0, 0, 0),
        Step(at("2026-03-03"), 0, 0, 0), Step(at("2026-03-04"), 2, 1, 5),
    )  # fmt: skip
    assert in_steps([], []) == ("day", ())


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("length", "name"),
    [(timedelta(0), "hour"), (timedelta(days=1), "hour"), (timedelta(days=30), "day"),
     (timedelta(days=200), "week"), (timedelta(days=900), "month"), (timedelta(days=9_000), "year")],
)  # fmt: skip
def test_the_step_grows_with_the_time(length: timedelta, name: str) -> None:
    first = at("2001-06-15T12:00")
    found, steps = in_steps([(first, RunOutcome.OTHER), (first + length, RunOutcome.OTHER)], [])
    assert found == name
    assert sum(step.runs for step in steps) == 2
    assert len(steps) <= component_work.MOST_STEPS


@pytest.mark.engine_free
def test_times_at_the_ends_of_the_calendar_are_no_trouble() -> None:
    ends = [at("0001-01-01T00:00"), at("9999-12-31T23:59")]
    name, steps = in_steps([(each, RunOutcome.OTHER) for each in ends], [])
    assert (name, steps[-1].start.year, len(steps)) == ("year", 9999, component_work.MOST_STEPS)


@pytest.mark.django_db
def test_foreign_components_and_runs_are_not_found_nor_counted(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    nodes = load(other, [part("parser", "p", "1", key="c"), run("r", "c")])
    stranger = viewer(workspace)
    assert component_families(stranger).total == 0
    for asked in (component_view, run_view):
        for key in ("c", "r"):
            with pytest.raises(NotFound):
                asked(stranger, nodes[key].uid)
    with pytest.raises(NotFound):
        component_view(viewer(other), nodes["r"].uid)
    with pytest.raises(NotFound):
        run_view(viewer(other), nodes["c"].uid)


@pytest.mark.django_db
@pytest.mark.parametrize("cursor", ["x", "WzFd", "WyJjbXBfYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWEiXQ"])
def test_a_cursor_of_another_make_is_refused(workspace: Workspace, cursor: str) -> None:
    nodes = load(workspace, [part("parser", "p", "1", key="c"), run("r", "c")])
    reader = viewer(workspace)
    for ask in (
        lambda: component_families(reader, cursor=cursor),
        lambda: component_view(reader, nodes["c"].uid, versions=cursor),
        lambda: component_view(reader, nodes["c"].uid, runs=cursor),
        lambda: run_view(reader, nodes["r"].uid, used=cursor or ""),
    ):
        if cursor == "WzFd" and ask.__code__.co_names[0] == "run_view":
            continue  # a whole number is a place in a run's lists
        with pytest.raises(CursorInvalid):
            ask()


@pytest.mark.django_db
def test_versions_of_one_kind_and_name_are_a_family(workspace: Workspace) -> None:
    digest = "sha256:" + "0" * 64
    load(
        workspace,
        [part("parser", "pdf", "3.1"), part("parser", "pdf", "3.2", at=LATER)],
        [
            part(
                "parser", "pdf", "3.2", key="tuned", config_digest=digest, at="2026-05-01T00:00:00Z"
            )
        ],
        [part("ocr", "pdf", "1"), part("model", "Alpha", "9"), run("r", "nobody")],
    )
    found = component_families(viewer(workspace))
    told = [(each.component_kind, each.name, each.total) for each in found.items]
    assert told == [
        ("model", "Alpha", 1),
        ("", "nobody", 1),
        ("ocr", "pdf", 1),
        ("parser", "pdf", 3),
    ]
    newest = [(each.version, each.config_digest) for each in found.items[3].versions]
    assert newest == [("3.2", digest), ("3.2", None), ("3.1", None)]
    assert found.items[1].versions[0].resolved is False
    assert found.total == 4
    assert found.kinds == {"": 1, "model": 1, "ocr": 1, "parser": 1}
    assert component_families(viewer(workspace), component_kind="ocr").kinds == found.kinds


@pytest.mark.django_db
def test_families_join_up_over_pages_and_show_their_newest_versions(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(component_versions, "MOST_SHOWN", 2)
    # A name longer than any cursor.
    names = ["a" * 900, "B", "b", "C"]
    load(
        workspace,
        [part("parser", name, str(n), key=f"{name}{n}") for name in names for n in range(3)],
    )
    pages: list[str] = []
    cursor: str | None = None
    while True:
        page = component_families(viewer(workspace), limit=1, cursor=cursor)
        assert (page.total, page.items[0].total, len(page.items[0].versions)) == (4, 3, 2)
        pages.append(page.items[0].name)
        cursor = page.next
        if cursor is None:
            break
    assert pages == names


@pytest.mark.django_db
def test_words_and_kind_narrow_the_list(workspace: Workspace) -> None:
    load(
        workspace,
        [part("parser", "pdf", "3.1"), part("parser", "html", "2"), part("model", "pdf", "1")],
    )

    def named(**asked: Any) -> list[tuple[str, str]]:
        found = component_families(viewer(workspace), **asked)
        assert found.total == len(found.items)
        return [(each.component_kind, each.name) for each in found.items]

    assert named(component_kind="parser") == [("parser", "html"), ("parser", "pdf")]
    assert named(component_kind="parser", q="PDF") == [("parser", "pdf")]
    assert named(component_kind="cheese") == named(q="cheese") == named(component_kind="\0") == []


@pytest.mark.django_db
def test_figures_count_answers_runs_and_failures(workspace: Workspace) -> None:
    load(
        workspace,
        [part("parser", "p", "1", key="c"), part("prompt", "q", "1", key="q"), part("model", "m", "1")],
        [run("r1", "c", status="FAILED", at="2026-01-01T00:00:00Z"), run("r2", "c", status="ok", at=LATER)],
        [run("r3", "c", status="aborted", at=None)],
        source("s", ALPHA),
        [record("document", "s-doc", source_version="s@1", text=ALPHA, run="r2", at=LATER)],
        answer("one", "s-c"),
        [record("context", "ctx-one", retrieval="ret-one", items=[{"chunk": "s-c", "position": 1}],
                prompt="q", at=LATER)],
    )  # fmt: skip
    found = {
        each.name: each.versions[0].figures for each in component_families(viewer(workspace)).items
    }
    parser = found["p"]
    assert (parser.answers, parser.runs) == (AtLeast(1), AtLeast(3))
    assert (parser.stated, parser.failed, parser.used_at) == (3, 2, at("2026-04-01T10:00"))
    assert parser.failure_rate == pytest.approx(2 / 3)
    # Named by a context and by no run: used when the answer was given.
    assert (found["q"].answers, found["q"].runs, found["q"].failure_rate) == (
        AtLeast(1),
        AtLeast(0),
        None,
    )
    assert found["q"].used_at == at("2026-03-01T10:00")
    assert found["m"].used_at is None


@pytest.mark.django_db
def test_where_a_bound_cuts_a_number_is_at_least_what_it_says(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What was recorded last counts: the runs that failed came before.
    failed = [run(f"r{n}", "c", status="failed", at=None) for n in range(3)]
    load(workspace, [part("parser", "p", "1", key="c")], failed)
    nodes = load(
        workspace,
        [run(f"r{n}", "c", status="ok", at=None) for n in (3, 4)],
        source("s", ALPHA),
        [record("part", f"p{n}", document="s-doc", part_kind="page", run="r4") for n in range(4)],
    )  # fmt: skip
    for module, bound, value in (
        (component_figures, "MOST_COUNTED", 3), (component_figures, "MOST_RECENT", 2),
        (component_runs, "MOST_COUNTED", 3), (component_runs, "MOST_OF_ONE", 3),
        (component_work, "MOST_RUNS", 2), (component_work, "MOST_OUTPUTS", 3),
    ):  # fmt: skip
        monkeypatch.setattr(module, bound, value)
    found = component_view(viewer(workspace), nodes["c"].uid)
    figures = found.versions.items[0].figures
    assert (figures.runs, figures.recent, figures.failed) == (AtLeast(3, more=True), 2, 0)
    assert (found.work.runs, found.work.total, found.runs.total) == (2, 5, 5)
    assert (found.work.outputs, found.work.more_outputs) == ({"part": 3}, True)
    made = {each.uid: each.generated for each in found.runs.items}
    assert made[nodes["r4"].uid] == AtLeast(3, more=True)
    assert made[nodes["r0"].uid] == AtLeast(0)
    assert run_view(viewer(workspace), nodes["r4"].uid).generated.total == AtLeast(3, more=True)


@pytest.mark.django_db
def test_runs_are_newest_first_and_join_up(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [part("parser", "p", "1", key="c"), part("parser", "p", "2", key="d")],
        [
            run("old", "c"),
            run("new", "c", at=LATER),
            run("timeless", "c", at=None),
            run("other", "d"),
        ],
    )
    keys: list[str] = []
    cursor: str | None = None
    by_uid = {each.uid: key for key, each in nodes.items()}
    while True:
        page = component_view(viewer(workspace), nodes["c"].uid, limit=1, runs=cursor).runs
        keys += [by_uid[each.uid] for each in page.items]
        assert page.total == 3
        cursor = page.next
        if cursor is None:
            break
    assert keys == ["new", "old", "timeless"]


@pytest.mark.django_db
def test_a_component_tells_its_work_its_flags_and_its_cases(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [part("parser", "p", "1", key="c", config={"ocr": True}), run("r", "c", status="done")],
        source("s", ALPHA),
        [record("document", "s-doc", source_version="s@1", text=ALPHA, run="r", at=LATER,
                quality={"garbled": True, "skewed": False, "pages": 0})],
        # Beyond the end of the text: its place cannot be verified.
        [record("part", "p", document="s-doc", part_kind="page", run="r", interval={"start": 0, "end": 999})],
        answer("one", "s-c"),
    )  # fmt: skip
    row = withdraw(workspace, nodes["c"], "defective_component")
    row.case.targets.create(node=nodes["c"])
    found = component_view(viewer(workspace), nodes["c"].uid)
    assert (found.node.state, found.answers, found.counts["cited"]) == ("withdrawn", 1, 1)
    assert [(each.uid, each.kind, each.state) for each in found.cases] == [
        (row.case.uid, "defective_component", "approved")
    ]
    assert found.work.outcomes == {RunOutcome.COMPLETED: 1}
    assert found.work.outputs == {"document": 1, "part": 1}
    assert found.work.quality == {"garbled": 1}
    assert found.work.flags == {"interval_unverifiable": 1}


@pytest.mark.django_db
def test_a_run_shows_what_it_used_and_made_as_the_viewer_may_see_it(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [part("parser", "p", "1", key="c")],
        [run("r", "c", status="ok", started_at="2026-03-01T10:00:00Z", ended_at="2026-03-01T10:01:30Z",
             used=[{"kind": "source_version", "key": "s@1"}])],
        source("s", ALPHA, ["staff"]),
        [record("document", "s-doc", source_version="s@1", text=ALPHA, run="r", at=LATER)],
    )  # fmt: skip
    for groups, key in ((("staff",), "s-doc"), ((), None)):
        found = run_view(viewer(workspace, *groups), nodes["r"].uid)
        assert found.component is not None
        assert (found.component.key, found.row.seconds) == ("c", 90.0)
        assert [(each.kind, each.key) for each in found.generated.items] == [("document", key)]
        assert [each.kind for each in found.used.items] == ["source_version"]
        assert (found.used.total, found.generated.total) == (AtLeast(1), AtLeast(1))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "ask",
    [lambda reader, _: component_families(reader), component_view],
)
def test_queries_do_not_grow_with_the_rows(
    workspace: Workspace, ask: Callable[[Viewer, str], object]
) -> None:
    load(workspace, [part("parser", "p", "0", key="c"), run("r", "c")])
    uid, reader = node(workspace, "component", "c").uid, viewer(workspace)
    with CaptureQueriesContext(connection) as few:
        ask(reader, uid)
    load(
        workspace,
        [part("parser", name, str(n), key=f"{name}{n}") for name in "pq" for n in range(1, 4)],
        [run(f"r{n}", "c") for n in range(4)],
    )
    with CaptureQueriesContext(connection) as many:
        ask(reader, uid)
    assert len(many) == len(few)
