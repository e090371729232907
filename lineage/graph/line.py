"""The line in front of a workspace's turn in the graph: waited for here, not met there.

Units of work of one workspace are serial by their turn in the graph (writes/take_batch.py).
Neo4j lets the second wait; ArcadeDB lets it work and refuses its commit, so that all of it
is done again. Processes that share a data folder, as all do beside an embedded server,
therefore line up before they begin.

A courtesy, not a guarantee: whoever cannot take the line, or has waited too long for it,
goes on, and the turn in the graph decides as ever. A process that dies leaves the line.
"""

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from django.conf import settings

from lineage.graph.scope import Scope

# Longer than any unit takes; a server that hangs must not hold everybody for longer.
_LONGEST_WAIT: Final = 20.0
_LOOK_AGAIN: Final = 0.004


@contextmanager
def in_line(scope: Scope) -> Iterator[None]:
    """Have the line of a workspace, as far as it can be had."""
    with ExitStack() as held:
        with suppress(OSError):
            descriptor = _opened(Path(settings.DATA_DIR) / "lines" / f"{scope.code}.lock")
            held.callback(os.close, descriptor)
            _wait(descriptor)
        yield


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _wait(descriptor: int) -> None:
    end = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < end:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOOK_AGAIN * random.uniform(0.5, 1.5))  # noqa: S311 - timing
        else:
            return
