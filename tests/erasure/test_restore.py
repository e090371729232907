"""A database from before an erasure beside one from after it: nothing is served until it is made up for."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from celery import Task
from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings

from lineage import tasks
from lineage.cases.view import case_view
from lineage.content.keys import destroy_key, keys_of
from lineage.content.passages import texts_of
from lineage.erasure.blank import blank
from lineage.erasure.ledger import view_of
from lineage.erasure.restore import out_of_step, reapply
from lineage.impact.question import Question
from lineage.incidents.workflow import open_incident
from lineage.liveness import WORKER
from lineage.models import (
    Case,
    DataKey,
    ErasureEssence,
    Incident,
    Node,
    Sighting,
    SignOfLife,
    TaskOutbox,
)
from lineage.nodes.view import node as node_view
from lineage.outbox import HEADER
from lineage.types import Erased
from provexplorer import clock, in_step
from provexplorer.in_step import latest
from provexplorer.workspaces.models import Workspace
from tests.cases.world import node, run_to_end, send, undone, viewer, work
from tests.erasure.world import PASSAGE, SENTINEL, TITLE_SENTINEL, erased, made, world
from tests.faults.erased import left_of
from tests.faults.invariants import Filed, assert_invariants

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]
_GUARDED = override_settings(
    MIDDLEWARE=[*settings.MIDDLEWARE, "provexplorer.restored.RefuseUntilErased"]
)


def test_a_main_database_from_before_is_erased_again(workspace: Workspace) -> None:
    made(workspace)
    source, chunk = node(workspace, "source", "s1"), node(workspace, "chunk", "c1")
    with undone():
        uid = erased(workspace, ("source", "s1"), describing=True).uid
    # The main database is as it was; the keys database is not.
    assert not Case.objects.filter(uid=uid).exists()
    assert TITLE_SENTINEL in Node.objects.get(pk=source.pk).label
    assert out_of_step().main == (uid,)
    assert texts_of([chunk]) == {}

    assert reapply() == 1

    assert not out_of_step()
    case = Case.objects.get(uid=uid)
    view = view_of(case)
    assert (view.state, view.again, view.describing, view.tombstones) == ("done", True, True, 5)
    left = json.dumps([
        list(Node.objects.filter(workspace=workspace).values_list("key", "label", "fields")),
        list(Sighting.objects.filter(workspace=workspace).values_list("fields", "attributes")),
    ])  # fmt: skip
    assert [word for word in (SENTINEL, TITLE_SENTINEL, '"s1"') if word in left] == []
    with pytest.raises(Erased) as raised:
        node_view(viewer(workspace), chunk.uid)
    assert raised.value.case_uid == uid
    statuses = {one.status for one in send(workspace, world()[:5])}
    assert statuses == {"rejected"}
    assert run_to_end(case_view(viewer(workspace), uid)).state == Case.State.VERIFIED
    assert reapply() == 0
    assert_invariants(workspace, world(), [Filed(uid, "erasure", (("source", "s1"),))])
    assert left_of(SENTINEL, workspace) == []


def test_a_keys_database_from_before_loses_its_keys_again(workspace: Workspace) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    before = DataKey.objects.get(owner_id=source.pk)
    uid = erased(workspace, ("source", "s1")).uid
    # As the keys database was.
    ErasureEssence.objects.all().delete()
    before.save()
    assert keys_of([source.pk]).keys() == {source.pk}
    assert out_of_step().keys == (uid,)
    assert reapply() == 1
    assert keys_of([source.pk]) == {}
    assert not out_of_step()


def test_what_a_restore_leaves_blank_is_told_and_stays_so(workspace: Workspace) -> None:
    """The rest of an answer that was masked lies under a key of another time: nothing brings it back."""
    made(workspace)
    quotes, other = node(workspace, "answer", "quotes"), node(workspace, "answer", "other")
    title = f"Lost: Tides of {TITLE_SENTINEL}"
    asked = Question(nodes=(node(workspace, "source", "s2").uid,))
    incident = open_incident(viewer(workspace), title=title, question=asked)
    with undone():
        erased(workspace, ("source", "s1"), describing=True)
    assert blank() == ()
    reapply()
    assert blank() == (quotes.uid,)
    assert texts_of([quotes, other]).keys() == {other.pk}
    # The same again would bring the erased part back: it changes nothing.
    assert {one.status for one in send(workspace, world()[8:14])} == {"unchanged"}
    assert texts_of([quotes]) == {}
    # The backup had the names again, and lost them again.
    assert TITLE_SENTINEL not in Incident.objects.get(uid=incident).title
    said = StringIO()
    call_command("reapply_erasures", stdout=said)
    assert said.getvalue().splitlines() == [
        "0 erasures applied again",
        f"{quotes.uid}: blank, because its text and its key are of different times",
        "1 to be made anew",
    ]


def test_nothing_is_served_before(workspace: Workspace, client: Client) -> None:
    made(workspace)
    with undone():
        erased(workspace, ("source", "s1"))
    latest.forget()
    try:
        with _GUARDED:
            page = client.get("/")
            assert (page.status_code, "reapply_erasures" in page.text) == (503, True)
            refused = client.get("/api/v1/nodes/x")
            assert (refused.status_code, refused.json()["type"]) == (503, "/problems/erasures-due")
            assert client.post("/v1/traces").status_code == 503
            assert client.get("/healthz").status_code == 200
            reapply()
            latest.forget()
            assert client.get("/").status_code == 302
            assert client.get("/api/v1/nodes/x").status_code == 401
    finally:
        latest.forget()


def test_a_restore_under_running_processes_is_noticed(
    workspace: Workspace, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(workspace)
    latest.forget()
    row = TaskOutbox.objects.create(
        name="lineage.send_outbox", created_at=clock.now(), sent_at=clock.now(), sends=1,
        again_at=clock.now() + timedelta(hours=1),
    )  # fmt: skip

    def run(task: Task) -> None:
        task.apply(headers={HEADER: row.pk}, throw=True)
        row.refresh_from_db()

    def ran() -> bool:
        return SignOfLife.objects.filter(name=WORKER).exists()

    try:
        with _GUARDED:
            monkeypatch.setattr(in_step, "AGREED_SECONDS", 3_600.0)
            assert client.get("/").status_code == 302
            with undone():
                erased(workspace, ("source", "s1"))
            assert client.get("/").status_code == 302, "not looked at for each request"
            monkeypatch.setattr(in_step, "AGREED_SECONDS", 0.0)
            assert client.get("/").status_code == 503
            run(tasks.send_outbox)
            assert not ran()
            assert row.again_at is not None
            assert (row.sends, row.again_at < clock.now() + timedelta(minutes=1)) == (0, True)
            run(tasks.erase_due)
            assert row.again_at is None, "what makes up for it goes on"
            TaskOutbox.objects.filter(pk=row.pk).update(again_at=clock.now())
            reapply()
            latest.forget()
            assert client.get("/").status_code == 302
            run(tasks.send_outbox)
            assert row.again_at is None
            assert ran()
    finally:
        latest.forget()


def test_owners_that_a_restored_database_does_not_know_may_come_anew(workspace: Workspace) -> None:
    made(workspace)
    with undone():
        send(workspace, _late())
        late = node(workspace, "source", "late").pk
        erased(workspace, ("source", "late"))
    reapply()
    # Its id is given again; whoever gets it is not the one that was erased.
    assert not DataKey.objects.filter(owner_id=late).exists()
    destroy_key(late)


def _late() -> list[dict[str, object]]:
    return work("late", f"What came later: {PASSAGE}", {})
