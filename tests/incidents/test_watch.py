"""Answers that come under an incident after it was opened: each found once, none missed, none of before."""

from typing import Any

import pytest

from lineage.incidents import course, falling, view, watch, workflow
from lineage.models import Incident, IncidentAnswer, RestsOn
from lineage.webhooks import addresses
from provexplorer.workspaces.models import Workspace
from tests.cases.world import record
from tests.incidents.world import (
    about,
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


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def late(name: str, cites: str = "c1") -> list[dict[str, object]]:
    return answer(name, retrieved=["c1", "c2"], included=["c1", "c2"], cites=[cites])


def found(workspace: Workspace, uid: str) -> set[str]:
    """Keys of the answers that were found."""
    rows = IncidentAnswer.objects.filter(incident__uid=uid).select_related("answer")
    return {each.answer.key for each in rows}


def test_what_was_there_is_not_new(filled: Workspace) -> None:
    uid = opened(filled)
    assert watch.watch() == 0
    assert found(filled, uid) == set()


def test_what_arrives_under_it_is_found_once_and_nothing_else(filled: Workspace) -> None:
    uid = opened(filled)
    send(filled, [*late("new1"), *late("new2", cites="c2")])
    send(filled, answer("apart", retrieved=["c2"], included=["c2"], cites=["c2"]))
    assert watch.watch() == 2
    send(filled, late("new1"))
    assert watch.watch() == 0
    assert found(filled, uid) == {"new1", "new2"}
    assert (row(uid).found, row(uid).noticed) == (2, 0)


def test_filters_count_when_it_is_found(filled: Workspace) -> None:
    cited = opened(filled, about(filled, "source", "s1", grades=("cited",)))
    send(filled, [*late("new1"), *late("new2", cites="c2")])
    assert watch.watch() == 1
    assert found(filled, cited) == {"new1"}


def test_an_answer_of_before_that_comes_to_rest_on_it_by_a_late_edge_is_new(
    filled: Workspace,
) -> None:
    send(filled, [record("run", "chunking", run_kind="chunk", component="chunker")])
    uid = opened(filled, about(filled, "run", "chunking"))
    chunk = record("chunk", "c2", document="s2-doc", interval={"start": 0, "end": 16}, run="chunking")  # fmt: skip
    send(filled, [chunk])
    # All four have c2 in context or had it retrieved.
    assert watch.watch() == 4
    assert found(filled, uid) == {"cites", "context", "drops", "other"}


def test_an_answer_that_rested_on_one_of_its_nodes_is_not_new_for_another(
    filled: Workspace,
) -> None:
    both = about(filled, "source", "s1")
    asked = type(both)(nodes=(*both.nodes, node(filled, "source", "s2").uid))
    uid = opened(filled, asked)
    # `other` rested on s2 alone, and rests on s1 from now on.
    send(filled, [
        record("citation", "cit-other-late", claim="claim-other", marker="[2]", chunk="c1"),
    ])  # fmt: skip
    assert RestsOn.objects.filter(
        answer=node(filled, "answer", "other"), target=node(filled, "source", "s1")
    ).exists()
    assert watch.watch() == 0
    assert found(filled, uid) == set()


def test_a_component_that_comes_into_the_range_brings_its_answers(filled: Workspace) -> None:
    from lineage.impact.question import ComponentRange, Question

    uid = opened(filled, Question(component=ComponentRange("model", version_from="9")))
    send(filled, [
        record("component", "model10", component_kind="model", name="model", version="10"),
        record("run", "generate10", run_kind="generate", component="model10"),
        *answer("made", retrieved=["c2"], included=["c2"], cites=["c2"], run="generate10"),
    ])  # fmt: skip
    assert watch.watch() == 1
    assert found(filled, uid) == {"made"}


def test_what_arrives_while_it_is_counted_is_new_and_not_counted(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted(*asked: Any) -> falling.Standing:
        send(filled, late("meanwhile"))
        return falling.standing(*asked)

    monkeypatch.setattr(workflow, "standing", counted)
    uid = opened(filled)
    assert row(uid).total == 3
    assert watch.watch() == 1
    assert found(filled, uid) == {"meanwhile"}


def test_closed_and_unwatched_ones_wait_and_lose_nothing(filled: Workspace) -> None:
    closed, unwatched = opened(filled), opened(filled, watching=False)
    workflow.change(viewer(filled), closed, {"state": "closed"})
    send(filled, late("new1"))
    assert watch.watch() == 0
    workflow.change(viewer(filled), closed, {"state": "investigating"})
    workflow.change(viewer(filled), unwatched, {"watching": True})
    send(filled, late("new2"))
    assert watch.watch() == 4
    assert found(filled, closed) == found(filled, unwatched) == {"new1", "new2"}


def test_small_steps_find_what_one_step_finds(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_STEP", 3)
    early = opened(filled)
    send(filled, [*late("new1"), *late("new2")])
    later = opened(filled)
    send(filled, late("new3"))
    assert watch.watch() == 4
    assert found(filled, early) == {"new1", "new2", "new3"}
    assert found(filled, later) == {"new3"}
    assert row(early).watched_to == row(later).watched_to


def test_another_worker_that_was_faster_is_noticed(filled: Workspace) -> None:
    uid = opened(filled)
    behind = row(uid)
    send(filled, late("new1"))
    assert watch.watch() == 1
    newest = row(uid).watched_to
    ids = set(IncidentAnswer.objects.values_list("answer_id", flat=True))
    # What a second worker does with what it read before the first was done.
    assert watch._look(filled, behind, ids, newest) == 0
    assert row(uid).found == 1


def test_workspaces_do_not_watch_each_other(filled: Workspace) -> None:
    elsewhere = Workspace.objects.create(slug=f"{filled.slug}-2", name="other")
    send(elsewhere, world())
    uid, other = opened(filled), opened(elsewhere)
    send(elsewhere, late("theirs"))
    assert watch.watch() == 1
    assert (found(filled, uid), found(elsewhere, other)) == (set(), {"theirs"})


def test_a_question_that_has_lost_its_ground_finds_nothing_and_stops_nothing(
    filled: Workspace,
) -> None:
    lost, sound = opened(filled), opened(filled)
    Incident.objects.filter(uid=lost).update(question={"node": ["src_" + "a" * 26]})
    send(filled, late("new1"))
    assert watch.watch() == 1
    assert (found(filled, lost), found(filled, sound)) == (set(), {"new1"})
    shown = view.incident_view(viewer(filled), lost)
    assert (shown.counts_now, shown.total_now) == (None, None)


def test_taking_note_leaves_what_came_meanwhile(filled: Workspace) -> None:
    uid = opened(filled)
    send(filled, late("new1"))
    watch.watch()
    send(filled, late("new2"))
    watch.watch()
    workflow.notice(viewer(filled), uid, 1)
    for too_many in (3, 10**15):
        workflow.notice(viewer(filled), uid, too_many)
    shown = view.incident_view(viewer(filled), uid).row
    assert (shown.found, shown.new) == (2, 1)
    workflow.notice(viewer(filled), uid, 1)
    assert course.notes(viewer(filled), uid).total == 1


def test_new_answers_are_listed_in_pages_the_last_found_first(filled: Workspace) -> None:
    uid = opened(filled)
    for name in ("new1", "new2", "new3"):
        send(filled, late(name))
        watch.watch()
    uids = {name: node(filled, "answer", name).uid for name in ("new1", "new2", "new3")}
    first = course.new_answers(viewer(filled), uid, limit=2)
    second = course.new_answers(viewer(filled), uid, limit=2, cursor=first.next)
    listed = [each.uid for page in (first, second) for each in page.items]
    assert listed == [uids["new3"], uids["new2"], uids["new1"]]
    assert (first.total, second.next) == (3, None)
    # The list and the report agree: three came to it, none left.
    counted = view.incident_view(viewer(filled), uid)
    assert counted.total_now is not None
    assert counted.total_now - counted.row.total == 3


@to_this_machine
def test_one_event_tells_of_all_that_a_look_found(filled: Workspace) -> None:
    hook, _ = addresses.make(viewer(filled), url="http://127.0.0.1:9/")
    uid = opened(filled)
    send(filled, [*late("new1"), *late("new2")])
    watch.watch()
    told = [data for type_, data in deliveries(hook) if type_ == "incident.new_answers"]
    expected = {node(filled, "answer", name).uid for name in ("new1", "new2")}
    assert len(told) == 1
    assert (told[0]["incident"], told[0]["new"], told[0]["found"]) == (uid, 2, 2)
    assert set(told[0]["answers"]) == expected
