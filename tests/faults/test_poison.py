"""What no worker can run, or none survives: set aside with a reason, and the queue goes on.

The fault that others had: a worker that ends at a message which is not JSON, and a message that
takes one worker after the other with it (celery/celery#4551, celery/kombu#1015).
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from lineage.quarantine import MOST_WORKERS_LOST
from tests.faults.workers import QUEUE, Worker, push, send, worker
from tests.flows.inside import inside
from tests.servers.product import Product
from tests.thorough import long_only

pytestmark = [
    pytest.mark.engine_free,
    long_only,
]


@pytest.fixture(scope="module")
def ours(_victim: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    if _victim.process is None or _victim.process.poll() is not None:
        _victim.start()
    with worker(_victim, tmp_path_factory.mktemp("poison"), PROVEXPLORER_WORKERS="1") as one:
        yield one


def set_aside(product: Product) -> dict[str, int]:
    found: dict[str, int] = inside(product, "set_aside()")
    return found


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


def test_what_is_no_task_is_set_aside_and_the_next_is_run(victim: Product, ours: Worker) -> None:
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


def test_a_task_that_kills_its_workers_is_tried_a_few_times(victim: Product, ours: Worker) -> None:
    before = set_aside(victim).get("worker_lost", 0)
    send(victim, "faults.die")
    assert ours.heard("dying", times=MOST_WORKERS_LOST)
    send(victim, "faults.note", word="after all")
    assert ours.heard("after all")
    assert ours.said["dying"] == MOST_WORKERS_LOST
    assert ours.process.poll() is None
    assert set_aside(victim)["worker_lost"] == before + 1
