"""An incident whose question comes to mean more nodes: the answers of those are new, each once."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.impact.question import ComponentRange, Question, RunTimes
from lineage.incidents import growing, view, watch, workflow
from lineage.ingest.apply import bind_again
from lineage.models import Incident, IncidentAnswer, IncidentTarget, RestsOn
from lineage.models.turns import changes_of
from lineage.webhooks import addresses
from provexplorer.workspaces.models import Workspace
from tests.cases.world import record
from tests.incidents.world import (
    answer,
    deliveries,
    node,
    opened,
    row,
    send,
    to_this_machine,
    viewer,
    world,
)  # fmt: skip

pytestmark = pytest.mark.django_db
EVERY = {"cites", "context", "drops", "other"}
CHUNKER = [
    record("component", "chunker", component_kind="chunker", name="chunker", version="1"),
    record("run", "chunking", run_kind="chunk", component="chunker"),
]
# All four answers have c2 in context or had it retrieved.
LATE_RUN = record("chunk", "c2", document="s2-doc", interval={"start": 0, "end": 16}, run="chunking")  # fmt: skip
NAMED = record("component", "p", component_kind="model", name="pdf", version="3.2")


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    send(workspace, [*world(), *CHUNKER])
    return workspace


def found(workspace: Workspace, uid: str) -> set[str]:
    rows = IncidentAnswer.objects.filter(incident__uid=uid).select_related("answer")
    return {each.answer.key for each in rows}


def of_chunker(workspace: Workspace) -> Question:
    """What the chunker made of s2."""
    made_by = node(workspace, "component", "chunker").uid
    return Question(nodes=(node(workspace, "source", "s2").uid,), made_by=made_by)


def made_with_p(workspace: Workspace, name: str = "made") -> None:
    """An answer whose run names a component of which no record has come."""
    run = record("run", "generate-p", run_kind="generate", component="p")
    made = answer(name, retrieved=["c2"], included=["c2"], cites=["c2"], run="generate-p")
    send(workspace, [run, *made])


PDF = Question(component=ComponentRange("pdf", version_from="3"))


def then_and_now(workspace: Workspace, uid: str) -> tuple[int, int | None, int]:
    """Answers when it was opened, now, and found since."""
    shown = view.incident_view(viewer(workspace), uid)
    return shown.row.total, shown.total_now, shown.row.found


@to_this_machine
def test_what_turns_out_to_be_made_by_it_brings_its_answers(filled: Workspace) -> None:
    hook, _ = addresses.make(viewer(filled), url="http://127.0.0.1:9/")
    uid = opened(filled, of_chunker(filled))
    assert then_and_now(filled, uid) == (0, 0, 0)
    assert watch.watch() == 0
    send(filled, [LATE_RUN])
    assert watch.watch() == 4
    assert found(filled, uid) == EVERY
    assert then_and_now(filled, uid) == (0, 4, 4)
    assert watch.watch() == 0
    told = [data for type_, data in deliveries(hook) if type_ == "incident.new_answers"]
    assert [(each["incident"], each["new"], len(each["answers"])) for each in told] == [(uid, 4, 4)]


@to_this_machine
def test_a_component_that_turns_out_to_be_in_the_range_brings_its_answers(
    filled: Workspace,
) -> None:
    made_with_p(filled)
    hook, _ = addresses.make(viewer(filled), url="http://127.0.0.1:9/")
    uid = opened(filled, PDF)
    newest = RestsOn.objects.latest("pk").pk
    send(filled, [NAMED])
    # It is the node that it was: nothing rests on anything that it did not rest on before.
    assert RestsOn.objects.latest("pk").pk == newest
    assert watch.watch() == 1
    assert found(filled, uid) == {"made"}
    assert then_and_now(filled, uid) == (0, 1, 1)
    assert watch.watch() == 0
    told = [data for type_, data in deliveries(hook) if type_ == "incident.new_answers"]
    assert [each["answers"] for each in told] == [[node(filled, "answer", "made").uid]]


def test_an_answer_of_the_opening_is_not_new_by_a_node_that_is(filled: Workspace) -> None:
    send(filled, [record("component", "old", component_kind="model", name="pdf", version="3")])
    send(filled, [record("run", "by-old", run_kind="generate", component="old")])
    send(filled, answer("both", retrieved=["c1"], included=["c1"], cites=[], run="by-old"))
    made_with_p(filled)
    send(filled, [record("citation", "more", claim="claim-both", marker="[2]", chunk="c2", run="generate-p")])  # fmt: skip
    uid = opened(filled, PDF)
    assert then_and_now(filled, uid) == (1, 1, 0)
    send(filled, [NAMED])
    assert watch.watch() == 1
    assert found(filled, uid) == {"made"}
    assert then_and_now(filled, uid) == (1, 2, 1)


def test_runs_that_turn_out_to_be_of_the_time_bring_their_answers(filled: Workspace) -> None:
    made_with_p(filled)
    march = RunTimes(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC))
    then = opened(filled, replace(PDF, made=march))
    before = opened(filled, replace(PDF, made=RunTimes(until=march.since)))
    send(filled, [NAMED])
    assert watch.watch() == 1
    assert [found(filled, uid) for uid in (then, before)] == [{"made"}, set()]
    assert then_and_now(filled, then) == (0, 1, 1)


def test_at_rest_nothing_is_looked_at_until_something_changes(filled: Workspace) -> None:
    made_with_p(filled)

    def asked_in_a_pass() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert watch.watch() == 0
        return len(asked)

    first = opened(filled, PDF)
    once = asked_in_a_pass()
    at_rest = asked_in_a_pass()
    assert at_rest < once
    others = [opened(filled, PDF) for _ in range(2)]
    assert asked_in_a_pass() > at_rest
    assert asked_in_a_pass() == at_rest
    # Elsewhere records come: here it is quiet all the same.
    send(Workspace.objects.create(slug=f"{filled.slug}-2", name="other"), world())
    watch.watch()
    assert asked_in_a_pass() == at_rest
    send(filled, [NAMED])
    assert watch.watch() == 3
    assert [found(filled, uid) for uid in (first, *others)] == [{"made"}] * 3
    # What is taken to be another node is a change as much as a record is.
    assert watch.watch() == 0
    before = changes_of([filled.pk])
    bind_again(filled, set)
    assert changes_of([filled.pk])[filled.pk] == before[filled.pk] + 1


def test_filters_count_closed_ones_wait_and_other_workspaces_are_not_looked_at(
    filled: Workspace,
) -> None:
    elsewhere = Workspace.objects.create(slug=f"{filled.slug}-2", name="other")
    send(elsewhere, world())
    made_with_p(elsewhere)
    made_with_p(filled)
    theirs, mine = opened(elsewhere, PDF), opened(filled, PDF)
    cited = opened(filled, Question(component=PDF.component, grades=("cited",)))
    workflow.change(viewer(filled), mine, {"state": "closed"})
    send(filled, [NAMED])
    assert watch.watch() == 0
    workflow.change(viewer(filled), mine, {"state": "investigating"})
    assert watch.watch() == 1
    assert [found(filled, uid) for uid in (mine, cited)] == [{"made"}, set()]
    assert found(elsewhere, theirs) == set()


def test_many_answers_are_looked_at_in_parts_and_told_once_each(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "_ANSWERS", 2)
    uid = opened(filled, of_chunker(filled))
    send(filled, [LATE_RUN])
    assert watch.watch() == 4
    assert (found(filled, uid), row(uid).found) == (EVERY, 4)


def test_incidents_of_before_and_those_of_too_many_nodes_go_on_as_they_were(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_with_p(filled)
    older = opened(filled, PDF)
    Incident.objects.filter(uid=older).update(targets_kept=None)
    assert watch.watch() == 0
    assert row(older).targets_kept is True
    monkeypatch.setattr(growing, "MOST_KEPT", 0)
    send(filled, [NAMED])
    many = opened(filled, PDF)
    assert (row(many).targets_kept, IncidentTarget.objects.filter(incident__uid=many).exists()) == (
        False, False,
    )  # fmt: skip
    assert watch.watch() == 1
    assert (found(filled, older), found(filled, many)) == ({"made"}, set())
    send(filled, [record("run", "generate-p", run_kind="generate", component="p")])
    send(filled, answer("later", retrieved=["c2"], included=["c2"], cites=[], run="generate-p"))
    assert watch.watch() == 2
    assert (found(filled, older), found(filled, many)) == ({"made", "later"}, {"later"})
