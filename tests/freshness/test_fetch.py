"""Where nothing is ever fetched from, and that no site can do harm by what it answers."""

import gzip
import io
import socket
import ssl
import time
import tracemalloc
import zlib
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.test import override_settings

from lineage import outside
from lineage.freshness.fetch import MOST_REDIRECTS, Hop, fetch
from provexplorer import clock
from tests.freshness.sites import Asked, site

pytestmark = pytest.mark.engine_free

from_this_machine = override_settings(FETCH_FROM_LOOPBACK=True)

REFUSED = [
    # Not HTTP, not an address, or a second meaning in it.
    "", "example.org", "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/",
    "javascript:alert(1)", "http://", "http:///x", "//example.org/",
    "http://user@example.org/", "http://user:word@example.org/", "http://example.org@127.0.0.1/",
    "http://127.0.0.1\\@example.org/", "http://example.org\\@127.0.0.1/",
    "http://example.org:22/", "http://example.org:6379/", "http://example.org:8080/",
    "http://example.org:99999/", "http://exa mple.org/", "http://[::1", "http://example.org/\x00",
    "http://" + "a" * 2_000,
    # This machine, however it is written.
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/",
    "http://0x7f.1/", "http://0177.0.0.1/", "http://0/", "http://[::1]/",
    "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[::]/", "http://localhost/",
    "http://LOCALHOST./", "http://127.0.0.1./", "http://\uff11\uff12\uff17.0.0.1/",
    "http://\u2460\u2461\u2466.0.0.1/", "http://127\u30020\u30020\u30021/",
    # The network within.
    "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/", "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://224.0.0.1/",
    "http://[fe80::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
    "http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::7f00:1]/", "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/", "http://[::ffff:10.0.0.1]/", "http://0.0.0.0/",
    "http://255.255.255.255/", "http://198.18.0.1/", "http://240.0.0.1/",
]  # fmt: skip


@pytest.fixture
def nothing_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*asked: object, **_: object) -> socket.socket:
        message = f"connected to {asked}"
        raise AssertionError(message)

    monkeypatch.setattr(socket, "create_connection", connect)


@pytest.mark.parametrize("uri", REFUSED)
def test_such_an_address_is_not_connected_to(uri: str, nothing_is_connected_to: None) -> None:
    fetched = fetch(uri)
    assert (fetched.status, fetched.failure in ("address_refused", "name_unknown")) == (None, True)


# Of the others, the site that redirects is asked for something else.
ELSEWHERE = [uri for uri in REFUSED if "//" in uri.rstrip("/") and "///" not in uri and "\x00" not in uri]  # fmt: skip


@pytest.mark.parametrize("uri", ELSEWHERE)
def test_no_redirect_leads_there_either(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A public name that redirects; the site itself is on this machine, at the pinned address."""
    location = uri.encode("utf-8").decode("latin-1")
    with site(lambda asked: asked.reply(302, Location=location)) as (base, asked):
        port = int(base.rpartition(":")[2])
        connected = publicly(monkeypatch, port)
        fetched = fetch("http://public.example/")
    assert (fetched.failure in ("address_refused", "name_unknown"), len(asked)) == (True, 1)
    assert connected == ["93.184.215.14"]


def publicly(monkeypatch: pytest.MonkeyPatch, port: int) -> list[str]:
    """`public.example` has a public address, which is this machine's port; others are asked for really."""
    connected: list[str] = []
    resolve = socket.getaddrinfo

    def resolved(host: str, *more: Any, **named: Any) -> Any:
        if host == "public.example":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 80))]
        return resolve(host, *more, **named)

    def connect_to(address: tuple[str, int], seconds: float) -> socket.socket:
        connected.append(address[0])
        reached = socket.socket()
        reached.settimeout(seconds)
        reached.connect(("127.0.0.1", port))
        return reached

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(socket, "create_connection", connect_to)
    return connected


def test_a_name_that_changes_its_mind_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = count()
    with site(lambda asked: asked.reply(200, b"public")) as (base, _):
        connected = publicly(monkeypatch, int(base.rpartition(":")[2]))
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda *_a, **_k: [
                (2, 1, 6, "", ("93.184.215.14" if next(answers) == 0 else "127.0.0.1", 80))
            ],
        )
        assert fetch("http://rebinding.example/").body == b"public"
        # From the second time on it means this machine, which is told to it as such.
        assert fetch("http://rebinding.example/").failure == "address_refused"
    assert connected == ["93.184.215.14"]


def test_a_name_with_one_address_within_is_refused(
    monkeypatch: pytest.MonkeyPatch, nothing_is_connected_to: None
) -> None:
    both = [(2, 1, 6, "", (address, 443)) for address in ("93.184.215.14", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: both)
    assert fetch("https://two.example/").failure == "address_refused"


def test_a_name_server_that_never_answers_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: time.sleep(3))
    began = time.monotonic()
    assert fetch("https://silent.example/", seconds=0.2).failure == "too_slow"
    assert time.monotonic() - began < 2


