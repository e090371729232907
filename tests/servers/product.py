"""The whole product as a black box: `provexplorer up` or `demo` in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from provexplorer.embedded import processes
from provexplorer.embedded.ports import free_port

CHECKOUT: Final = Path(__file__).resolve().parents[2]
_START_SECONDS: Final = 180.0
# What must not leak from the tests' own settings into the product's.
OURS: Final = ("PROVEXPLORER_", "DATABASE_URL", "KEYS_DATABASE_URL", "NEO4J_", "REDIS_URL",
                "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: its status, headers (lower-case names) and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Product:
    """One installation on a data folder: started, asked over HTTP, commanded, stopped, killed.

    `environment` may name real servers (NEO4J_URI, DATABASE_URL, …); what it does not
    name the product embeds.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    demo: bool = False
    port: int = field(default_factory=free_port)
    api_key: str = ""
    process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """What the command has said so far."""
        return self._output_file.read_text(encoding="utf-8", errors="replace")

    def start(self) -> None:
        """Start it and wait until it serves; raises RuntimeError with its output if it does not."""
        self.launch()
        assert self.process is not None
        processes.wait_until(
            lambda: "Provexplorer serves" in self.output or self.process.poll() is not None,  # type: ignore[union-attr]
            seconds=_START_SECONDS,
        )
        if "Provexplorer serves" not in self.output:
            self.stop()
            message = f"the product did not start:\n{self.output[-4000:]}"
            raise RuntimeError(message)
        if self.demo:
            self.api_key = self.access()["api_key"]

    def launch(self) -> None:
        """Start it without waiting."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._output_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "provexplorer.cli", "demo" if self.demo else "up",
                   "--port", str(self.port), "--data-dir", str(self.folder), "--no-browser"]  # fmt: skip
        self.process = processes.start(
            command, environment=self._environment(), log=self._output_file, directory=CHECKOUT
        )

    def ask_to_stop(self, sign: signal.Signals = signal.SIGTERM) -> None:
        """Send the signal, unless it has ended; a second one says that it must hurry."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(sign)

    def stop(self, *, sign: signal.Signals = signal.SIGTERM, seconds: float = 60.0) -> int:
        """Ask it to stop; its exit status. Kills what does not stop in time and says so."""
        assert self.process is not None
        self.ask_to_stop(sign)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            message = f"the product did not stop within {seconds:.0f} s:\n{self.output[-2000:]}"
            raise RuntimeError(message) from None

    def kill(self) -> None:
        """SIGKILL to its whole process group, as a crash of the machine's session would."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def access(self) -> dict[str, Any]:
        """The demo's access file."""
        document = json.loads((self.folder / "demo-access.json").read_text(encoding="utf-8"))
        assert isinstance(document, dict)
        return document

    def manage(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run `provexplorer manage …` on this installation."""
        return self.command("manage", "--data-dir", str(self.folder), *arguments, stdin=stdin)

    def command(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run `provexplorer …` in this installation's environment."""
        return subprocess.run(
            [sys.executable, "-m", "provexplorer.cli", *arguments],
            env=self._environment(), cwd=CHECKOUT, input=stdin, capture_output=True,
            check=False, timeout=_START_SECONDS,
        )  # fmt: skip

    def new_key(self, *, slug: str, scopes: str = "ingest,read,operate,edit,admin") -> str:
        """An API key for a workspace, made where it is not there."""
        made = self.manage("create_workspace", slug, "--key", scopes)
        if made.returncode != 0:
            raise RuntimeError(made.stderr.decode())
        return str(json.loads(made.stdout)["api_key"])

    def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        key: str | None = None,
        headers: dict[str, str] | None = None,
        seconds: float = 60.0,
    ) -> Answer:
        """One HTTP request; bodies other than bytes go as JSON. `key` "" sends none."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(self.base_url + path, data=data, method=method)
        token = self.api_key if key is None else key
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
        try:
            with opener.open(request, timeout=seconds) as response:
                return Answer(response.status, _lower(response.headers), response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, _lower(error.headers), error.read())

    @property
    def _output_file(self) -> Path:
        return self.folder / "output.log"

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        return kept | self.environment


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Shows redirects as they are."""

    def redirect_request(self, *_arguments: object) -> None:
        return None


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def eventually(true: Any, *, seconds: float = 30.0) -> bool:
    """Whether `true()` became true within `seconds`, asked twice a second."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True
