"""All that one worker meets: tasks longer than the broker's patience, poison, its own deafness.

One after the other, in this order, with the same worker, whose start costs more than all of it.
The faults that others had: one long task in several workers at once (celery/celery#5935, #4400), a
worker that ends at a message which is not JSON, a message that takes one worker after the other
with it (celery/celery#4551, celery/kombu#1015), a worker that takes nothing after its connection
has broken (celery/celery#10205).
"""

import json
import logging
import os
import signal
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from celery import Celery
from redis import Redis
from redis.exceptions import ResponseError

from lineage.quarantine import MOST_WORKERS_LOST
from provexplorer import poison
from provexplorer.deafness import EXIT_STATUS
from tests.faults.insider import Insider
from tests.faults.parts import own_worker_asleep
from tests.faults.rows import rows
from tests.faults.workers import QUEUE, Worker, broker_url, push, send, worker
from tests.servers.product import Product, eventually
from tests.thorough import THOROUGH

pytestmark = pytest.mark.engine_free
logger = logging.getLogger(__name__)

ANSWERS: Final = 6
_SLUG: Final = "patience"
# Seconds: the broker's patience, a batch that is longer, and the silence after which a worker that
# is asked for something counts as deaf, which is longer than the batch.
_PATIENCE, _BATCH, _SILENCE = 2, 4, 6


