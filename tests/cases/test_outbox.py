"""Tasks asked for in a transaction: sent after it, kept if the broker is away, never sent for nothing."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from queue import Empty

import pytest
from celery import Celery
from django.db import transaction

from lineage import outbox
from lineage.models import Quarantined, TaskOutbox
from lineage.tasks import send_outbox
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, row, run_to_end, send, world
from tests.faults.invariants import Filed, assert_invariants

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_pair]


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Celery]:
    """A broker in memory."""
    app = Celery("outbox-tests", broker="memory://outbox-tests", set_as_current=False)
    monkeypatch.setattr(outbox, "current_app", app)
    arrived(app)
    yield app
    app.close()


@pytest.fixture
def no_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A broker address where nobody listens."""
    app = Celery("outbox-away", broker="redis://127.0.0.1:1/0", set_as_current=False)
    monkeypatch.setattr(outbox, "current_app", app)
    yield
    app.close()


def arrived(app: Celery) -> list[tuple[str, dict[str, int]]]:
    """Name and arguments of every message that waits, taken."""
    found: list[tuple[str, dict[str, int]]] = []
    with app.connection_for_read() as connection, connection.SimpleQueue("celery") as queue:
        while True:
            try:
                message = queue.get(block=False)
            except Empty:
                return found
            message.ack()
            found.append((message.headers["task"], message.payload[1]))


def test_what_is_rolled_back_is_never_sent(broker: Celery) -> None:
    with transaction.atomic():
        outbox.enqueue("lineage.propagate_case", case_id=1)
        transaction.set_rollback(True)
    assert arrived(broker) == []
    assert TaskOutbox.objects.count() == 0


@pytest.mark.usefixtures("graph")
def test_an_approval_that_is_rolled_back_leaves_nothing(
    broker: Celery, workspace: Workspace
) -> None:
    send(workspace, world())
    arrived(broker)
    with transaction.atomic():
        approved(workspace, "retraction", ("source", "s1"))
        transaction.set_rollback(True)
    assert arrived(broker) == []
    kept = approved(workspace, "concern", ("source", "s1"))
    assert ("lineage.propagate_case", {"case_id": row(kept).pk}) in arrived(broker)
    run_to_end(kept)
    assert_invariants(workspace, world(), [Filed(kept.uid, "concern", (("source", "s1"),))])


def test_it_is_sent_with_the_commit_and_not_before(broker: Celery) -> None:
    with transaction.atomic():
        outbox.enqueue("lineage.propagate_case", case_id=1)
        assert arrived(broker) == []
    assert arrived(broker) == [("lineage.propagate_case", {"case_id": 1})]
    assert TaskOutbox.objects.get().sent_at is not None


