"""Workers of tests.faults.failing on an installation's stores, and messages for them."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from celery import Celery
from redis import Redis

from provexplorer.embedded import processes
from provexplorer.embedded.children import python
from provexplorer.embedded.data_folder import DataFolder
from provexplorer.embedded.environment import site_environment
from tests.servers.product import CHECKOUT, OURS, Product, eventually

# That of tests.faults.failing.
QUEUE: Final = "faults"


def environment_of(product: Product) -> dict[str, str]:
    """The environment in which a process of the installation runs: with its secrets, not the tests' own."""
    folder = DataFolder.at(product.folder)
    with patch.dict(os.environ):
        for name in [name for name in os.environ if name.startswith(OURS)]:
            del os.environ[name]
        return site_environment(folder) | product.environment | folder.serving()


@dataclass(slots=True)
class Worker:
    """A running worker, and what it has said."""

    process: subprocess.Popen[bytes]
    said_in: Path
    ready_file: Path

    @property
    def said(self) -> Counter[str]:
        return Counter(self.said_in.read_text().split("\n")[:-1])

    def heard(self, word: str, *, times: int = 1, seconds: float = 60) -> bool:
        return eventually(lambda: self.said[word] >= times, seconds=seconds)


@contextmanager
def worker(
    product: Product, folder: Path, *, broker_url: str = "", **environment: str
) -> Iterator[Worker]:
    """One that is ready; killed at the end, with all that it started."""
    said, ready, log = folder / "said", folder / "ready", folder / "worker.log"
    said.touch()
    ready.unlink(missing_ok=True)
    variables = environment_of(product) | {
        "FAULTS_LOG": str(said), "PROVEXPLORER_WORKER_READY_FILE": str(ready), **environment,
    }  # fmt: skip
    if broker_url:
        variables["REDIS_URL"] = broker_url
    process = processes.start(
        python("celery", "-A", "tests.faults.failing", "worker", "--queues", QUEUE,
               "--hostname", f"{folder.name}@faults", "--without-gossip", "--without-mingle"),
        environment=variables, log=log, directory=CHECKOUT,
    )  # fmt: skip
    try:
        assert eventually(lambda: ready.exists() or process.poll() is not None, seconds=90)
        assert process.poll() is None, log.read_text()[-3000:]
        yield Worker(process, said, ready)
    finally:
        processes.stop(process, grace=0)


@contextmanager
def beat(product: Product, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A beat of tests.faults.failing with a schedule of its own; killed at the end."""
    process = processes.start(
        python("celery", "-A", "tests.faults.failing", "beat", "--schedule",
               str(folder / "schedule"), "--pidfile", "", "--max-interval", "1"),
        environment=environment_of(product), log=folder / "beat.log", directory=CHECKOUT,
    )  # fmt: skip
    try:
        yield process
    finally:
        processes.stop(process, grace=0)


def broker_url(product: Product) -> str:
    return environment_of(product)["REDIS_URL"]


def send(product: Product, name: str, *arguments: Any, **named: Any) -> None:
    """A message as the product sends it."""
    with Celery("faults-sender", broker=broker_url(product), set_as_current=False) as app:
        app.send_task(name, args=arguments, kwargs=named, queue=QUEUE)


def push(product: Product, *raw: bytes) -> None:
    """Bytes into the queue, past Celery."""
    with Redis.from_url(broker_url(product)) as broker:
        for one in raw:
            broker.lpush(QUEUE, one)


def left_in_queue(product: Product) -> int:
    """How many messages wait."""
    with Redis.from_url(broker_url(product)) as broker:
        waiting: Any = broker.llen(QUEUE)
        return int(waiting)