@pytest.fixture(scope="module")
def ours(_victim: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    if _victim.process is None or _victim.process.poll() is not None:
        _victim.start()
    with worker(
        _victim,
        tmp_path_factory.mktemp("ours"),
        FAULTS_PATIENCE=str(_PATIENCE),
        FAULTS_SLOW_BATCH=str(_BATCH),
        PROVEXPLORER_WORKERS="2",
        PROVEXPLORER_WORKER_SILENT_SECONDS=str(_SILENCE),
    ) as one:
        yield one


def records() -> list[dict[str, object]]:
    made: list[dict[str, object]] = [
        {"kind": "source", "key": "s", "title": "S"},
        {"kind": "source_version", "key": "v", "source": "s"},
        {"kind": "document", "key": "d", "source_version": "v", "text": "Nothing lasts."},
        {"kind": "chunk", "key": "c", "document": "d", "interval": {"start": 0, "end": 14}},
    ]
    for n in range(ANSWERS):
        items = [{"chunk": "c", "position": 1}]
        made += [
            {"kind": "context", "key": f"x{n}", "items": items},
            {"kind": "answer", "key": f"a{n}", "context": f"x{n}", "text": f"So it is, {n}."},
        ]
    return made


@pytest.fixture(scope="module")
def holds(ours: Worker, _victim: Product, insider: Insider) -> Callable[[], None]:
    """Assert what must hold in a world that is there from before the first of these faults on."""
    _victim.api_key = _victim.new_key(slug=_SLUG)
    stored = _victim.request("POST", "/api/v1/records", body={"records": records()})
    assert stored.json()["stored"] == len(records())

    def asserted() -> None:
        cases = rows(
            _victim,
            "SELECT c.uid, c.kind FROM lineage_case c JOIN workspaces_workspace w"
            " ON w.id = c.workspace_id WHERE w.slug = ?",
            _SLUG,
        )
        insider.holds(_SLUG, records(), [[uid, kind, [["source", "s"]]] for uid, kind in cases])

    return asserted


def approved_by_twenty_clicks(product: Product) -> str:
    """A retraction of the one source that all answers rest on, approved by many requests at once."""
    draft = {"kind": "retraction", "targets": [{"kind": "source", "key": "s"}], "reason": "r"}
    uid = str(product.request("POST", "/api/v1/cases", body=draft).json()["uid"])
    assert product.request("POST", f"/api/v1/cases/{uid}/dry-run", body={}).status == 200
    path = f"/api/v1/cases/{uid}/approve"
    with ThreadPoolExecutor(20) as clicks:
        answers = list(clicks.map(lambda _: product.request("POST", path, body={}), range(20)))
    assert 200 in {one.status for one in answers} <= {200, 503}
    approvals = rows(
        product,
        "SELECT count(*) FROM lineage_caseevent e JOIN lineage_case c ON c.id = e.case_id"
        " WHERE c.uid = ? AND e.what = 'approved'",
        uid,
    )
    assert approvals == [(1,)]
    return uid


def effects(product: Product, uid: str) -> tuple[int, ...]:
    """Of a case: rows of effects, answers among them, those that have not ended."""
    ((*found,),) = rows(
        product,
        "SELECT count(*), count(DISTINCT e.answer_id), count(*) - count(e.ended_at)"
        " FROM lineage_answereffect e JOIN lineage_case c ON c.id = e.case_id WHERE c.uid = ?",
        uid,
    )
    return tuple(found)


def test_a_task_that_outlives_the_brokers_patience_is_not_done_twice(
    victim: Product, ours: Worker, holds: Callable[[], None]
) -> None:
    with own_worker_asleep(victim):
        uid = approved_by_twenty_clicks(victim)
        ((case_id,),) = rows(victim, "SELECT id FROM lineage_case WHERE uid = ?", uid)
        send(victim, "lineage.propagate_case", case_id=case_id)
        # It comes a second time while the first copy is still at it.
        assert ours.heard("run", times=2)
        first = [word for word in ours.said if word.startswith("begins")]
        assert len(first) == 1
        case = f"/api/v1/cases/{uid}"
        assert eventually(lambda: victim.request("GET", case).json()["verified"], seconds=90)
        told = ours.said_in.read_text().splitlines()
    at_it: str | None = None
    for who in [word.rpartition(" ")[2] for word in told if word.startswith(("begins", "is done"))]:
        assert at_it in (None, who), "two were at it at once"
        at_it = who if at_it is None else None
    assert effects(victim, uid) == (ANSWERS, ANSWERS, ANSWERS)
    holds()


def set_aside(product: Product) -> dict[str, int]:
    counted = rows(product, "SELECT reason, count(*) FROM lineage_quarantined GROUP BY reason")
    return dict(counted)


def message(task: str = "faults.note", named: object = None, **changes: Any) -> bytes:
    """A message in Celery's form; `changes` to its outermost members."""
    body = json.dumps([[], {"word": "told"} if named is None else named, {}]).encode()
    whole = {
        "body": b64encode(body).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"lang": "py", "task": task, "id": "0" * 8 + "-0000-0000-0000-" + "0" * 12,
                    "argsrepr": "", "kwargsrepr": "", "retries": 0, "timelimit": [None, None]},
        "properties": {"delivery_tag": task, "body_encoding": "base64", "delivery_mode": 2,
                       "priority": 0,
                       "delivery_info": {"exchange": "", "routing_key": QUEUE}},
    }  # fmt: skip
    return json.dumps(whole | changes).encode()


def test_what_is_no_task_is_set_aside_and_the_next_is_run(
    victim: Product, ours: Worker, holds: Callable[[], None]
) -> None:
    before = set_aside(victim)
    push(
        victim,
        # Not JSON, or none that can be read.
        b"\xff\xfe\x00 not a message", b"", b"[" * 200_000, b'{"__type__": "uuid", "__value__": 1}',
        # JSON, and no message.
        b"123", b"null", b"{}", b'{"properties": {"delivery_tag": 1}, "headers": null}',
        message(headers=None), message(body=None), message(body="%%%"),
        message(**{"content-type": "application/x-python-serialize"}),
        message(body=b64encode(b"[1, 2]").decode()),
        # Messages, for nobody.
        message(named={"word": "x" * 200_000}),
        message("faults.gone"), message("os.system"),
        message(named={}), message(named={"word": "x", "more": 1}),
        # And one that is well.
        message(),
    )  # fmt: skip
    assert ours.heard("told")
    send(victim, "faults.note", word="as usual")
    assert ours.heard("as usual")
    assert ours.process.poll() is None
    after = set_aside(victim)
    assert {reason: after[reason] - before.get(reason, 0) for reason in after} == {
        "unreadable": 13, "too_large": 1, "unknown_task": 2, "unfit": 2,
    }  # fmt: skip
    assert victim.request("GET", "/readyz").json()["set_aside"] == sum(after.values())
    holds()


