"""Numbers of a large report: counted in the background, kept for whoever asked, never shown when they no longer hold."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from lineage import tasks
from lineage.impact import counting, numbers
from lineage.impact.numbers import MOST_ATTEMPTS, STEPS, Numbers, numbers_of
from lineage.impact.question import Question
from lineage.impact.readers import Readers
from lineage.impact.report import affected, report
from lineage.impact.sets import UNUSED, keep_set
from lineage.impact.stages import downstream_counts
from lineage.models import KeptReport, NodeSet, RestsOn, TaskOutbox
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import build
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything takes too long for a page."""
    monkeypatch.setattr(numbers, "QUICK_ROWS", 0)
    monkeypatch.setattr(numbers, "QUICK_CLAIMS", 0)


def asked(viewer: Viewer, *uids: str, **filters: Any) -> Numbers:
    return numbers_of(affected(viewer, Question(nodes=uids, **filters)))


def work() -> int:
    """Run the tasks that were asked for, as a worker would; how many there were."""
    rows = list(TaskOutbox.objects.filter(name=tasks.count_report.name).order_by("pk"))
    for row in rows:
        row.delete()
        tasks.count_report(**row.arguments, more=1)
    return len(rows)


def later(monkeypatch: pytest.MonkeyPatch, **by: int) -> None:
    now = clock.now() + timedelta(**by)
    monkeypatch.setattr(clock, "now", lambda: now)


