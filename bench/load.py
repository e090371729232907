"""Sends traces to a contender as exporters do, and tells how fast they could be found."""

import http
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from bench.memory import Memory, held
from bench.peers.contender import Connection, Contender
from bench.rag_traces import TRACES_A_BATCH, Batch

_POLL_SECONDS: Final = 0.02
# From the last acknowledgement on; a queue of some hundred traces is through by then.
_PATIENCE_SECONDS: Final = 180.0
_WATCH_SECONDS: Final = 1.0
_PROTOBUF: Final = {"Content-Type": "application/x-protobuf"}


@dataclass(frozen=True, slots=True)
class Run:
    """One run: traces a second until acknowledged and until found, seconds of each POST, most memory."""

    acknowledged: float
    queryable: float
    posts: tuple[float, ...]
    memory: Memory


@dataclass(slots=True)
class _Peak:
    rss: float = 0
    pss: float = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def watch(self, contender: Contender) -> None:
        while True:
            now = held(contender.processes())
            self.rss, self.pss = max(self.rss, now.rss), max(self.pss, now.pss)
            if self.stop.wait(_WATCH_SECONDS):
                return


def send(contender: Contender, batches: Sequence[Batch], clients: int) -> Run:
    """Send the batches by so many clients, each with a connection of its own, and look for the last.

    What counts as found is the last answer of the last batch of each client; that all the
    others are there, too, is looked at when the clock has stopped.
    """
    waiting = deque(batches)
    posts: list[float] = []

    def client(_number: int) -> Batch | None:
        connection, last = Connection(contender.port, contender.headers), None
        while True:
            try:
                batch = waiting.popleft()
            except IndexError:
                connection.close()
                return last
            began = time.perf_counter()
            status, answer = connection.ask(
                "POST", "/v1/traces", body=batch.body, headers=_PROTOBUF
            )
            posts.append(time.perf_counter() - began)
            if status != http.HTTPStatus.OK:
                sys.exit(f"{contender.name}: {status} {answer[:500]!r}")
            last = batch

    with _watched(contender) as peak:
        began = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            lasts = [batch for batch in pool.map(client, range(clients)) if batch is not None]
        acknowledged = time.perf_counter()
        for batch in lasts:
            _wait_for(contender, batch)
        found = time.perf_counter()
    missing = [told for batch in batches for told in batch.told[::10] if not contender.finds(told)]
    if missing:
        sys.exit(f"{contender.name}: {len(missing)} answers were acknowledged and are not found")
    traces = len(batches) * TRACES_A_BATCH
    return Run(
        traces / (acknowledged - began), traces / (found - began), tuple(posts),
        Memory(peak.rss, peak.pss),
    )  # fmt: skip


def _wait_for(contender: Contender, batch: Batch) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not contender.finds(batch.told[-1]):
        if time.monotonic() > end:
            sys.exit(f"{contender.name}: not found within {_PATIENCE_SECONDS:.0f} s")
        time.sleep(_POLL_SECONDS)


@contextmanager
def _watched(contender: Contender) -> Iterator[_Peak]:
    peak = _Peak()
    watcher = threading.Thread(target=peak.watch, args=(contender,), daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        peak.stop.set()
        watcher.join()
