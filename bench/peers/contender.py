"""What a product must offer to be measured: a way in for traces, and a way to find an answer."""

import http.client
import json
import socket
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from bench.rag_traces import Told
from provexplorer.embedded.ports import LOOPBACK

# Servers end connections that were idle for some seconds.
_SHORT: Final = 1.0


@dataclass(slots=True)
class Connection:
    """HTTP to a port of loopback over one connection, kept alive unless `fresh`."""

    port: int
    headers: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    _open: http.client.HTTPConnection | None = None
    _last: float = 0.0

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """Status and body; raises OSError or HTTPException where there is no answer."""
        if query:
            path = f"{path}?{urlencode(query)}"
        every = {**self.headers, **(headers or {})}
        if self.fresh or (self._open is not None and self._idle() > _SHORT):
            self.close()
        if self._open is None or self._open.sock is None:
            self._open = http.client.HTTPConnection(LOOPBACK, self.port, timeout=120)
            self._open.connect()
            self._open.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open.request(method, path, body, every)
        response = self._open.getresponse()
        answer = response.read()
        self._last = time.monotonic()
        return response.status, answer

    def json(self, path: str, **query: str) -> Any:
        """The JSON of a GET; None where the status is not 200."""
        status, body = self.ask("GET", path, query=query)
        return json.loads(body) if status == http.HTTPStatus.OK else None

    def _idle(self) -> float:
        return time.monotonic() - self._last

    def close(self) -> None:
        """End the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None


class Contender(Protocol):
    """A running product."""

    @property
    def name(self) -> str:
        """As the table names it."""

    @property
    def port(self) -> int:
        """Where it takes POST /v1/traces."""

    @property
    def headers(self) -> Mapping[str, str]:
        """What each request to it must bear."""

    def finds(self, told: Told) -> bool:
        """Whether its own API tells this answer, word by word."""

    def processes(self) -> Collection[int]:
        """Those whose memory counts."""
