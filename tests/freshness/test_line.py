"""A connection is used again only where the next reply on it can be nothing but the next reply."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from django.test import override_settings

from lineage.freshness import line as lines
from lineage.freshness.fetch import fetch
from lineage.freshness.line import Line
from tests.freshness.sites import site
from tests.freshness.test_fetch import publicly

pytestmark = pytest.mark.engine_free

from_this_machine = override_settings(FETCH_FROM_LOOPBACK=True)
WHOLE: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
UNCHANGED: Final = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
CHUNKED: Final = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
CLOSES: Final = b""
HANGS: Final = None


@contextmanager
def talking(*connections: list[bytes | None]) -> Iterator[tuple[str, list[list[str]]]]:
    """A site that says so on each of its connections, a reply a request; and the paths that each was asked for."""
    asked: list[list[str]] = []
    over = threading.Event()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def talk(reached: socket.socket, replies: list[bytes | None], paths: list[str]) -> None:
            with reached:
                for reply in replies:
                    if reply == CLOSES:
                        return
                    head = b""
                    while not head.endswith(b"\r\n\r\n"):
                        if not (more := reached.recv(4096)):
                            return
                        head += more
                    paths.append(head.split(b" ", 2)[1].decode())
                    if reply is HANGS:
                        break
                    reached.sendall(reply)
                over.wait(5)

        def accept() -> None:
            for replies in connections:
                try:
                    reached = listener.accept()[0]
                except OSError:
                    return
                asked.append([])
                threading.Thread(target=talk, args=(reached, replies, asked[-1])).start()

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@from_this_machine
@pytest.mark.parametrize("reply", [WHOLE, UNCHANGED, CHUNKED])
def test_requests_go_through_one_connection_one_after_another(reply: bytes) -> None:
    with talking([reply, WHOLE, WHOLE]) as (base, asked), Line() as line:
        fetch(f"{base}/1", etag="x", line=line)
        assert fetch(f"{base}/2", line=line).body == b"ok"
        assert fetch(f"{base}/3", line=line).body == b"ok"
    assert asked == [["/1", "/2", "/3"]]


@from_this_machine
@pytest.mark.parametrize(
    "before",
    [
        # Closed by the site, which says so or does not.
        [WHOLE, CLOSES],
        [WHOLE.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n")],
        # More than was asked for: a reply to nobody, which must not become that to the next.
        [WHOLE + WHOLE.replace(b"ok", b"no")],
        [UNCHANGED + b"a body that has no business here"],
        # Not read to its end.
        [b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n" + WHOLE],
        [b"HTTP/1.1 404 Gone\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nno" + WHOLE],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", CLOSES],
    ],
)
def test_a_connection_that_may_hold_something_else_is_not_used_again(
    before: list[bytes | None],
) -> None:
    with talking(before, [WHOLE]) as (base, asked), Line() as line:
        fetch(f"{base}/1", etag="x", most_bytes=999, seconds=1, line=line)
        time.sleep(0.05)
        assert fetch(f"{base}/2", line=line).body == b"ok"
    assert asked == [["/1"], ["/2"]]


@from_this_machine
def test_a_site_that_closes_while_it_is_asked_is_asked_once_more() -> None:
    with talking([WHOLE, b"\r\n"], [WHOLE]) as (base, asked), Line() as line:
        fetch(f"{base}/1", line=line)
        assert fetch(f"{base}/2", line=line).body == b"ok"
    assert asked == [["/1", "/2"], ["/2"]]


@from_this_machine
def test_a_connection_that_falls_silent_is_left_in_time() -> None:
    with talking([WHOLE, HANGS], [WHOLE]) as (base, asked), Line() as line:
        fetch(f"{base}/1", line=line)
        began = time.monotonic()
        assert fetch(f"{base}/2", seconds=0.3, line=line).failure == "too_slow"
        assert time.monotonic() - began < 1.5
        assert fetch(f"{base}/3", line=line).body == b"ok"
    assert asked == [["/1", "/2"], ["/3"]]


@from_this_machine
def test_a_connection_that_was_idle_for_long_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "_IDLE_SECONDS", 0.0)
    with talking([WHOLE], [WHOLE]) as (base, asked), Line() as line:
        fetch(f"{base}/1", line=line)
        fetch(f"{base}/2", line=line)
    assert asked == [["/1"], ["/2"]]


@from_this_machine
def test_another_site_has_a_connection_of_its_own() -> None:
    with (
        talking([WHOLE]) as (other, asked_other),
        talking([f"HTTP/1.1 302 Found\r\nLocation: {other}/b\r\nContent-Length: 0\r\n\r\n".encode()]) as (base, asked),
        Line() as line,
    ):  # fmt: skip
        assert fetch(f"{base}/a", line=line).final_uri == f"{other}/b"
    assert (asked, asked_other) == ([["/a"]], [["/b"]])


def test_whoever_has_no_line_says_that_nothing_is_kept() -> None:
    with from_this_machine, site(lambda asked: asked.reply(200)) as (base, asked):
        fetch(f"{base}/alone")
        with Line() as line:
            fetch(f"{base}/on-a-line", line=line)
    assert [headers.get("connection") for _, headers in asked] == ["close", None]


def test_where_a_connection_leads_is_looked_at_when_it_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that comes to mean this machine is never followed there: neither on the line nor off it."""
    with talking([WHOLE, WHOLE]) as (base, asked):
        connected = publicly(monkeypatch, int(base.rpartition(":")[2]))
        with Line() as line:
            assert fetch("http://public.example/1", line=line).body == b"ok"
            within = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: within)
            assert fetch("http://public.example/2", line=line).body == b"ok"
            line.close()
            assert fetch("http://public.example/3", line=line).failure == "address_refused"
    assert (connected, asked) == (["93.184.215.14"], [["/1", "/2"]])
