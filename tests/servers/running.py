"""Start a server, wait until it is ready, stop it: what the server fixtures share."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from provexplorer.embedded import processes


class Server(Protocol):
    """What embedded servers and test servers have in common."""

    @property
    def folder(self) -> Path: ...

    def command(self) -> list[str]: ...

    def ready(self) -> bool: ...


@contextmanager
def running(server: Server, *, log: Path, seconds: float) -> Iterator[None]:
    """The server, ready within `seconds` and gone afterwards; its log in the error if it is not."""
    process = launched(server, log=log)
    try:
        wait_ready(server, process, log=log, seconds=seconds)
        yield
    finally:
        processes.stop(process, grace=0)  # what it holds is thrown away


def launched(server: Server, *, log: Path) -> subprocess.Popen[bytes]:
    """The server's process, just started."""
    return processes.start(
        server.command(), environment=os.environ, log=log, directory=server.folder
    )


def wait_ready(
    server: Server, process: subprocess.Popen[bytes], *, log: Path, seconds: float
) -> None:
    """Return when it is ready; raises RuntimeError, with the end of its log, if it is not in time."""
    processes.wait_until(lambda: server.ready() or process.poll() is not None, seconds=seconds)
    if process.poll() is not None or not server.ready():
        tail = log.read_text(encoding="utf-8", errors="replace")[-3000:]
        message = f"{server.command()[0]} is not ready after {seconds:.0f} s:\n{tail}"
        raise RuntimeError(message)
