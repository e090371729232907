"""What was kept is applied in the end; what fails for good is set aside, and can be sent again."""

import pytest
from django.db import OperationalError

from lineage.formats.refusals import BodyRefused
from lineage.inbox.keeping import body_of, destroy_bodies, keep
from lineage.inbox.replay import replay, replay_quarantined
from lineage.inbox.sweep import apply_waiting
from lineage.models import InboxPayload, Sighting, TaskOutbox
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.inbox.conftest import Clock, Failing
from tests.inbox.world import REFUSED, SOURCE, body, only, row, send

pytestmark = pytest.mark.django_db


def orphan(workspace: Workspace, data: bytes) -> InboxPayload:
    """A payload whose process died between commit and application."""
    return keep(
        workspace,
        format="native",
        media_type="application/json",
        body=data,
        packed=None,
        key_id=None,
        idempotency="",
        digest="",
    )


def operator(workspace: Workspace) -> Viewer:
    return Viewer(workspace.pk, workspace.hash_key, workspace.slug, scopes=frozenset({"operate"}))


def test_who_applies_a_payload_has_it_for_two_minutes(workspace: Workspace, time: Clock) -> None:
    left = orphan(workspace, body(SOURCE))
    time.pass_(seconds=119)
    assert apply_waiting() == 0
    time.pass_(seconds=1)
    assert apply_waiting() == 1
    left.refresh_from_db()
    assert (left.state, left.stored, left.attempts, left.next_at) == ("applied", 1, 2, None)
    assert Sighting.objects.filter(workspace=workspace, node__kind="source").count() == 1
    assert apply_waiting() == 0


def test_a_payload_that_kills_its_processes_is_set_aside(workspace: Workspace, time: Clock) -> None:
    left = orphan(workspace, body(SOURCE))
    InboxPayload.objects.filter(pk=left.pk).update(attempts=5)
    time.pass_(minutes=2)
    assert apply_waiting() == 0
    left.refresh_from_db()
    assert (left.state, left.failure) == ("quarantined", "ProcessLost")
    assert left.reasons == [{"code": "ProcessLost", "pointer": "", "count": 1, "refused": True}]


def test_its_own_failures_are_counted_with_longer_and_longer_pauses(
    workspace: Workspace, failing: Failing, time: Clock
) -> None:
    failing(KeyError("a secret key"))
    found = row(send(workspace, SOURCE))
    pauses = []
    while found.state == "received":
        assert found.next_at is not None
        pauses.append((found.next_at - time.now).total_seconds())
        time.now = found.next_at
        apply_waiting()
        found.refresh_from_db()
    assert pauses == [10, 40, 160, 640]
    assert (found.state, found.failure, found.attempts) == ("quarantined", "KeyError", 5)
    assert "secret" not in str(found.reasons)
    assert body_of(workspace, found.pk) == body(SOURCE)


def test_a_store_that_is_away_is_not_the_payloads_fault(
    workspace: Workspace, failing: Failing, time: Clock
) -> None:
    failing(OperationalError("locked"))
    found = row(send(workspace, SOURCE))
    for _ in range(10):
        time.pass_(minutes=5)
        assert apply_waiting() == 0
    found.refresh_from_db()
    assert (found.state, found.attempts) == ("received", 0)
    failing(None)
    time.pass_(minutes=5)
    assert apply_waiting() == 1


def test_an_unusable_body_that_was_kept_is_set_aside_with_its_reason(
    workspace: Workspace, time: Clock
) -> None:
    left = orphan(workspace, b'{"records": {}}')
    time.pass_(minutes=2)
    apply_waiting()
    left.refresh_from_db()
    assert (left.state, left.failure) == ("quarantined", "body-unreadable")
    assert left.reasons[0]["pointer"] == "/records"


def test_a_body_that_was_destroyed_is_never_applied(workspace: Workspace, time: Clock) -> None:
    left = orphan(workspace, body(SOURCE))
    destroy_bodies([left.pk])
    time.pass_(minutes=2)
    assert apply_waiting() == 0
    left.refresh_from_db()
    assert (left.state, left.failure) == ("quarantined", "BodyDestroyed")
    assert Sighting.objects.count() == 0


def test_quarantined_payloads_are_replayed_together(
    workspace: Workspace, failing: Failing, time: Clock
) -> None:
    other = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    for place in (workspace, workspace, other):
        orphan(place, body(SOURCE))
    InboxPayload.objects.update(state="quarantined", next_at=None, attempts=5, failure="KeyError")
    assert replay_quarantined(operator(workspace)) == 2
    assert list(TaskOutbox.objects.values_list("name", "arguments")) == [
        ("lineage.apply_inbox", {})
    ]
    assert apply_waiting() == 2
    states = InboxPayload.objects.order_by("workspace__slug").values_list(
        "workspace__slug", "state"
    )
    assert list(states) == [
        ("elsewhere", "quarantined"), (workspace.slug, "applied"), (workspace.slug, "applied"),
    ]  # fmt: skip


def test_one_payload_is_replayed_at_once(workspace: Workspace, failing: Failing) -> None:
    failing(BodyRefused("body-unreadable", "…", "/x"))
    left = orphan(workspace, body(SOURCE))
    InboxPayload.objects.update(state="quarantined", next_at=None, attempts=5)
    assert replay(operator(workspace), left.uid) == "quarantined"
    failing(None)
    assert replay(operator(workspace), left.uid) == "applied"
    assert replay(operator(workspace), left.uid) == "applied"  # nothing is left to do
    assert only(workspace).attempts == 1


def test_what_was_partly_applied_can_be_replayed(workspace: Workspace) -> None:
    found = row(send(workspace, SOURCE, REFUSED))
    assert replay(operator(workspace), found.uid) == "partly_applied"
    found.refresh_from_db()
    assert (found.stored, found.unchanged, found.rejected) == (0, 1, 1)


def test_another_workspaces_payload_is_unknown(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    found = row(send(other, SOURCE, REFUSED))
    with pytest.raises(NotFound):
        replay(operator(workspace), found.uid)
