"""One process that starts the site with all it needs, keeps it up, and stops it cleanly.

Order: lock and leftovers, graph and broker (with migrations and demo data beside them, as
far as they need no server), worker, beat, web. What has a URL in the environment is
not started. Everything listens on loopback alone.
"""

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from provexplorer.embedded import processes
from provexplorer.embedded.broker import Valkey
from provexplorer.embedded.children import Child, ChildFailed, Children, python
from provexplorer.embedded.data_folder import DataFolder
from provexplorer.embedded.environment import CHECKOUT, site_environment
from provexplorer.embedded.graph_server import ArcadeDB
from provexplorer.embedded.ports import LOOPBACK, bound_socket
from provexplorer.embedded.progress import Progress
from provexplorer.embedded.secret_files import secret

DEFAULT_PORT: Final = 8000
_PREPARE: Final = "prepare"
_ATTEMPTS: Final = 3
_SERVER_SECONDS: Final = 60.0
_PREPARE_SECONDS: Final = 600.0
_SITE_SECONDS: Final = 90.0
_WATCH_SECONDS: Final = 0.5
_WEB_WORKERS: Final = 2
_WEB_THREADS: Final = 4


class Stopped(Exception):
    """A signal asked to stop."""


class Supervisor:
    """Runs the site on one data folder until it is told to stop."""

    def __init__(self, *, folder: DataFolder, port: int | None, demo: bool, browser: bool) -> None:
        self._folder, self._port, self._demo, self._browser = folder, port, demo, browser
        self._environment: dict[str, str] = {}
        self._children = Children(folder)
        self._progress = Progress()
        self._signals = 0

    def run(self) -> int:
        """Serve until SIGINT, SIGTERM or SIGHUP; 0 then, 1 if a child cannot be kept up.

        Raises AlreadyRunning and PortTaken before anything is started.
        """
        # Databases, logs and schedules that children create are their owner's alone.
        os.umask(0o077)
        lock = self._folder.lock()
        web_socket = bound_socket(self._port, default=DEFAULT_PORT)
        self._environment = site_environment(self._folder)
        with self._on_signals(), web_socket:
            try:
                self._start(web_socket)
                self._watch()
            except Stopped:
                return 0
            except ChildFailed as failure:
                self._progress.failed(f"{failure}\n{_tail(failure.log)}")
                return 1
            finally:
                self._progress.say("Stopping")
                self._children.stop_all(hurry=lambda: self._signals > 1)
                self._folder.say_stopped()
                os.close(lock)

    def _start(self, web_socket: socket.socket) -> None:
        began = time.monotonic()
        if self._folder.end_leftovers():
            self._progress.say("Ended what an interrupted run had left")
        address = f"http://{LOOPBACK}:{web_socket.getsockname()[1]}"
        self._start_stores(address)
        self._start_site(web_socket, address)
        self._folder.say_serving(address, self._own_environment())
        self._progress.ready(address, seconds=time.monotonic() - began)
        if self._demo:
            self._progress.access(self._folder.path / "demo-access.json")
        if self._browser and _has_display():
            webbrowser.open(address)

    def _start_stores(self, address: str) -> None:
        """Start graph and broker, and prepare them and the databases meanwhile."""
        for attempt in range(1, _ATTEMPTS + 1):
            servers = self._servers()
            for child in servers:
                self._children.start(child)
            arguments = ["--address", address] + (["--demo"] if self._demo else [])
            preparation = self._prepare(arguments)
            try:
                for child in servers:
                    self._progress.step(child.name)
                    self._children.wait_ready(child, seconds=_SERVER_SECONDS, tick=self._tick)
                self._progress.step("demo data" if self._demo else "schemas")
                self._finish(preparation)
            except ChildFailed as failure:
                # Somebody may have taken a port between its choice and its use: choose again.
                if failure.name == _PREPARE or attempt == _ATTEMPTS:
                    raise
                for child in servers:
                    self._children.drop(child)
            else:
                return
            finally:
                processes.stop(preparation, grace=2.0)

    def _servers(self) -> list[Child]:
        """The servers that no URL names, with their addresses in the environment."""
        found: list[tuple[str, ArcadeDB | Valkey]] = []
        given = os.environ
        if not given.get("REDIS_URL"):
            password = secret(self._folder.path / "secrets" / "broker.password")
            broker = Valkey.in_folder(self._folder.path / "broker", password=password)
            self._environment["REDIS_URL"] = broker.url
            found.append(("broker", broker))
        if not given.get("NEO4J_URI"):
            password = secret(self._folder.path / "secrets" / "graph.password")
            graph = ArcadeDB.in_folder(self._folder.path / "graph", password=password)
            self._environment |= graph.address.environment()
            found.append(("graph", graph))
        return [
            Child(
                name=name,
                command=server.command,
                environment=dict(os.environ),
                ready=server.ready,
                directory=server.folder,
                grace=20.0,
            )
            for name, server in found
        ]

    def _start_site(self, web_socket: socket.socket, address: str) -> None:
        self._progress.step("worker and web")
        ready_file = self._folder.run / "worker.ready"
        ready_file.unlink(missing_ok=True)
        self._environment["PROVEXPLORER_WORKER_READY_FILE"] = str(ready_file)
        worker = self._child(
            "worker",
            # Checks of the code (`make check` runs them) would load every page and endpoint here.
            lambda: python("celery", "-A", "provexplorer", "--skip-checks", "worker",
                           "--loglevel", "INFO", "--without-gossip", "--without-mingle"),
            ready=ready_file.exists,
            grace=20.0,
        )  # fmt: skip
        schedule = self._folder.run / "beat-schedule"
        beat = self._child(
            "beat",
            lambda: python("celery", "-A", "provexplorer.celery_beat", "beat", "--loglevel", "INFO",
                           "--schedule", str(schedule), "--pidfile", ""),
            ready=lambda: True,
        )  # fmt: skip
        web = self._child(
            "web",
            lambda: python("gunicorn", "--config", "python:provexplorer.embedded.web_server",
                           "--bind", f"fd://{web_socket.fileno()}",
                           "--workers", str(_WEB_WORKERS), "--threads", str(_WEB_THREADS),
                           "provexplorer.wsgi:application"),
            ready=lambda: _answers(f"{address}/readyz"),
            pass_fds=(web_socket.fileno(),),
        )  # fmt: skip
        for child in (worker, beat, web):
            self._children.start(child)
        self._children.wait_ready(worker, beat, web, seconds=_SITE_SECONDS, tick=self._tick)

    def _child(
        self,
        name: str,
        command: Callable[[], list[str]],
        *,
        ready: Callable[[], bool],
        grace: float = 10.0,
        pass_fds: tuple[int, ...] = (),
    ) -> Child:
        return Child(
            name=name,
            command=command,
            environment=self._environment,
            ready=ready,
            directory=CHECKOUT,
            grace=grace,
            pass_fds=pass_fds,
        )

    def _prepare(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        """Start the preparation; `_finish` waits for it."""
        return processes.start(
            python("provexplorer.embedded.prepare", "embedded", *arguments),
            environment=self._environment,
            log=self._folder.log(_PREPARE),
            directory=CHECKOUT,
        )

    def _finish(self, preparation: subprocess.Popen[bytes]) -> None:
        def ended() -> bool:
            self._tick()
            self._progress.tick()
            return preparation.poll() is not None

        processes.wait_until(ended, seconds=_PREPARE_SECONDS)
        if preparation.poll() != 0:
            raise ChildFailed(_PREPARE, self._folder.log(_PREPARE))

    def _watch(self) -> NoReturn:
        while True:
            self._tick()
            for name in self._children.revive():
                self._progress.say(f"{name} had ended and was started again")
            time.sleep(_WATCH_SECONDS)

    def _tick(self) -> None:
        if self._signals:
            raise Stopped

    def _own_environment(self) -> dict[str, str]:
        """What this supervisor set beyond its own environment."""
        return {
            name: value
            for name, value in self._environment.items()
            if os.environ.get(name) != value and name != "PROVEXPLORER_WORKER_READY_FILE"
        }

    @contextlib.contextmanager
    def _on_signals(self) -> Iterator[None]:
        def asked(_number: int, _frame: FrameType | None) -> None:
            self._signals += 1

        watched = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, asked) for number in watched}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _answers(url: str) -> bool:
    """Whether the site says it is ready."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _has_display() -> bool:
    """Whether a browser could show itself (on Linux a text browser would take the terminal)."""
    return os.uname().sysname == "Darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _tail(log: Path, lines: int = 15) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
