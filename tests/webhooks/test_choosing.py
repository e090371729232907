"""Who is told what: events chosen, of one incident or of the workspace, and deliveries sent again."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from lineage.cases.errors import ScopeMissing
from lineage.models import TaskOutbox, Webhook, WebhookDelivery
from lineage.types import NotFound
from lineage.webhooks import addresses, delivering, events, log
from lineage.webhooks.errors import WebhookRefused
from lineage.webhooks.sending import Sent
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.incidents.world import opened, send, viewer, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
URL = "https://example.org/in"


def made(workspace: Workspace, *types: str, incident: str = "") -> str:
    chosen = types or None
    return addresses.make(viewer(workspace), url=URL, incident=incident, types=chosen)[0]


def told(uid: str) -> list[str]:
    rows = WebhookDelivery.objects.filter(webhook__uid=uid).order_by("pk")
    return list(rows.values_list("type", flat=True))


def given_up(uid: str, number: int) -> list[WebhookDelivery]:
    hook = Webhook.objects.get(uid=uid)
    rows = [events.put(hook, events.TEST, uid, {"webhook": uid}) for _ in range(number)]
    WebhookDelivery.objects.filter(webhook=hook).update(
        state="failed", next_at=None, attempts=9, failure="unreachable"
    )
    return rows


# --- choosing ---------------------------------------------------------------------------


def test_an_address_is_told_of_what_it_has_chosen_alone(workspace: Workspace) -> None:
    stale, every = made(workspace, "answer.stale"), made(workspace)
    assert events.tell(workspace.pk, "answer.stale", "", {}) == 2
    assert events.tell(workspace.pk, "case.ready", "cas_x", {}) == 1
    assert (told(stale), told(every)) == (["answer.stale"], ["answer.stale", "case.ready"])
    addresses.choose(viewer(workspace), stale, ["case.ready"])
    assert events.tell(workspace.pk, "answer.stale", "", {}) == 1
    assert events.tell(workspace.pk, "case.ready", "cas_x", {}) == 2
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    assert events.tell(elsewhere.pk, "answer.stale", "", {}) == 0


def test_an_address_of_one_incident_is_told_of_nothing_else(workspace: Workspace) -> None:
    send(workspace, world())
    incident = opened(workspace)
    own = made(workspace, incident=incident)
    assert addresses.webhook(viewer(workspace), own).types == events.OF_INCIDENTS
    opened(workspace)
    assert events.tell(workspace.pk, "answer.stale", "", {}) == 0
    assert told(own) == []
    with pytest.raises(WebhookRefused) as refused:
        made(workspace, "answer.stale", incident=incident)
    assert refused.value.pointer == "/events"


@pytest.mark.parametrize("types", [["answer.changed"], [""], [], ["answer.stale", "webhook.test"]])
def test_events_that_there_are_not_cannot_be_chosen(workspace: Workspace, types: list[str]) -> None:
    uid = made(workspace)
    with pytest.raises(WebhookRefused):
        addresses.make(viewer(workspace), url=URL, types=types)
    with pytest.raises(WebhookRefused):
        addresses.choose(viewer(workspace), uid, types)
    assert addresses.webhook(viewer(workspace), uid).types == events.TYPES


def test_what_nobody_can_choose_is_not_told(workspace: Workspace) -> None:
    made(workspace)
    with pytest.raises(ValueError, match="not an event"):
        events.tell(workspace.pk, events.TEST, "", {})


# --- sending again ----------------------------------------------------------------------


def test_a_delivery_is_replayed_under_its_own_id(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    uid = made(workspace)
    (row,) = given_up(uid, 1)
    sent: list[str] = []

    def take(_url: str, *, message_id: str, **_: object) -> Sent:
        sent.append(message_id)
        return Sent(204, "")

    monkeypatch.setattr(delivering, "send", take)
    assert log.replay(viewer(workspace), uid, row.uid) is True
    # Twice at once is once.
    assert log.replay(viewer(workspace), uid, row.uid) is False
    delivering.deliver(row.pk, 0)
    delivering.deliver(row.pk, 0)
    (seen,) = log.deliveries(viewer(workspace), uid).items
    assert (seen.state, seen.attempts, seen.replays, sent) == ("delivered", 1, 1, [row.uid])
    # What was taken can be asked for again: the receiver may have lost it.
    assert log.replay(viewer(workspace), uid, row.uid) is True


def test_a_replay_forgets_no_earlier_delivery(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    uid = made(workspace)
    hook = Webhook.objects.get(uid=uid)
    row = events.put(hook, events.TEST, uid, {"webhook": uid})

    def delivered_at(minute: int, attempt: int, reply: Sent) -> tuple[str, datetime | None]:
        monkeypatch.setattr(clock, "now", lambda: first + timedelta(minutes=minute))
        monkeypatch.setattr(delivering, "send", lambda *_, **__: reply)
        delivering.deliver(row.pk, attempt)
        (seen,) = log.deliveries(viewer(workspace), uid).items
        return seen.state, seen.delivered_at

    first = row.created_at + timedelta(hours=1)
    taken, refused = Sent(204, ""), Sent(500, "refused")
    assert delivered_at(0, 0, taken) == ("delivered", first)
    assert log.replay(viewer(workspace), uid, row.uid)
    (waiting,) = log.deliveries(viewer(workspace), uid).items
    assert (waiting.state, waiting.delivered_at) == ("pending", first)
    assert delivered_at(1, 0, refused) == ("pending", first)
    assert delivered_at(2, 1, taken) == ("delivered", first + timedelta(minutes=2))
    # Given up, it was taken all the same; its address takes nothing any more.
    assert log.replay(viewer(workspace), uid, row.uid)
    WebhookDelivery.objects.filter(pk=row.pk).update(attempts=8)
    assert delivered_at(3, 8, refused) == ("failed", first + timedelta(minutes=2))
    hook.refresh_from_db()
    assert hook.disabled_at is not None


def test_all_that_was_given_up_is_replayed_and_nothing_else(workspace: Workspace) -> None:
    uid, other = made(workspace), made(workspace)
    failed, others = given_up(uid, 3), given_up(other, 2)
    events.tell(workspace.pk, "answer.stale", "", {})
    assert log.replay_failed(viewer(workspace), uid) == 3
    assert log.replay_failed(viewer(workspace), uid) == 0
    page = log.deliveries(viewer(workspace), uid)
    assert (page.total, page.failed) == (4, 0)
    assert {each.uid for each in page.items if each.replays} == {each.uid for each in failed}
    assert log.deliveries(viewer(workspace), other).failed == len(others)
    assert TaskOutbox.objects.filter(name=log.DELIVER_DUE).count() == 1
    assert delivering.deliver_due() >= 3


def test_the_log_is_kept_to_a_state_and_paged(workspace: Workspace) -> None:
    uid = made(workspace)
    given_up(uid, 3)
    events.tell(workspace.pk, "answer.stale", "", {})
    first = log.deliveries(viewer(workspace), uid, state="failed", limit=2)
    rest = log.deliveries(viewer(workspace), uid, state="failed", limit=2, cursor=first.next)
    assert (len(first.items), len(rest.items), rest.next, rest.total) == (2, 1, None, 3)
    assert [each.type for each in log.deliveries(viewer(workspace), uid, state="pending").items] == ["answer.stale"]  # fmt: skip
    with pytest.raises(WebhookRefused):
        log.deliveries(viewer(workspace), uid, state="lost")


def test_nothing_is_replayed_to_who_is_switched_off_or_for_who_may_not(workspace: Workspace) -> None:  # fmt: skip
    uid = made(workspace)
    (row,) = given_up(uid, 1)
    calls: list[Callable[[], object]] = [
        lambda: log.replay(viewer(workspace), uid, row.uid),
        lambda: log.replay_failed(viewer(workspace), uid),
    ]
    Webhook.objects.filter(uid=uid).update(disabled_at=row.created_at)
    for call in calls:
        with pytest.raises(WebhookRefused):
            call()
    addresses.switch_on(viewer(workspace), uid)
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    other = made(elsewhere)
    with pytest.raises(NotFound):
        log.replay(viewer(elsewhere), other, row.uid)
    with pytest.raises(NotFound):
        log.replay(viewer(elsewhere), uid, row.uid)
    with pytest.raises(ScopeMissing):
        log.replay_failed(viewer(workspace, "read"), uid)
    assert log.deliveries(viewer(workspace), uid).failed == 1