@from_this_machine
def test_what_is_fetched_is_told_with_its_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    def behave(asked: Asked) -> None:
        if asked.headers.get("If-None-Match") == '"1"':
            asked.reply(304, ETag='"1"')
        else:
            asked.reply(200, b"\xc3\xa9", ETag='"1"', Content_Type="text/plain")

    with site(behave) as (base, asked):
        first = fetch(f"{base}/caf\u00e9?q=\u00e9#part")
        again = fetch(f"{base}/caf\u00e9", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")  # fmt: skip
    assert (first.status, first.failure, first.body, first.size) == (200, "", b"\xc3\xa9", 2)
    assert (first.headers["etag"], first.final_uri) == ('"1"', f"{base}/caf%C3%A9?q=%C3%A9")
    assert (again.status, again.failure, again.body) == (304, "", b"")
    assert [path for path, _ in asked] == ["/caf%C3%A9?q=%C3%A9", "/caf%C3%A9"]
    assert asked[0][1]["user-agent"] == "Provexplorer/0.1"
    assert asked[1][1]["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"


@from_this_machine
def test_what_is_kept_of_a_site_cannot_add_headers() -> None:
    with site(lambda asked: asked.reply(200)) as (base, asked):
        assert fetch(base, etag='"1"\r\nX-Evil: 1').status == 200
    assert "if-none-match" not in asked[0][1]


@from_this_machine
def test_redirects_are_followed_and_told() -> None:
    def behave(asked: Asked) -> None:
        match asked.path:
            case "/old":
                asked.reply(301, b"moved", Location="/new")
            case "/new":
                asked.reply(308, Location="newer?x=\u00e9".encode().decode("latin-1"))
            case "/for-now":
                asked.reply(302, Location="/newer")
            case _:
                asked.reply(200, asked.path.encode())

    with site(behave) as (base, _):
        moved, for_now = fetch(f"{base}/old"), fetch(f"{base}/for-now")
        assert moved.hops[0] == Hop(301, f"{base}/new")
        assert moved.final_uri.startswith(f"{base}/newer?x=")
    assert (moved.status, moved.moved_for_good) == (200, True)
    assert (for_now.status, for_now.moved_for_good) == (200, False)


@from_this_machine
def test_credentials_stay_with_the_site_that_they_are_of() -> None:
    with (
        site(lambda asked: asked.reply(200)) as (other, asked_other),
        site(lambda asked: asked.reply(302, Location="/b" if asked.path == "/a" else other)) as (base, asked),
    ):  # fmt: skip
        assert fetch(f"{base}/a", headers={"Authorization": "Bearer x"}).final_uri == other
    assert [headers.get("authorization") for _, headers in asked] == ["Bearer x", "Bearer x"]
    assert [headers.get("authorization") for _, headers in asked_other] == [None]


@from_this_machine
def test_redirects_in_a_circle_end() -> None:
    with site(lambda asked: asked.reply(302, Location=asked.path + "x")) as (base, asked):
        fetched = fetch(f"{base}/")
    assert (fetched.failure, len(asked)) == ("redirects", MOST_REDIRECTS + 1)


def _drip(asked: Asked) -> None:
    """A byte now and then, for ever: of the status line, of a header, or of the body."""
    start = {"/status": b"", "/header": b"HTTP/1.1 200 OK\r\nX: ", "/continue": b""}
    asked.wfile.write(start.get(asked.path, b"HTTP/1.1 200 OK\r\n\r\n"))
    if asked.path == "/length":
        asked.wfile.write(b"")
    for _ in range(100):
        byte = b"HTTP/1.1 100 Continue\r\n\r\n" if asked.path == "/continue" else b"H"
        asked.wfile.write(byte)
        time.sleep(0.02)


@from_this_machine
@pytest.mark.parametrize("path", ["/status", "/header", "/body", "/continue"])
def test_a_site_that_drips_is_left(path: str) -> None:
    with site(_drip) as (base, _):
        began = time.monotonic()
        assert fetch(f"{base}{path}", seconds=0.4).failure == "too_slow"
        assert time.monotonic() - began < 1.5


@from_this_machine
def test_the_deadline_is_that_of_all_redirects_together() -> None:
    def behave(asked: Asked) -> None:
        time.sleep(0.2)
        asked.reply(302, Location=asked.path + "x")

    with site(behave) as (base, asked):
        began = time.monotonic()
        assert fetch(f"{base}/", seconds=0.5).failure == "too_slow"
        assert time.monotonic() - began < 1.5
    assert len(asked) <= 4


@from_this_machine
def test_a_site_that_says_nothing_is_left() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        assert fetch(f"http://127.0.0.1:{silent.getsockname()[1]}/", seconds=0.3).failure == "too_slow"  # fmt: skip
        assert fetch(f"https://127.0.0.1:{silent.getsockname()[1]}/", seconds=0.3).failure == "too_slow"  # fmt: skip
        assert time.monotonic() - began < 3


def _endless(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        asked.wfile.write(b"x" * 65_536)


def _endless_chunked(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        asked.wfile.write(b"10000\r\n" + b"x" * 65_536 + b"\r\n")


def bomb(levels: int) -> bytes:
    """200 MB of zeros packed, and packed again."""
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(bytes(2**20)) for _ in range(200)) + packer.flush()
    for _ in range(levels - 1):
        packed = gzip.compress(packed)
    return packed


@from_this_machine
def test_a_body_without_end_costs_no_memory() -> None:
    packed = bomb(1)

    def behave(asked: Asked) -> None:
        match asked.path:
            case "/endless":
                _endless(asked)
            case "/chunked":
                _endless_chunked(asked)
            case "/said":
                asked.send_response(200)
                asked.send_header("Content-Length", str(10**12))
                asked.end_headers()
            case "/bomb":
                asked.reply(200, packed, Content_Encoding="gzip")
            case "/gone":
                asked.reply(404, packed, Content_Encoding="gzip")
            case "/many":
                asked.reply(200, gzip.compress(bytes(600_000)) * 3, Content_Encoding="gzip")

    with site(behave) as (base, _):
        tracemalloc.start()
        for path in ("endless", "chunked", "said", "bomb", "gone", "many"):
            fetched = fetch(f"{base}/{path}", most_bytes=2**20)
            assert (fetched.failure, fetched.body) == ("too_large", b""), path
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8 * 2**20


@from_this_machine
@pytest.mark.parametrize(
    "status, body, headers, failure",
    [
        (200, b"x", {"Content_Encoding": "br"}, "encoding"),
        (200, b"x", {"Content_Encoding": "zstd"}, "encoding"),
        (200, b"x", {"Content_Encoding": "gzip, gzip"}, "encoding"),
        (200, b"not packed", {"Content_Encoding": "gzip"}, "encoding"),
        (200, gzip.compress(b"cut" * 99)[:-9], {"Content_Encoding": "gzip"}, "cut_short"),
    ],
)  # fmt: skip
def test_what_is_packed_otherwise_or_badly_is_refused(
    status: int, body: bytes, headers: dict[str, str], failure: str
) -> None:
    with site(lambda asked: asked.reply(status, body, **headers)) as (base, _):
        fetched = fetch(base)
    assert (fetched.failure, fetched.body) == (failure, b"")


@from_this_machine
def test_what_is_packed_is_unpacked_whole() -> None:
    text = b"a passage " * 50_000
    two = gzip.compress(text[:300]) + gzip.compress(text[300:])
    with site(lambda asked: asked.reply(200, two, Content_Encoding="gzip")) as (base, _):
        assert fetch(base).body == text
        file = io.BytesIO()
        into = fetch(base, into=file)
    assert (into.body, into.size, file.getvalue()) == (b"", len(text), text)


@from_this_machine
@pytest.mark.parametrize(
    "said, failure",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "cut_short"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", "cut_short"),
        (b"not HTTP at all\r\n\r\n", "not_http"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n", "not_http"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", "not_http"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n", "address_refused"),
    ],
)
def test_a_broken_reply_is_told_as_such(said: bytes, failure: str) -> None:
    def behave(asked: Asked) -> None:
        asked.wfile.write(said)

    with site(behave) as (base, _):
        assert fetch(base).failure == failure


@from_this_machine
def test_nobody_there_is_told_as_such() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert fetch(f"http://127.0.0.1:{taken.getsockname()[1]}/").failure == "unreachable"


def _certificate(folder: Path, name: str) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = clock.now()
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_the_certificate_must_be_of_the_name_not_of_the_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pem = _certificate(tmp_path, "public.example")
    ours, theirs = ssl.create_default_context(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_verify_locations(pem)
    theirs.load_cert_chain(pem)

    with site(lambda asked: asked.reply(200, b"secured"), secured=theirs) as (base, _):
        publicly(monkeypatch, int(base.rpartition(":")[2]))
        # Nobody vouches for it.
        assert fetch("https://public.example/").failure == "tls"
        monkeypatch.setattr(outside, "_trusted", lambda: ours)
        assert fetch("https://public.example/").body == b"secured"
        both = [(2, 1, 6, "", ("93.184.215.14", 443))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: both)
        assert fetch("https://another.example/").failure == "tls"
