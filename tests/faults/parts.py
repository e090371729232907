"""The parts of an installation, each by its pid, and how they are killed, lost and kept away."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from provexplorer.embedded import processes
from tests.servers.passage import Passage
from tests.servers.product import Product, eventually

# A word of the command line of each part.
_WORDS: Final = {
    "web": b"gunicorn",
    "worker": b"\0worker\0",
    "broker": b"valkey",
    "graph": b"ArcadeDBServer",
}


def pid_of(product: Product, part: str) -> int:
    """The pid of a part, as the supervisor wrote it down; it leads a process group."""
    listed = json.loads((product.folder / "run" / "processes.json").read_text())["processes"]
    (pid,) = [entry["pid"] for entry in listed if _WORDS[part] in _command(entry["pid"])]
    return int(pid)


def _command(pid: int) -> bytes:
    """The command line of a process; of one that is gone, nothing."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill(product: Product, part: str) -> None:
    """SIGKILL to a part and all that it started; returns when it is gone."""
    pid = pid_of(product, part)
    os.killpg(pid, signal.SIGKILL)
    assert eventually(lambda: processes.identity_of(pid) is None, seconds=30)


def web_processes(product: Product) -> list[int]:
    """The processes that answer requests: the children of the web's master."""
    return _children(pid_of(product, "web"))


def worker_processes(product: Product) -> list[int]:
    """The worker, and the processes of its pool that do the tasks."""
    master = pid_of(product, "worker")
    return [master, *_children(master)]


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def left_alone(product: Product) -> Iterator[None]:
    """Nothing that dies is started again meanwhile."""
    assert product.process is not None
    os.kill(product.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(product.process.pid, signal.SIGCONT)


@contextmanager
def own_worker_asleep(product: Product) -> Iterator[None]:
    """The product's own worker takes nothing meanwhile."""
    pid = pid_of(product, "worker")
    os.killpg(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(pid, signal.SIGCONT)


def lose_broker(product: Product) -> None:
    """Kill the broker and destroy what it had kept; only while it is `left_alone`."""
    kill(product, "broker")
    shutil.rmtree(product.folder / "broker" / "appendonlydir")


@contextmanager
def graph_away(product: Product, passage: Passage | None) -> Iterator[None]:
    """The graph answers nobody: killed where it is the product's own, else the way to it is shut.

    Only while the product is `left_alone`, which starts its own again afterwards.
    """
    if passage is None:
        kill(product, "graph")
        yield
    else:
        with passage.shut():
            yield
