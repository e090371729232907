"""Deliveries: tried once at a time, again after a while, given up in the end, never twice by two workers."""

import json
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest
from django.conf import settings

from lineage.erasure import external
from lineage.incidents import watch, workflow
from lineage.models import DataKey, TaskOutbox, Webhook, WebhookDelivery
from lineage.webhooks import addresses, delivering, events
from lineage.webhooks.sending import Sent, new_secret_words
from provexplorer import clock
from provexplorer.celery import app
from provexplorer.workspaces.models import Workspace
from tests.incidents.world import (
    answer,
    member_named,
    opened,
    row,
    send,
    to_this_machine,
    viewer,
    world,
)  # fmt: skip

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "webhooks"


class Line:
    """The line to the outside: what was sent, and what comes back next."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.reply = Sent(200, "")

    def send(self, url: str, **message: object) -> Sent:
        self.sent.append({"url": url, **message})
        return self.reply


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    found = Line()
    monkeypatch.setattr(delivering, "send", found.send)
    return found


@pytest.fixture
def hook(workspace: Workspace) -> str:
    return addresses.make(viewer(workspace), url="https://example.org/in")[0]


def put(uid: str) -> WebhookDelivery:
    return events.put(Webhook.objects.get(uid=uid), events.TEST, uid, {"webhook": uid})


def again(delivery: WebhookDelivery) -> WebhookDelivery:
    return WebhookDelivery.objects.get(pk=delivery.pk)


def asked_for() -> list[dict[str, int]]:
    rows = TaskOutbox.objects.filter(name="lineage.deliver_webhook").order_by("pk")
    return list(rows.values_list("arguments", flat=True))


def test_what_is_taken_is_over_and_was_signed_with_the_secret_shown(
    workspace: Workspace, line: Line
) -> None:
    uid, secret = addresses.make(viewer(workspace), url="https://example.org/in")
    delivery = put(uid)
    assert asked_for() == [{"delivery_id": delivery.pk, "attempt": 0}]
    delivering.deliver(delivery.pk, 0)
    found = again(delivery)
    assert (found.state, found.status, found.attempts, found.next_at) == ("delivered", 200, 1, None)
    (sent,) = line.sent
    assert (sent["url"], sent["message_id"]) == ("https://example.org/in", delivery.uid)
    assert secret == new_secret_words(bytes(sent["secret"]))  # type: ignore[call-overload]
    assert json.loads(bytes(sent["body"])) == delivery.body  # type: ignore[call-overload]


def test_a_message_that_comes_twice_sends_once(hook: str, line: Line) -> None:
    delivery = put(hook)
    for _ in range(3):
        delivering.deliver(delivery.pk, 0)
    line.reply = Sent(500, "refused")
    failing = put(hook)
    for attempt in (0, 0, 1, 1, 0):
        delivering.deliver(failing.pk, attempt)
    assert [each["message_id"] for each in line.sent] == [delivery.uid, failing.uid, failing.uid]


def test_it_is_tried_again_ever_later_and_then_given_up(
    hook: str, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.reply = Sent(None, "too_slow")
    delivery = put(hook)
    now, waits = clock.now(), []
    for attempt in range(9):
        monkeypatch.setattr(clock, "now", lambda at=now: at)
        if attempt:
            assert delivering.deliver_due() == 1
            assert delivering.deliver_due() == 0  # its message is on the way
        delivering.deliver(delivery.pk, attempt)
        found = again(delivery)
        assert (found.attempts, found.failure) == (attempt + 1, "too_slow")
        if found.next_at is None:
            break
        waits.append((found.next_at - now).total_seconds())
        now = found.next_at
    plain = [15, 60, 300, 1_800, 7_200, 18_000, 28_800, 28_800]
    assert all(0.8 * each <= wait <= 1.2 * each for each, wait in zip(plain, waits, strict=True))
    assert (found.state, found.attempts) == ("failed", 9)
    assert Webhook.objects.get(uid=hook).disabled_at is not None


def test_an_address_that_took_something_meanwhile_stays_on(hook: str, line: Line) -> None:
    failing, taken = put(hook), put(hook)
    delivering.deliver(taken.pk, 0)
    line.reply = Sent(503, "refused")
    WebhookDelivery.objects.filter(pk=failing.pk).update(attempts=8)
    delivering.deliver(failing.pk, 8)
    assert again(failing).state == "failed"
    assert Webhook.objects.get(uid=hook).disabled_at is None


def test_gone_switches_it_off_at_once(workspace: Workspace, hook: str, line: Line) -> None:
    line.reply = Sent(410, "refused")
    first, second = put(hook), put(hook)
    delivering.deliver(first.pk, 0)
    delivering.deliver(second.pk, 0)
    assert [again(each).state for each in (first, second)] == ["failed", "failed"]
    assert (again(second).failure, len(line.sent)) == ("switched_off", 1)
    send(workspace, world())
    opened(workspace)
    assert WebhookDelivery.objects.filter(webhook__uid=hook, type="incident.opened").count() == 0
    addresses.switch_on(viewer(workspace), hook)
    opened(workspace)
    assert WebhookDelivery.objects.filter(webhook__uid=hook, type="incident.opened").count() == 1


def test_who_dies_in_an_attempt_leaves_it_due(hook: str, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    def die(*_: object, **__: object) -> Sent:
        raise SystemExit

    delivery = put(hook)
    monkeypatch.setattr(delivering, "send", die)
    with pytest.raises(SystemExit):
        delivering.deliver(delivery.pk, 0)
    assert delivering.deliver_due() == 0
    later = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert delivering.deliver_due() == 1
    assert asked_for()[-1] == {"delivery_id": delivery.pk, "attempt": 1}


def test_the_log_is_cleared_of_what_is_old_and_over(hook: str, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    over, pending = put(hook), put(hook)
    delivering.deliver(over.pk, 0)
    later = clock.now() + timedelta(days=31)
    monkeypatch.setattr(clock, "now", lambda: later)
    delivering.deliver_due()
    assert list(WebhookDelivery.objects.values_list("pk", flat=True)) == [pending.pk]


def test_a_deleted_webhook_takes_its_secret_along(workspace: Workspace, hook: str) -> None:
    owner = Webhook.objects.get(uid=hook).owner_id
    delivery = put(hook)
    addresses.delete(viewer(workspace), hook)
    assert not DataKey.objects.filter(owner_id=owner).exists()
    delivering.deliver(delivery.pk, 0)
    assert not WebhookDelivery.objects.exists()


@to_this_machine
def test_every_event_is_as_its_published_schema_says(workspace: Workspace) -> None:
    send(workspace, world())
    uid, _ = addresses.make(viewer(workspace), url="http://127.0.0.1:9/")
    incident = opened(workspace)
    ada = member_named(workspace, f"ada-{workspace.slug}")
    workflow.change(viewer(workspace), incident, {"state": "mitigated", "assignee": ada.username})
    workflow.change(viewer(workspace), incident, {"title": "New", "watching": False})
    workflow.change(viewer(workspace), incident, {"watching": True})
    send(workspace, answer("new", retrieved=["c1"], included=["c1"], cites=["c1"]))
    watch.watch()
    addresses.test(viewer(workspace), uid)
    assert row(incident).found == 1
    told = WebhookDelivery.objects.order_by("pk")
    assert {each.type for each in told} == {*events.OF_INCIDENTS, events.TEST}
    for each in told:
        schema = json.loads((SCHEMAS / f"{each.type}.schema.json").read_text())
        checker = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
        assert list(checker.iter_errors(each.body)) == [], each.body
        # Closed: what a schema does not name is not sent.
        assert list(checker.iter_errors({**each.body, "more": 1}))
    assert {path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.json")} == {
        *events.TYPES,
        events.TEST,
        external.TYPE,
    }


def test_what_is_asked_for_is_a_task_and_comes_round() -> None:
    app.loader.import_default_modules()
    every = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {"lineage.watch_incidents", "lineage.deliver_due"} <= every
    assert {events.DELIVER, *every} <= app.tasks.keys()
