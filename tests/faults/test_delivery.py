"""Connections to the broker that break again and again; two beats (short of it: tests/cases/test_clocks.py)."""

import os
import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from provexplorer.embedded.ports import LOOPBACK
from tests.faults.workers import Worker, beat, broker_url, left_in_queue, send, worker
from tests.servers.passage import Passage
from tests.servers.product import Product, eventually
from tests.thorough import long_only

pytestmark = pytest.mark.engine_free


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
