"""Where nothing is ever sent, how what is sent is signed, and what of a reply counts."""

import base64
import hashlib
import hmac
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.test import override_settings

from lineage.outside import may_be_reached
from lineage.webhooks import sending
from lineage.webhooks.sending import AddressRefused, Sent, check_url, send

pytestmark = pytest.mark.engine_free

SECRET = bytes(range(32))

REFUSED = [
    "", "example.org", "http://example.org/", "ftp://example.org/", "file:///etc/passwd",
    "https://", "https:///x", "https://user@example.org/", "https://user:word@example.org/",
    "https://example.org/#part", "https://example.org:8443/", "https://example.org:99999/",
    "https://exa mple.org/", "https://example.org/\r\nX: y", "https://example.org/\u00e9",
    "https://[::1", "https://localhost/", "https://LocalHost./", "https://a.localhost/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest",
    "https://" + "a" * 2_000, "//example.org/", "javascript:alert(1)",
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED)
def test_such_an_address_is_refused_before_anything_is_asked_for(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url)


@pytest.mark.parametrize("url", ["https://example.org", "https://example.org:443/x?y=z", "https://bücher.example/"])  # fmt: skip
def test_such_an_address_may_be_sent_to(url: str) -> None:
    if url.isascii():
        check_url(url)
    else:
        # Its name is written in ASCII (xn--…), as it is in DNS.
        with pytest.raises(AddressRefused):
            check_url(url)
        check_url("https://xn--bcher-kva.example/")


NOT_PUBLIC = [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00::1", "fec0::1",
    "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "2001:0:7f00:1::", "2001:db8::1", "not an address",
]  # fmt: skip


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_no_address_within_is_sent_to(address: str) -> None:
    assert not may_be_reached(address, 443, loopback=False)


def test_public_ones_on_their_usual_ports_are() -> None:
    for address in ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"):
        assert may_be_reached(address, 443, loopback=False)
        assert not may_be_reached(address, 6379, loopback=False)


def test_where_this_machine_may_be_told_nothing_else_within_may() -> None:
    assert may_be_reached("127.0.0.1", 8000, loopback=True)
    assert may_be_reached("::1", 8000, loopback=True)
    for address in set(NOT_PUBLIC) - {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}:
        assert not may_be_reached(address, 443, loopback=True), address


LITERAL = ["https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://localhost/", "https://LOCALHOST./"]  # fmt: skip


@pytest.mark.parametrize("url", LITERAL)
def test_however_it_is_written_this_machine_is_not_sent_to(url: str) -> None:
    sent = post(url)
    assert sent.status is None
    assert sent.failure in ("address_refused", "name_unknown")


def test_a_name_with_one_address_within_is_not_sent_to(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def resolve(host: str, port: int, **_: object) -> list[object]:
        asked.append(host)
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, ("93.184.215.14", port)), (*kind, ("10.0.0.1", port))]

    def connect(*_: object, **__: object) -> socket.socket:
        message = "nothing may be connected to"
        raise AssertionError(message)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    assert post("https://rebinding.example/") == Sent(None, "address_refused")
    assert asked == ["rebinding.example"]


def test_the_address_that_was_looked_at_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], _timeout: float) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError

    kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: [(*kind, ("93.184.215.14", 443))])
    monkeypatch.setattr(socket, "create_connection", connect)
    assert post("https://example.org/") == Sent(None, "unreachable")
    assert connected == [("93.184.215.14", 443)]


def post(url: str, body: bytes = b"{}") -> Sent:
    return send(url, message_id="evt_1", timestamp=1_700_000_000, body=body, secret=SECRET)


class Receiver(BaseHTTPRequestHandler):
    """Keeps what it is told, and answers as the path says."""

    told: list[tuple[str, dict[str, str], bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.told.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        if self.path == "/slow":
            for _ in range(200):
                time.sleep(0.05)
                try:
                    self.wfile.write(b"H")
                except OSError:
                    return
            return
        if self.path == "/junk":
            self.wfile.write(b"not HTTP at all\r\n\r\n")
            return
        self.send_response(int(self.path.strip("/")))
        self.send_header("Location", "http://169.254.169.254/")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


@contextmanager
def receiver() -> Iterator[tuple[str, type[Receiver]]]:
    handler = type("OneReceiver", (Receiver,), {"told": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@override_settings(WEBHOOKS_TO_LOOPBACK=True)
def test_what_is_sent_is_signed_and_only_success_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sending, "_SECONDS", 0.5)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with receiver() as (base, handler):
        got = {
            path: post(f"{base}/{path}", b'{"a":1}')
            for path in ("200", "204", "302", "404", "410", "500", "junk", "slow")
        }
    assert got == {
        "200": Sent(200, ""), "204": Sent(204, ""), "302": Sent(302, "redirected"),
        "404": Sent(404, "refused"), "410": Sent(410, "refused"), "500": Sent(500, "refused"),
        "junk": Sent(None, "not_http"), "slow": Sent(None, "too_slow"),
    }  # fmt: skip
    assert [path for path, _, _ in handler.told] == [f"/{path}" for path in got]
    path, headers, body = handler.told[0]
    # The signature as its receiver makes it, from what it got.
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    assert (path, body, headers["webhook-signature"]) == ("/200", b'{"a":1}', f"v1,{mac}")
    assert headers["content-type"] == "application/json"


def test_the_signature_is_that_of_the_standard() -> None:
    """The example of standardwebhooks.com's own libraries."""
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    value = sending.signature(
        secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@override_settings(WEBHOOKS_TO_LOOPBACK=True)
def test_nobody_there_is_told_as_such() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert post(f"http://127.0.0.1:{taken.getsockname()[1]}/") == Sent(None, "unreachable")
