"""The site of a measurement behind the product's own web server, and a client that keeps its connection."""

import http.client
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.servers import CHECKOUT, python
from provexplorer.embedded import processes
from provexplorer.embedded.ports import LOOPBACK, bound_socket, free_port

_START_SECONDS: Final = 60.0
# As the supervisor starts it.
_WORKERS, _THREADS = 2, 4


@dataclass(slots=True)
class Client:
    """One client with one connection, kept alive."""

    port: int
    headers: Mapping[str, str]
    _connection: http.client.HTTPConnection | None = None

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[float, int, bytes]:
        """Seconds from the request's first byte to the answer's last, status, body."""
        connection = self._open()
        every = {**self.headers, **(headers or {})}
        began = time.perf_counter()
        connection.request(method, path, body, every)
        response = connection.getresponse()
        answer = response.read()
        return time.perf_counter() - began, response.status, answer

    def _open(self) -> http.client.HTTPConnection:
        if self._connection is None or self._connection.sock is None:
            self._connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=60)
            self._connection.connect()
            self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._connection


@contextmanager
def served(environment: Mapping[str, str], log: Path) -> Iterator[int]:
    """The site under gunicorn on a free loopback port, given; gone afterwards."""
    with bound_socket(free_port(), default=0) as listening:
        port = int(listening.getsockname()[1])
        process = processes.start(
            python(
                "gunicorn", "--config", "python:provexplorer.embedded.web_server",
                "--bind", f"fd://{listening.fileno()}", "--workers", str(_WORKERS),
                "--threads", str(_THREADS), "bench.wsgi:application",
            ),
            environment=environment, log=log, directory=CHECKOUT, pass_fds=(listening.fileno(),),
        )  # fmt: skip
        try:
            if not processes.wait_until(lambda: _answers(port), seconds=_START_SECONDS):
                message = f"the site does not answer:\n{log.read_text(encoding='utf-8')[-2000:]}"
                raise RuntimeError(message)
            yield port
        finally:
            processes.stop(process, grace=10)


def _answers(port: int) -> bool:
    try:
        return Client(port, {}).ask("/bench/bare")[1] == http.HTTPStatus.OK
    except OSError:
        return False
