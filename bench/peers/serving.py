"""Starts a peer's server on loopback with throw-away data, and ends it with all it started."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Final

from bench.memory import below
from bench.peers.contender import Connection
from bench.peers.environments import NotInstalled
from bench.rag_traces import Told
from provexplorer.embedded import processes

_START_SECONDS: Final = 240.0
_KEPT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")


@dataclass(slots=True)
class Peer:
    """A running peer; `tells` asks it for an answer."""

    name: str
    port: int
    headers: Mapping[str, str]
    pid: int
    tells: Callable[[Told], bool]

    def finds(self, told: Told) -> bool:
        return self.tells(told)

    def processes(self) -> Collection[int]:
        return below([self.pid])


@contextmanager
def serving(
    command: Sequence[str], *, folder: Path, asked: Connection, ready: str, **variables: str
) -> Iterator[int]:
    """The pid of the server, from when GET `ready` is answered with 200 until the block ends.

    Raises NotInstalled where it does not come up.
    """
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | variables
    log = folder / "server.log"
    process = processes.start(command, environment=environment, log=log, directory=folder)

    def answers() -> bool:
        try:
            return asked.ask("GET", ready)[0] == 200
        except (OSError, HTTPException):
            asked.close()
            return False

    try:
        processes.wait_until(
            lambda: process.poll() is not None or answers(), seconds=_START_SECONDS
        )
        if process.poll() is not None or not answers():
            tail = log.read_text(encoding="utf-8", errors="replace")[-1_500:]
            raise NotInstalled(f"does not start:\n{tail}")
        yield process.pid
    finally:
        asked.close()
        # Some of them leave the process group.
        started = [processes.identity_of(pid) for pid in below([process.pid])]
        processes.stop(process, grace=15)
        for one in started:
            if one is not None:
                processes.end_leftover(one, grace=2)
