"""Sites on this machine that behave as a test wants them to."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Behaviour = Callable[["Asked"], None]


class Asked(BaseHTTPRequestHandler):
    """One request of a site; `behave` answers it."""

    protocol_version = "HTTP/1.1"
    behave: Behaviour
    asked: list[tuple[str, dict[str, str]]]

    def do_GET(self) -> None:
        self.close_connection = True
        self.asked.append((self.path, {name.lower(): v for name, v in self.headers.items()}))
        try:
            type(self).behave(self)
        except OSError:
            """Whoever asked has gone."""

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        """A whole reply; names of headers with _ for -."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Who asked may go away at any time."""


@contextmanager
def site(
    behave: Behaviour, *, secured: ssl.SSLContext | None = None
) -> Iterator[tuple[str, list[tuple[str, dict[str, str]]]]]:
    """The base address (http) of a site that behaves so, and what it was asked for."""
    asked: list[tuple[str, dict[str, str]]] = []
    handler = type("_Asked", (Asked,), {"behave": staticmethod(behave), "asked": asked})
    server = _Server(("127.0.0.1", 0), handler)
    if secured is not None:
        server.socket = secured.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