def test_small_report_is_counted_at_once_and_nothing_is_kept(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    question = Question(nodes=(nodes["s"].uid, nodes["t"].uid), models=("m1", "m2"))
    found, whole = numbers_of(affected(me, question)), report(me, question)
    assert (found.counts, found.total, found.facets) == (whole.counts, whole.total, whole.facets)
    assert (found.done, found.pending, found.counted_at) == (len(STEPS), False, None)
    assert not KeptReport.objects.exists()
    assert not TaskOutbox.objects.exists()
    beat = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
    assert tasks.clear_reports.name in beat


def test_readers_are_counted_by_what_answers_say(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    assert asked(me, nodes["s"].uid).readers == Readers(known=2, unstated=4)
    assert asked(me, nodes["s"].uid, grades=("cited",)).readers == Readers(known=1, unstated=2)
    assert asked(me, nodes["u"].uid, models=("nobody",)).readers == Readers(0, 0)


def test_stages_count_what_lies_below_any_of_the_nodes_once(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    one = asked(me, nodes["s"].uid).stages
    assert one == downstream_counts(me, nodes["s"].uid)
    below = asked(me, nodes["s"].uid, nodes["s@1"].uid, nodes["t"].uid).stages
    assert below is not None
    # The version of s is asked about itself; seven answers each have a retrieval and a context.
    assert below.counts == {
        "source_version": 1, "document": 2, "chunk": 2, "retrieval": 8, "context": 8, "answer": 9,
        "claim": 6, "citation": 6,
    }  # fmt: skip
    assert not below.truncated


@pytest.mark.usefixtures("large")
def test_large_report_is_counted_by_a_task_and_then_says_what_it_would_have_said_at_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = (nodes["s"].uid, nodes["t"].uid)
    question = Question(nodes=uids, units=("north", "south"))
    first = numbers_of(affected(me, question))
    assert (first.counts, first.total, first.facets, first.readers) == (None, None, (), None)
    assert (first.done, first.pending, first.failed) == (0, True, False)
    # Who asks again does not ask for it twice.
    assert numbers_of(affected(me, question)) == first
    assert work() == 1
    kept, whole = numbers_of(affected(me, question)), report(me, question)
    assert (kept.counts, kept.total, kept.facets) == (whole.counts, whole.total, whole.facets)
    assert (kept.done, kept.pending) == (len(STEPS), False)
    assert kept.counted_at == KeptReport.objects.get().asked_at
    monkeypatch.setattr(numbers, "QUICK_ROWS", 5_000)
    monkeypatch.setattr(numbers, "QUICK_CLAIMS", 5_000)
    at_once = numbers_of(affected(me, question))
    assert replace(kept, counted_at=None) == at_once
    # The order of the list changes no number.
    monkeypatch.setattr(numbers, "QUICK_ROWS", 0)
    assert numbers_of(affected(me, replace(question, sort="oldest"))).done == len(STEPS)
    assert work() == 0


@pytest.mark.usefixtures("large")
def test_counts_of_one_node_are_there_at_once(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    found = asked(me, nodes["s"].uid, grades=("cited",))
    assert (sum((found.counts or {}).values()), found.total, found.done) == (7, 3, 3)
    assert found.stages == downstream_counts(me, nodes["s"].uid)


@pytest.mark.usefixtures("large")
def test_each_step_is_kept_and_a_slow_counting_leaves_the_rest_to_another_message(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_SECONDS", -1.0)
    nodes, me = build(workspace), viewer(workspace)
    uids = (nodes["s"].uid, nodes["t"].uid)
    seen = [asked(me, *uids).done]
    while work():
        seen.append(asked(me, *uids).done)
    assert seen == list(range(len(STEPS) + 1))


@pytest.mark.usefixtures("large")
def test_counting_that_was_overtaken_writes_nothing(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    asked(me, nodes["s"].uid, nodes["t"].uid)
    row = KeptReport.objects.get()
    for fence in (row.fence - 1, row.fence + 1):
        counting.count(row.pk, fence)
    counting.count(row.pk + 1, row.fence)
    assert KeptReport.objects.get().numbers == row.numbers
    assert work() == 1
    finished = KeptReport.objects.get()
    counting.count(finished.pk, finished.fence)
    assert KeptReport.objects.get().finished_at == finished.finished_at


@pytest.mark.usefixtures("large")
def test_counting_that_failed_is_taken_up_by_the_next_who_looks_and_given_up_in_the_end(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = (nodes["s"].uid, nodes["t"].uid)

    def fail(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(counting, "STEPS", dict(STEPS) | {"readers": fail})
    for attempt in range(MOST_ATTEMPTS):
        found = asked(me, *uids)
        assert (found.pending, found.failed) == (True, False), attempt
        with pytest.raises(ZeroDivisionError):
            work()
    found = asked(me, *uids)
    assert (found.pending, found.failed, found.readers) == (False, True, None)
    assert found.total == 9
    assert work() == 0


@pytest.mark.usefixtures("large")
def test_numbers_of_another_or_of_other_eyes_are_not_shown(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = (nodes["s"].uid, nodes["u"].uid)
    asked(me, *uids)
    work()
    assert asked(me, *uids).done == len(STEPS)
    assert asked(replace(me, key_id=None, user_id=None, groups=frozenset("g")), *uids).done == 0
    work()
    languages = {
        f.name: {v.value for v in f.values} for f in asked(viewer(workspace, "g"), *uids).facets
    }
    assert languages["language"] == {"en", "pt", "de"}
    assert KeptReport.objects.count() == 1


@pytest.mark.usefixtures("large")
def test_case_that_begins_takes_kept_numbers_away_at_once(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = (nodes["s"].uid, nodes["t"].uid)
    asked(me, *uids)
    work()
    withdraw(workspace, nodes["s"], "retraction")
    assert (asked(me, *uids).done, asked(me, *uids).total) == (0, None)
    work()
    states = {f.name: {v.value: v.count for v in f.values} for f in asked(me, *uids).facets}
    assert states["state"] == {"stale": 4, "review": 1, "current": 4}


@pytest.mark.usefixtures("large")
def test_answers_that_came_are_counted_after_a_minute_and_the_old_numbers_say_of_when_they_are(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = (nodes["s"].uid, nodes["t"].uid)
    asked(me, *uids)
    work()
    before = asked(me, *uids)
    load(workspace, source("s", ALPHA), answer("new", "s-c"))
    assert asked(me, *uids) == before
    later(monkeypatch, minutes=2)
    assert asked(me, *uids) == before
    assert work() == 1
    after = asked(me, *uids)
    assert (before.total, after.total) == (9, 10)
    assert after.counted_at == clock.now()
    # Nothing has come since: nothing is counted again.
    later(monkeypatch, minutes=5)
    assert asked(me, *uids) == after
    assert work() == 0


@pytest.mark.usefixtures("large")
def test_report_whose_nodes_are_gone_is_forgotten(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uid = keep_set(me, [nodes["s"].uid, nodes["t"].uid])
    asked(me, uid)
    NodeSet.objects.all().delete()
    assert work() == 1
    assert not KeptReport.objects.exists()


def test_what_nobody_has_looked_at_for_long_is_cleared(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "QUICK_ROWS", 0)
    nodes, me = build(workspace), viewer(workspace)
    uid = keep_set(me, [nodes["s"].uid])
    asked(me, uid)
    assert counting.clear() == 0
    later(monkeypatch, days=2)
    assert counting.clear() == 1
    assert not KeptReport.objects.exists()
    later(monkeypatch, seconds=round(UNUSED.total_seconds()))
    tasks.clear_reports(more=1)
    assert not NodeSet.objects.exists()
    assert RestsOn.objects.exists()
