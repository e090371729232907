"""The graph servers that tests choose from (`--graph`), and one that is killed and comes back."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from provexplorer.embedded import processes
from provexplorer.embedded.graph_server import ArcadeDB
from tests.servers.neo4j import Neo4j, jars_folder
from tests.servers.running import launched, wait_ready

KINDS: Final = ("arcadedb", "neo4j")
START_SECONDS: Final = 90.0


def graph_in(folder: Path, kind: str) -> ArcadeDB | Neo4j:
    """A server of this kind in the folder, on free ports; not started. Fails the test without Neo4j's jars."""
    if kind != "neo4j":
        return ArcadeDB.in_folder(folder / "arcadedb", password="only-for-tests")
    if not any(jars_folder().glob("neo4j-server-*.jar")):
        pytest.fail(f"no Neo4j in {jars_folder()}: run `make servers`")
    return Neo4j.in_folder(folder / "neo4j")


@dataclass(slots=True)
class Mortal:
    """A running server that a test may kill, and start again on the same files and ports."""

    server: ArcadeDB | Neo4j
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def launch(self) -> None:
        """Start it again without waiting until it is ready.

        By the thread that outlives it: a child ends with the thread that started it.
        """
        self.process = launched(self.server, log=self.log)

    def wait_ready(self) -> None:
        """Raises RuntimeError, with the end of its log, where it does not come up."""
        wait_ready(self.server, self.process, log=self.log, seconds=START_SECONDS)


@contextmanager
def mortal(folder: Path, kind: str) -> Iterator[Mortal]:
    """One that is ready; gone afterwards."""
    server = graph_in(folder, kind)
    log = folder / "server.log"
    made = Mortal(server, log, launched(server, log=log))
    try:
        made.wait_ready()
        yield made
    finally:
        processes.stop(made.process, grace=0)
