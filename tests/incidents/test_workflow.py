"""Incidents from opening to deletion: what is refused, what is counted, and that nothing happens twice."""

import itertools
import os
import threading
from dataclasses import replace

import pytest
from django.db import connection

from lineage.cases import workflow as cases
from lineage.cases.errors import ScopeMissing
from lineage.impact.question import ComponentRange, Question
from lineage.incidents import course, view, workflow
from lineage.incidents.errors import IncidentConflict, IncidentRefused
from lineage.models import Blob, DataKey, Incident, IncidentNote
from lineage.types import NotFound
from lineage.webhooks import addresses
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, drafted, undone
from tests.incidents.world import (
    about,
    deliveries,
    member_named,
    opened,
    row,
    send,
    to_this_machine,
    viewer,
    world,
)  # fmt: skip

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
NOTHING = {"cited": 0, "in_context": 0, "produced": 0, "retrieved": 0, "possible": 0, "served": 0}


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def test_opening_counts_what_rests_on_it_then(filled: Workspace) -> None:
    uid = opened(filled, about(filled, "source", "s1", grades=("cited", "retrieved")))
    found = row(uid)
    assert found.counts == NOTHING | {"cited": 1, "in_context": 1, "retrieved": 1}
    assert (found.total, found.found, found.state, found.watching) == (2, 0, "open", True)
    shown = view.incident_view(viewer(filled), uid)
    assert (shown.counts_now, shown.total_now) == (found.counts, 2)
    assert shown.question == about(filled, "source", "s1", grades=("cited", "retrieved"))


@pytest.mark.parametrize(
    ("title", "question", "pointer"),
    [
        ("", {"nodes": ("s1",)}, "/title"),
        ("x" * 201, {"nodes": ("s1",)}, "/title"),
        ("a\0b", {"nodes": ("s1",)}, "/title"),
        ("About nothing", {}, "/question"),
    ],
)
def test_what_cannot_stand_is_refused(
    filled: Workspace, title: str, question: dict[str, tuple[str, ...]], pointer: str
) -> None:
    asked = about(filled, "source", "s1") if question else Question()
    with pytest.raises(IncidentRefused) as refused:
        workflow.open_incident(viewer(filled), title=title, question=asked)
    assert refused.value.pointer == pointer
    assert (Incident.objects.count(), DataKey.objects.filter(owner_id__lt=0).count()) == (0, 0)


def test_a_node_of_elsewhere_opens_nothing_and_leaves_no_key(filled: Workspace) -> None:
    with pytest.raises(NotFound):
        opened(filled, Question(nodes=("src_" + "a" * 26,)))
    assert (Incident.objects.count(), DataKey.objects.filter(owner_id__lt=0).count()) == (0, 0)


def test_readers_may_do_nothing(filled: Workspace) -> None:
    uid = opened(filled)
    reader = viewer(filled, "read")
    for attempt in (
        lambda: workflow.open_incident(reader, title="t", question=about(filled, "source", "s1")),
        lambda: workflow.change(reader, uid, {"state": "closed"}),
        lambda: workflow.note(reader, uid, "n"),
        lambda: workflow.delete(reader, uid),
        lambda: view.incident_view(reader, uid),
        lambda: view.incidents(reader),
        lambda: addresses.make(reader, url="https://example.org/"),
    ):
        with pytest.raises(ScopeMissing):
            attempt()


