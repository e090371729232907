"""The children of a supervisor: started, watched, restarted within bounds, stopped in order."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from provexplorer.embedded import processes
from provexplorer.embedded.data_folder import NO_ROOM, DataFolder

# A child that dies more often than this within the window has a cause that restarting does not cure.
MOST_RESTARTS: Final = 5
WINDOW_SECONDS: Final = 60.0
# How often one that died is started again while there is no room for what it writes.
_NO_ROOM_SECONDS: Final = 5.0


class ChildFailed(Exception):
    """A child cannot be started or kept alive; `log` tells why."""

    def __init__(self, name: str, log: Path) -> None:
        super().__init__(f"{name} does not stay up: see {log}")
        self.name, self.log = name, log


@dataclass(slots=True)
class Child:
    """A process to keep alive. `ready` is asked after each start; `grace` seconds to stop by itself."""

    name: str
    command: Callable[[], Sequence[str]]
    environment: Mapping[str, str]
    ready: Callable[[], bool]
    directory: Path
    grace: float = 10.0
    pass_fds: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    deaths: list[float] = field(default_factory=list)
    # When it is to be started again, by time.monotonic(), at the earliest.
    not_before: float = 0.0

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Children:
    """Starts children in the order given and stops them in the reverse."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._children: list[Child] = []
        self._remembered = True

    def start(self, child: Child) -> None:
        """Start a child without waiting for it."""
        self._children.append(child)
        self._launch(child)

    def wait_ready(self, *children: Child, seconds: float, tick: Callable[[], None]) -> None:
        """Return when all are ready; raises ChildFailed as soon as one ends, or takes too long."""
        # As it was when last asked: asked once more, one that is ready may be slow to say so.
        failed: Child | None = None

        def settled() -> bool:
            nonlocal failed
            tick()
            failed = _unready(children)
            return failed is None or not all(child.alive for child in children)

        processes.wait_until(settled, seconds=seconds)
        if failed is not None:
            raise ChildFailed(failed.name, self._folder.log(failed.name))

    def drop(self, child: Child) -> None:
        """Stop a child for good."""
        self._children.remove(child)
        if child.process is not None:
            processes.stop(child.process, grace=child.grace)

    def revive(self) -> list[str]:
        """Start again what died; names of those. Raises ChildFailed when one keeps dying.

        Not while the disk is full: that is no fault of the child's, and passes without us. It is
        tried every few seconds then.
        """
        if not self._remembered:
            self._remember()
        dead = [child for child in self._children if not child.alive]
        return [child.name for child in dead if self._revive(child)]

    def _revive(self, child: Child) -> bool:
        now = time.monotonic()
        if now < child.not_before:
            return False
        child.deaths = [at for at in child.deaths if now - at < WINDOW_SECONDS] + [now]
        # What the dead one started must not work on beside its successor.
        if child.process is not None:
            processes.stop(child.process, grace=0)
        if not self._folder.has_room():
            child.deaths.clear()
            child.not_before = now + _NO_ROOM_SECONDS
        elif len(child.deaths) > MOST_RESTARTS:
            raise ChildFailed(child.name, self._folder.log(child.name))
        # Each time a little later: 0.2, 0.4, … seconds.
        time.sleep(0.2 * len(child.deaths))
        try:
            self._launch(child)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            child.not_before = now + _NO_ROOM_SECONDS
            return False
        return True

    def stop_all(self, *, hurry: Callable[[], bool] = lambda: False) -> None:
        """Stop the youngest first; `hurry` tells when patience is over."""
        for child in reversed(self._children):
            if child.process is not None:
                processes.stop(child.process, grace=0.0 if hurry() else child.grace)
        self._children.clear()
        self._remember()

    def _launch(self, child: Child) -> None:
        child.process = processes.start(
            child.command(),
            environment=child.environment,
            log=self._folder.log(child.name),
            pass_fds=child.pass_fds,
            directory=child.directory,
        )
        self._remember()

    def _remember(self) -> None:
        running = [child.process for child in self._children if child.process is not None]
        known = (processes.identity_of(process.pid) for process in running)
        try:
            self._folder.remember_processes(identity for identity in known if identity)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self._remembered = False
        else:
            self._remembered = True


def _unready(children: Sequence[Child]) -> Child | None:
    """The first child that ended, else the first that is not ready."""
    dead = next((child for child in children if not child.alive), None)
    return dead or next((child for child in children if not child.ready()), None)


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours with this interpreter."""
    return [sys.executable, "-m", module, *arguments]
