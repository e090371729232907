"""Propagation, requests of records and reinstatements at the same moment, on PostgreSQL.

SQLite lets one transaction write at a time: there is nothing to contend for.
"""

import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest
from django.db import connection, connections
from django.db.models import QuerySet
from pytest_django import Settings

from lineage.cases import late, lease, materialise, targets, workflow
from lineage.cases.finish import finish
from lineage.cases.propagate import propagate
from lineage.cases.view import CaseView
from lineage.ingest import apply
from lineage.models import AnswerEffect, Case, Node, Withdrawal
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import TEXT, answer, approved, record, row, send, states, viewer, work
from tests.faults.invariants import Filed, assert_reads

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not os.environ.get("DATABASE_URL", "").startswith("postgres"),
        reason="runs on PostgreSQL",
    ),
]

# Long enough for the other side to get as far as it is let.
PAUSE = 1.5


RECORDS: Final = [
    *work("s1", TEXT, {"c1": (0, 13), "c1b": (14, 26)}),
    record("source_version", "s1@2", source="s1", published_at="2026-01-01"),
    record("document", "s1-doc2", source_version="s1@2", text="Alpha is one. Beta is twelve."),
    *answer("cites", retrieved=["c1", "c1b"], included=["c1", "c1b"], cites=["c1"]),
]


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    """An answer cites what the new version of its source still says; it had in context what it does not."""
    send(workspace, RECORDS)
    return workspace


class Worker(threading.Thread):
    """One run of a case's propagation; `paused` once it has got to where it waits a moment."""

    def __init__(self, case: CaseView) -> None:
        super().__init__()
        self.case, self.paused = case, threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            propagate(row(self.case).pk)
        except Exception as error:  # noqa: BLE001 - told by the test
            self.error = error
        finally:
            connections.close_all()

    def pausing(self, real: Callable[..., Any], *, first: bool) -> Callable[..., Any]:
        """`real`, with a pause before it (or after) when this worker comes by within a transaction."""

        def pause() -> None:
            mine = threading.current_thread() is self and connection.in_atomic_block
            if mine and not self.paused.is_set():
                self.paused.set()
                time.sleep(PAUSE)

        def call(*args: Any, **named: Any) -> Any:
            if first:
                pause()
            result = real(*args, **named)
            if not first:
                pause()
            return result

        return call

    def meet(self, what: Callable[[], object]) -> None:
        """Do this while the worker is at its pause."""
        self.start()
        assert self.paused.wait(20)
        what()
        self.join(20)
        assert self.error is None


def test_batch_does_not_overwrite_what_a_request_has_found_meanwhile(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(approved(loaded, "correction", ("source_version", "s1@1")))
    monkeypatch.setattr(materialise, "_due", worker.pausing(materialise._due, first=False))
    claim = [
        record("claim", "late", answer="cites", interval={"start": 0, "end": 5}),
        record("citation", "of-late", claim="late", marker="[1]", chunk="c1b"),
    ]
    worker.meet(lambda: send(loaded, claim))
    assert states(loaded) == {"cites": "stale"}
    filed = Filed(worker.case.uid, "correction", (("source_version", "s1@1"),))
    assert_reads(loaded, RECORDS + claim, [filed])


def test_reinstatement_and_repair_do_not_wait_for_each_other(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "correction", ("source_version", "s1@1"))
    propagate(row(case).pk)
    AnswerEffect.objects.all().delete()
    Case.objects.update(lease_until=None)
    worker = Worker(case)
    monkeypatch.setattr(lease, "keep", worker.pausing(lease.keep, first=False))
    worker.meet(lambda: workflow.reinstate(viewer(loaded), case.uid))
    assert states(loaded) == {"cites": "current"}
    filed = Filed(case.uid, "correction", (("source_version", "s1@1"),), holds=False)
    assert_reads(loaded, RECORDS, [filed])


def test_ending_leaves_the_warnings_that_a_request_has_written_meanwhile(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    born = answer("born", retrieved=["c1"], included=["c1"], cites=["c1"])
    send(loaded, born)
    propagate(row(case).pk)
    worker = Worker(workflow.reinstate(viewer(loaded), case.uid))
    slow = worker.pausing(QuerySet.bulk_update, first=True)
    monkeypatch.setattr(QuerySet, "bulk_update", slow)
    again = [{**one, "occurred_at": "2026-03-02T10:00:00"} for one in born if one["key"] == "born"]
    worker.meet(lambda: send(loaded, again))
    flags = Node.objects.get(workspace=loaded, key="born").flags
    assert [flag["code"] for flag in flags] == ["time_without_zone"]


def test_a_lease_lasts_as_long_as_a_long_step_and_no_longer(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEASE", timedelta(seconds=0.6))
    case = row(approved(loaded, "retraction", ("source", "s1")))
    hold = lease.take(case.pk)
    assert hold is not None
    with lease.kept(hold):
        time.sleep(2)
        assert lease.take(case.pk) is None
    time.sleep(0.8)
    assert lease.take(case.pk) is not None


def test_an_answer_written_while_a_case_closes_is_certified_or_newer(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = row(approved(loaded, "retraction", ("source", "s1")))
    propagate(case.pk)
    Case.objects.update(lease_until=None)
    hold = lease.take(case.pk)
    assert hold is not None
    written, closed = threading.Event(), threading.Event()
    real = late.text_arrived

    def slowly(*given: Any) -> None:
        # All is written, nothing committed.
        written.set()
        closed.wait(PAUSE)
        real(*given)

    def write() -> None:
        try:
            send(loaded, answer("meanwhile", retrieved=["c1"], included=["c1"], cites=["c1"]))
        finally:
            connections.close_all()

    monkeypatch.setattr(apply, "text_arrived", slowly)
    writer = threading.Thread(target=write)
    writer.start()
    assert written.wait(20)
    case.refresh_from_db()
    finish(hold, case)
    closed.set()
    writer.join(20)
    case.refresh_from_db()
    assert case.certificate is not None
    assert AnswerEffect.objects.filter(case=case).count() == 2
    answers = Node.objects.filter(workspace=loaded, kind="answer")
    before = answers.filter(recorded_at__lte=case.verified_at).count()
    assert case.certificate["answers"] == case.done == before == 2


def test_a_case_that_is_cancelled_while_its_agent_gains_a_work_leaves_nothing_registered(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_ann = [
        record("agent", "ann", name="Ann"),
        record("source", "s1", title="Work s1", creators=[{"agent": "ann"}]),
    ]
    send(loaded, by_ann)
    later = clock.now() + timedelta(days=1)
    case = approved(loaded, "retraction", ("agent", "ann"), effective_at=later)
    read, real = threading.Event(), targets.expanded

    def slowly(*given: Any) -> set[int]:
        found = real(*given)
        read.set()
        time.sleep(PAUSE)
        return found

    def write() -> None:
        try:
            send(loaded, [record("source", "s9", title="S9", creators=[{"agent": "ann"}])])
        finally:
            connections.close_all()

    monkeypatch.setattr(targets, "expanded", slowly)
    writer = threading.Thread(target=write)
    writer.start()
    assert read.wait(20)
    workflow.cancel(viewer(loaded), case.uid)
    writer.join(20)
    assert row(case).state == Case.State.CANCELLED
    assert Withdrawal.objects.filter(ended_at__isnull=True).count() == 0