def test_a_broker_that_is_away_fails_nothing_and_the_sweeper_sends_later(
    no_broker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction.atomic():
        outbox.enqueue("lineage.propagate_case", case_id=1)
    assert TaskOutbox.objects.get().sent_at is None
    now = clock.now()
    clock.use(lambda: now + timedelta(seconds=10))
    try:
        assert outbox.send_outbox() == 0
        app = Celery("outbox-back", broker="memory://outbox-back", set_as_current=False)
        monkeypatch.setattr(outbox, "current_app", app)
        assert outbox.send_outbox() == 1
        assert arrived(app) == [("lineage.propagate_case", {"case_id": 1})]
        assert outbox.send_outbox() == 0
        app.close()
    finally:
        clock.use(None)


class Killed(BaseException):
    """What a SIGKILL looks like from inside."""


def test_who_dies_between_the_commit_and_the_broker_leaves_it_to_the_sweeper(
    broker: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "_send_now", dies)
        with pytest.raises(Killed), transaction.atomic():
            outbox.enqueue("lineage.propagate_case", case_id=1)
    assert arrived(broker) == []
    now = clock.now()
    clock.use(lambda: now + timedelta(seconds=10))
    try:
        assert outbox.send_outbox() == 1
    finally:
        clock.use(None)
    assert arrived(broker) == [("lineage.propagate_case", {"case_id": 1})]


def test_a_row_that_its_own_commit_is_about_to_send_is_left_to_it(broker: Celery) -> None:
    TaskOutbox.objects.create(name="lineage.propagate_case", created_at=clock.now())
    assert outbox.send_outbox() == 0


def _same(instant: datetime) -> datetime:
    return instant


def test_what_was_sent_is_sent_again_until_a_worker_has_done_it(broker: Celery) -> None:
    outbox.enqueue("lineage.propagate_case", case_id=1)
    message = [("lineage.propagate_case", {"case_id": 1})]
    assert arrived(broker) == message
    begun = clock.now()
    try:
        # Each time later: after 45 seconds, then after twice as many.
        for seconds, sent in ((40, 0), (50, 1), (130, 0), (145, 1)):
            clock.use(partial(_same, begun + timedelta(seconds=seconds)))
            assert outbox.send_outbox() == sent
            assert arrived(broker) == message * sent
        outbox.done(TaskOutbox.objects.get().pk)
        clock.use(lambda: begun + timedelta(hours=20))
        assert outbox.send_outbox() == 0
    finally:
        clock.use(None)


def test_a_task_that_tries_again_by_itself_is_left_to_it(broker: Celery) -> None:
    outbox.enqueue("lineage.project_case", countdown=30, case_id=1)
    begun = clock.now()
    try:
        clock.use(lambda: begun + timedelta(seconds=70))
        assert outbox.send_outbox() == 0, "it has only just begun"
        outbox.tries_again(TaskOutbox.objects.get().pk, seconds=60)
        clock.use(lambda: begun + timedelta(seconds=170))
        assert outbox.send_outbox() == 0
        clock.use(lambda: begun + timedelta(seconds=180))
        assert outbox.send_outbox() == 1
    finally:
        clock.use(None)


def test_what_is_never_done_is_set_aside_in_the_end(broker: Celery) -> None:
    outbox.enqueue("lineage.project_case", case_id=1)
    TaskOutbox.objects.update(sends=24, again_at=clock.now())
    assert outbox.send_outbox() == 0
    assert [(row.reason, row.name) for row in Quarantined.objects.all()] == [
        ("undone", "lineage.project_case")
    ]
    assert outbox.send_outbox() == 0


def test_a_message_names_its_row_and_its_task_tells_when_it_is_done(broker: Celery) -> None:
    outbox.enqueue("lineage.send_outbox")
    with broker.connection_for_read() as connection, connection.SimpleQueue("celery") as queue:
        headers = queue.get(block=False).headers
    row = TaskOutbox.objects.get()
    assert (headers[outbox.HEADER], row.again_at is not None) == (row.pk, True)
    send_outbox.apply(headers={outbox.HEADER: row.pk}).get()
    row.refresh_from_db()
    assert row.again_at is None


def test_sent_rows_are_let_go_after_a_day(broker: Celery) -> None:
    old = clock.now() - timedelta(days=2)
    TaskOutbox.objects.create(name="lineage.x", created_at=old, sent_at=old)
    TaskOutbox.objects.create(name="lineage.y", created_at=old, sent_at=clock.now())
    outbox.send_outbox()
    assert [row.name for row in TaskOutbox.objects.all()] == ["lineage.y"]


def test_asking_soon_is_asked_once_for_all_who_ask_together(broker: Celery) -> None:
    for case_id in (1, 1, 2):
        outbox.enqueue_soon("lineage.project_case", case_id=case_id)
    assert [row.arguments for row in TaskOutbox.objects.order_by("id")] == [
        {"case_id": 1}, {"case_id": 2},
    ]  # fmt: skip
    now = clock.now()
    clock.use(lambda: now + timedelta(seconds=6))
    try:
        outbox.enqueue_soon("lineage.project_case", case_id=1)
    finally:
        clock.use(None)
    assert TaskOutbox.objects.count() == 3


def test_asking_soon_in_a_long_transaction_is_not_left_to_what_ran_before_its_commit(
    broker: Celery,
) -> None:
    outbox.enqueue_soon("lineage.project_case", case_id=1)
    now = clock.now()
    try:
        with transaction.atomic():
            outbox.enqueue_soon("lineage.project_case", case_id=1)
            # The message of the first has run by now, and has seen nothing of this.
            clock.use(lambda: now + timedelta(seconds=20))
    finally:
        clock.use(None)
    assert TaskOutbox.objects.filter(sent_at__isnull=False).count() == 2


def test_asking_soon_with_the_broker_away_leaves_one_row(no_broker: None) -> None:
    for _ in range(3):
        outbox.enqueue_soon("lineage.project_case", case_id=1)
    assert TaskOutbox.objects.count() == 1
