"""Messages that come again too early, connections that break, a worker that hears nothing, two beats.

The faults that others had: celery/celery#5935 and #4400 (one long task in several workers at once),
celery/celery#10205 (a worker that takes nothing after its connection has broken).
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from celery import Celery

from provexplorer.deafness import EXIT_STATUS
from provexplorer.embedded.ports import LOOPBACK
from tests.faults.parts import pid_of
from tests.faults.workers import QUEUE, Worker, beat, broker_url, left_in_queue, send, worker
from tests.flows.inside import inside
from tests.servers.passage import Passage
from tests.servers.product import Product, eventually
from tests.thorough import long_only

pytestmark = pytest.mark.engine_free

ANSWERS = 6


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


@contextmanager
def own_worker_asleep(product: Product) -> Iterator[None]:
    """The product's own worker takes nothing meanwhile."""
    pid = pid_of(product, "worker")
    os.killpg(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(pid, signal.SIGCONT)


def approved_case(product: Product, *, slug: str) -> str:
    """A retraction of the one source that all answers rest on."""
    product.api_key = product.new_key(slug=slug)
    stored = product.request("POST", "/api/v1/records", body={"records": records()})
    assert stored.json()["stored"] == len(records())
    draft = {"kind": "retraction", "targets": [{"kind": "source", "key": "s"}], "reason": "r"}
    uid = str(product.request("POST", "/api/v1/cases", body=draft).json()["uid"])
    for step in ("dry-run", "approve"):
        assert product.request("POST", f"/api/v1/cases/{uid}/{step}", body={}).status == 200
    return uid


@long_only
def test_a_task_that_outlives_the_brokers_patience_is_not_done_twice(
    victim: Product, tmp_path: Path
) -> None:
    with (
        own_worker_asleep(victim),
        worker(victim, tmp_path, FAULTS_PATIENCE="2", FAULTS_SLOW_BATCH="5") as one,
    ):
        uid = approved_case(victim, slug="patience")
        send(victim, "lineage.propagate_case", case_id=inside(victim, f"case_id({uid!r})"))
        # It comes a second time while the first copy is still at it.
        assert one.heard("run", times=2)
        first = [word for word in one.said if word.startswith("begins")]
        assert len(first) == 1
        case = f"/api/v1/cases/{uid}"
        assert eventually(lambda: victim.request("GET", case).json()["verified"], seconds=90)
        told = one.said_in.read_text().splitlines()
    at_it: str | None = None
    for who in [word.rpartition(" ")[2] for word in told if word != "run"]:
        assert at_it in (None, who), "two were at it at once"
        at_it = who if at_it is None else None
    done = {"rows": ANSWERS, "answers": ANSWERS, "open": ANSWERS, "edges": ANSWERS, "ends": ANSWERS}
    assert inside(victim, f"effects({uid!r})") == done


@long_only
def test_a_worker_goes_on_after_connections_that_break_again_and_again(
    victim: Product, tmp_path: Path
) -> None:
    url = urlsplit(broker_url(victim))
    assert url.port is not None
    way = Passage(url.port)
    through = url._replace(netloc=f":{url.password}@{LOOPBACK}:{way.port}").geturl()
    try:
        with worker(victim, tmp_path, broker_url=through) as one:
            for n in range(4):
                send(victim, "faults.note", word=f"before {n}")
                with way.shut():
                    time.sleep(0.2)
                    send(victim, "faults.note", word=f"during {n}")
            # One that was on its way may be lost (the outbox sends it again); no later one is.
            send(victim, "faults.note", word="after all")
            assert one.heard("after all")
            assert sum(one.said.values()) >= 8
            assert one.process.poll() is None
    finally:
        way.close()


@long_only
def test_a_worker_that_hears_nothing_ends_so_that_another_is_started(
    victim: Product, tmp_path: Path
) -> None:
    with worker(victim, tmp_path, PROVEXPLORER_WORKER_SILENT_SECONDS="3") as one:
        send(victim, "faults.note", word="heard")
        assert one.heard("heard")
        with Celery("deafening", broker=broker_url(victim), set_as_current=False) as app:
            # Alive, and no consumer of the queue any more.
            app.control.cancel_consumer(QUEUE, destination=[f"{tmp_path.name}@faults"])
            time.sleep(1)
        # Silence alone is no reason.
        time.sleep(4)
        assert one.process.poll() is None
        send(victim, "faults.note", word="unheard")
        assert one.process.wait(30) == EXIT_STATUS
        assert one.said["unheard"] == 0
    with worker(victim, tmp_path) as another:
        assert another.heard("unheard")


@long_only
def test_of_two_beats_one_asks_and_the_other_takes_over(victim: Product, tmp_path: Path) -> None:
    def ticks(one: Worker, *, seconds: float) -> int:
        before = one.said["tick"]
        time.sleep(seconds)
        return one.said["tick"] - before

    places = tmp_path / "first", tmp_path / "second"
    for place in places:
        place.mkdir()
    with worker(victim, tmp_path) as one, beat(victim, places[0]) as first:
        assert one.heard("tick"), (places[0] / "beat.log").read_text()[-3000:]
        with beat(victim, places[1]) as second:
            assert eventually(lambda: (places[1] / "beat.log").stat().st_size > 0)
            # Five seconds: five ticks, one more or less by the edges; two beats would make ten.
            assert 3 <= ticks(one, seconds=5) <= 7
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
            assert one.heard("tick", times=one.said["tick"] + 3)
            assert second.poll() is None
    assert left_in_queue(victim) < 5