def test_a_task_that_kills_its_workers_is_tried_a_few_times(
    victim: Product, ours: Worker, holds: Callable[[], None]
) -> None:
    before = set_aside(victim).get("worker_lost", 0)
    send(victim, "faults.die")
    assert ours.heard("dying", times=MOST_WORKERS_LOST)
    send(victim, "faults.note", word="after all")
    assert ours.heard("after all")
    # Its other process took that one while the last copy was on its way.
    assert eventually(lambda: set_aside(victim).get("worker_lost", 0) == before + 1)
    assert ours.said["dying"] == MOST_WORKERS_LOST
    assert ours.process.poll() is None
    holds()


def test_a_message_whose_connection_is_gone_ends_no_worker(victim: Product) -> None:
    """A task that ends when the broker has gone away acknowledges its message, or gives it back, all the same."""
    poison.install()
    with (
        Celery("given", broker=broker_url(victim), set_as_current=False) as app,
        app.connection() as connection,
        connection.SimpleQueue("given-back") as queue,
    ):
        for _ in range(2):
            queue.put("word")
        done, lost = queue.get(timeout=10), queue.get(timeout=10)
        done.channel.close()
        done.channel._disconnect_pools()
        # As Celery's requests do, which take these errors as told.
        done.ack_log_error(logger, connection.connection_errors)
        lost.reject_log_error(logger, connection.connection_errors, requeue=True)
        assert (done.acknowledged, lost.acknowledged) == (False, False)


def test_a_broker_that_refuses_every_word_is_waited_for(victim: Product, ours: Worker) -> None:
    """As one does whose disk is full: it answers, and takes and gives nothing."""
    with Redis.from_url(broker_url(victim)) as broker:
        broker.config_set("min-replicas-to-write", 1)
        try:
            with pytest.raises(ResponseError):
                broker.set("any", "word")
            time.sleep(2.5)  # longer than the worker waits before it asks again
        finally:
            broker.config_set("min-replicas-to-write", 0)
    send(victim, "faults.note", word="taken again")
    assert ours.heard("taken again")
    assert ours.process.poll() is None


def test_at_last_one_that_hears_nothing_ends_so_that_another_is_started(
    victim: Product, ours: Worker, holds: Callable[[], None], tmp_path: Path
) -> None:
    send(victim, "faults.note", word="heard")
    assert ours.heard("heard")
    with Celery("deafening", broker=broker_url(victim), set_as_current=False) as app:
        # Alive, and no consumer of the queue any more.
        name = ours.said_in.parent.name
        app.control.cancel_consumer(QUEUE, destination=[f"{name}@faults"])
        time.sleep(1)
    # Silence alone is no reason.
    time.sleep(_SILENCE + 1)
    assert ours.process.poll() is None
    send(victim, "faults.note", word="unheard")
    assert ours.process.wait(30) == EXIT_STATUS
    assert ours.said["unheard"] == 0
    holds()
    if THOROUGH:
        with worker(victim, tmp_path) as another:
            assert another.heard("unheard")


@pytest.mark.parametrize(
    ("told", "seconds", "ends", "status"),
    [
        # An error of its own: its stop would wait for what nobody hears of any more.
        (signal.SIGUSR2, 90, 0, EXIT_STATUS),
        # Asked to stop, it lets what it has begun come to its end.
        (signal.SIGTERM, 4, 1, 0),
    ],
)
def test_a_worker_that_fails_by_itself_ends_at_once_and_one_that_is_asked_in_its_time(
    victim: Product, tmp_path: Path, told: signal.Signals, seconds: int, ends: int, status: int
) -> None:
    with worker(victim, tmp_path, PROVEXPLORER_WORKERS="1") as one:
        send(victim, "faults.sleep", seconds=seconds)
        assert one.heard("asleep")
        os.kill(one.process.pid, told)
        assert one.process.wait(20) == status
        assert one.said["awake"] == ends