def test_another_workspaces_incident_is_like_none(filled: Workspace) -> None:
    uid = opened(filled)
    elsewhere = viewer(Workspace.objects.create(slug=f"{filled.slug}-2", name="other"))
    for attempt in (
        lambda: view.incident_view(elsewhere, uid),
        lambda: course.notes(elsewhere, uid),
        lambda: course.new_answers(elsewhere, uid),
        lambda: workflow.change(elsewhere, uid, {"state": "closed"}),
        lambda: workflow.note(elsewhere, uid, "n"),
        lambda: workflow.notice(elsewhere, uid, 1),
        lambda: workflow.delete(elsewhere, uid),
        lambda: addresses.make(elsewhere, url="https://example.org/", incident=uid),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert view.incidents(elsewhere).items == ()


# From each state, where it may go; hand-written beside the table of the code.
WAYS = {
    "open": {"investigating", "mitigated", "closed"},
    "investigating": {"open", "mitigated", "closed"},
    "mitigated": {"investigating", "closed"},
    "closed": {"investigating"},
}


def test_only_allowed_moves_are_made(filled: Workspace) -> None:
    uid = opened(filled)
    for start, end in itertools.product(WAYS, WAYS):
        with undone():
            Incident.objects.filter(uid=uid).update(state=start)
            if end == start or end in WAYS[start]:
                workflow.change(viewer(filled), uid, {"state": end})
                assert row(uid).state == end
            else:
                with pytest.raises(IncidentConflict) as conflict:
                    workflow.change(viewer(filled), uid, {"state": end})
                assert (conflict.value.code, conflict.value.state) == ("wrong_state", start)
                assert row(uid).state == start
            moved = IncidentNote.objects.filter(incident__uid=uid, what="state").count()
            assert moved == (end in WAYS[start])
            assert (row(uid).closed_at is not None) == (end == "closed" and start != "closed")


def test_a_refused_change_changes_nothing_of_the_others(filled: Workspace) -> None:
    uid = opened(filled)
    with pytest.raises(IncidentRefused):
        workflow.change(viewer(filled), uid, {"title": "New", "assignee": "nobody-here"})
    assert row(uid).title == "Signs lost"
    assert course.notes(viewer(filled), uid).total == 0


def test_it_is_given_to_members_who_may_operate(filled: Workspace) -> None:
    uid = opened(filled)
    ada = member_named(filled, f"ada-{filled.slug}")
    reader = member_named(filled, f"eve-{filled.slug}", "reader")
    stranger = member_named(
        Workspace.objects.create(slug=f"{filled.slug}-2", name="o"), f"bob-{filled.slug}"
    )
    for name in (reader.username, stranger.username, "x" * 500):
        with pytest.raises(IncidentRefused):
            workflow.change(viewer(filled), uid, {"assignee": name})
    for _ in range(2):
        workflow.change(viewer(filled), uid, {"assignee": ada.username})
    assert row(uid).assignee == ada
    workflow.change(viewer(filled), uid, {"assignee": ""})
    assert row(uid).assignee is None
    said = course.notes(viewer(filled), uid).items
    assert [(each.what, each.assigned) for each in said] == [
        ("assignee", ""), ("assignee", ada.username),
    ]  # fmt: skip
    with_ada = viewer(filled)
    workflow.change(with_ada, uid, {"assignee": ada.username})
    listed = {
        name: [each.uid for each in view.incidents(with_ada, assignee=name).items]
        for name in (ada.username, view.NOBODY, reader.username)
    }
    assert listed == {ada.username: [uid], view.NOBODY: [], reader.username: []}


def test_notes_are_kept_in_order_encrypted_and_say_who(filled: Workspace) -> None:
    ada = member_named(filled, f"ada-{filled.slug}")
    as_ada = replace(viewer(filled), user_id=ada.pk)
    uid = opened(filled, note="It began on Monday.")
    workflow.note(as_ada, uid, "The sentinel phrase 7f3a.")
    said = course.notes(viewer(filled), uid).items
    assert [(each.text, each.author) for each in said] == [
        ("The sentinel phrase 7f3a.", ada.username), ("It began on Monday.", None),
    ]  # fmt: skip
    assert not any(b"sentinel" in bytes(blob.ciphertext) for blob in Blob.objects.all())
    with connection.cursor() as cursor:
        cursor.execute("SELECT digest, became FROM lineage_incidentnote")
        assert "sentinel" not in str(cursor.fetchall())
    for wrong in ("", " \n", "x" * 10_001, "a\0b"):
        with pytest.raises(IncidentRefused):
            workflow.note(as_ada, uid, wrong)


def test_notes_page_without_gap_or_repetition(filled: Workspace) -> None:
    uid = opened(filled)
    for number in range(5):
        workflow.note(viewer(filled), uid, f"note {number}")
    seen, cursor = [], None
    while True:
        page = course.notes(viewer(filled), uid, limit=2, cursor=cursor)
        seen += [each.text for each in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert seen == [f"note {number}" for number in (4, 3, 2, 1, 0)]
    assert page.total == 5


def test_only_a_closed_incident_is_deleted_and_its_notes_with_it(filled: Workspace) -> None:
    uid = opened(filled, note="Gone soon.")
    owner = row(uid).owner_id
    with pytest.raises(IncidentConflict):
        workflow.delete(viewer(filled), uid)
    assert DataKey.objects.filter(owner_id=owner).exists()
    workflow.change(viewer(filled), uid, {"state": "closed"})
    workflow.delete(viewer(filled), uid)
    assert not Incident.objects.filter(uid=uid).exists()
    assert not DataKey.objects.filter(owner_id=owner).exists()
    assert not Blob.objects.filter(owner_id=owner).exists()


def test_the_list_goes_by_age_and_state_in_pages(filled: Workspace) -> None:
    uids = [opened(filled) for _ in range(5)]
    workflow.change(viewer(filled), uids[1], {"state": "closed"})
    for oldest, expected in ((False, uids[::-1]), (True, uids)):
        seen: list[str] = []
        cursor = None
        while True:
            page = view.incidents(viewer(filled), oldest=oldest, limit=2, cursor=cursor)
            seen += [each.uid for each in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert seen == expected
        assert page.total == 5
    closed = view.incidents(viewer(filled), states=("closed",))
    assert ([each.uid for each in closed.items], closed.total) == ([uids[1]], 1)
    assert closed.by_state == {"open": 4, "investigating": 0, "mitigated": 0, "closed": 1}


def test_what_can_be_filed_as_a_case_and_what_was(filled: Workspace) -> None:
    source, parser = (about(filled, *each) for each in (("source", "s1"), ("component", "parser")))
    uid = opened(filled, source)
    assert view.incident_view(viewer(filled), uid).targets == source.nodes
    machine = view.incident_view(viewer(filled), opened(filled, parser))
    assert (machine.targets, machine.case_kinds) == (parser.nodes, ("defective_component",))
    by_name = Question(component=ComponentRange(name="parser"))
    assert view.incident_view(viewer(filled), opened(filled, by_name)).targets == ()
    assert "defective_component" not in view.incident_view(viewer(filled), uid).case_kinds
    linked = drafted(filled, "concern", ("source", "s2"))
    named = drafted(filled, "concern", ("source", "s1"), evidence=[f"/incidents/{uid}"])
    drafted(filled, "concern", ("source", "s1"))
    for _ in range(2):
        workflow.link_case(viewer(filled), uid, linked.uid)
    found = view.incident_view(viewer(filled), uid).cases
    assert [each.uid for each in found] == [linked.uid, named.uid]
    with pytest.raises(IncidentRefused):
        workflow.link_case(viewer(filled), uid, "cas_" + "a" * 26)


@to_this_machine
def test_webhooks_of_the_incident_and_of_the_workspace_are_told(filled: Workspace) -> None:
    every, _ = addresses.make(viewer(filled), url="http://127.0.0.1:9/all")
    uid, other = opened(filled), opened(filled)
    own, _ = addresses.make(viewer(filled), url="http://127.0.0.1:9/own", incident=uid)
    workflow.change(viewer(filled), uid, {"state": "investigating", "title": "Signs lost"})
    workflow.change(viewer(filled), uid, {"state": "investigating"})
    told = {"incident": uid, "address": f"/incidents/{uid}", "state": "investigating", "changed": ["state"]}  # fmt: skip
    assert deliveries(own) == [("incident.changed", told)]
    assert [(type_, data["incident"]) for type_, data in deliveries(every)] == [
        ("incident.opened", uid), ("incident.opened", other), ("incident.changed", uid),
    ]  # fmt: skip
    assert "Signs lost" not in str(deliveries(every))


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    not os.environ.get("DATABASE_URL", "").startswith("postgres"),
    reason="SQLite lets one transaction write at a time: there is nothing to contend for",
)
def test_of_two_who_close_it_at_once_one_does(filled: Workspace) -> None:
    uid = opened(filled)
    barrier = threading.Barrier(4)

    def close() -> None:
        barrier.wait()
        try:
            workflow.change(viewer(filled), uid, {"state": "closed"})
        finally:
            connection.close()

    threads = [threading.Thread(target=close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert row(uid).state == "closed"
    assert IncidentNote.objects.filter(incident__uid=uid, what="state").count() == 1


def test_a_linked_case_is_told_in_the_course_once_and_as_lifted_when_it_is(
    filled: Workspace,
) -> None:
    ada = member_named(filled, f"ada-{filled.slug}")
    uid = opened(filled)
    case = approved(filled, "correction", ("source", "s1")).uid
    for _ in range(2):
        workflow.link_case(replace(viewer(filled), user_id=ada.pk), uid, case)
    (told,) = course.notes(viewer(filled), uid).items
    assert (told.what, told.became, told.case_kind, told.author) == (
        "case", case, "correction", ada.username,
    )  # fmt: skip
    assert [(each.uid, each.reinstated_by) for each in view.incident_view(viewer(filled), uid).cases] == [(case, None)]  # fmt: skip
    lifting = cases.reinstate(viewer(filled), case).uid
    (linked,) = view.incident_view(viewer(filled), uid).cases
    assert (linked.uid, linked.reinstated_by) == (case, lifting)
