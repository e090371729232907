"""One GET of an address outside: bounded in time and size, to nowhere that it must not go.

Every hop is checked and its address pinned (lineage/outside.py), as many redirects as
MOST_REDIRECTS are followed, the whole has one deadline however slowly bytes come, and what is
packed is unpacked no further than the bound. Nothing that the other side does raises.
"""

import http.client
import io
import ssl
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import BinaryIO, Final
from urllib.parse import quote, urldefrag, urljoin, urlsplit, urlunsplit

from django.conf import settings

from lineage.freshness.line import Line, Timed
from lineage.outside import AddressRefused, Place, address_of, place_of

# Why there is no reply, or none that can be used.
FAILURES: Final = (
    "address_refused", "name_unknown", "unreachable", "tls", "too_slow", "not_http", "redirects",
    "too_large", "encoding", "cut_short",
)  # fmt: skip
MOST_REDIRECTS: Final = 5
SECONDS: Final = 30.0
MOST_BYTES: Final = 16 * 2**20
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD: Final = frozenset({301, 308})
_CHUNK: Final = 64 * 1024
# What of a header is kept; the standard library bounds their number.
_MOST_HEADER: Final = 2_000
_GZIP: Final = zlib.MAX_WBITS | 16
# Kept as they stand in an address that is put into ASCII.
_SAFE: Final = "%/:=&?~#+!$,;'@()*[]-._"


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect that was followed: the status, and the address that it led to."""

    status: int
    uri: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a GET came to. With a `failure` (FAILURES) there is no body that counts.

    `final_uri` is the last address that was asked; `headers` those of its reply by their names
    in lower case, several of one name joined by commas. `size` are the bytes of the unpacked
    body, also where it went into a file.
    """

    uri: str
    final_uri: str
    status: int | None = None
    failure: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    size: int = 0
    hops: tuple[Hop, ...] = ()

    @property
    def moved_for_good(self) -> bool:
        """Whether every redirect on the way says that the old address is not to be used again."""
        return bool(self.hops) and all(hop.status in _FOR_GOOD for hop in self.hops)


def fetch(
    uri: str,
    *,
    etag: str = "",
    last_modified: str = "",
    headers: Mapping[str, str] | None = None,
    most_bytes: int = MOST_BYTES,
    seconds: float = SECONDS,
    into: BinaryIO | None = None,
    line: Line | None = None,
) -> Fetched:
    """GET an address, following redirects.

    `etag` and `last_modified` ask for 304 where nothing has changed. `headers` (credentials,
    say) go to the origin of `uri` alone, not to where it redirects. The body of a success
    goes `into` a file where one is given, which may then hold a part of it after a failure;
    of other replies it is kept within `most_bytes`, too. `seconds` are those of the whole. A `line` is where a
    connection is kept for the next request; without it, the site is told that there is none.
    """
    until = time.monotonic() + seconds
    asked = in_ascii(uri)
    hops: list[Hop] = []
    current, own = asked, ""
    while True:
        try:
            place = _place(current)
            own = own or place.origin
            reply = _ask(
                place,
                _headers(etag, last_modified, headers if place.origin == own else None, line),
                _Limits(until, most_bytes, into),
                line,
            )
        except AddressRefused as refused:
            return Fetched(uri, current, failure=refused.code, hops=tuple(hops))
        location = reply.headers.get("location")
        if reply.failure or reply.status not in _REDIRECTS or not location:
            return Fetched(
                uri, current, reply.status, reply.failure, reply.headers, reply.body, reply.size,
                tuple(hops),
            )  # fmt: skip
        if len(hops) == MOST_REDIRECTS:
            return Fetched(uri, current, reply.status, "redirects", hops=tuple(hops))
        try:
            current = in_ascii(urljoin(current, location))
        except ValueError:
            return Fetched(uri, current, reply.status, "address_refused", hops=tuple(hops))
        hops.append(Hop(reply.status, current))


@lru_cache(maxsize=2_048)
def in_ascii(uri: str) -> str:
    """An address without its fragment, path and query in ASCII, as browsers ask for them.

    The host is left as it is: what is no ASCII in it is a matter of names (`place_of`).
    """
    try:
        parts = urlsplit(urldefrag(uri).url)
        host = parts.netloc.encode("idna").decode("ascii") if not parts.netloc.isascii() else None
    except ValueError:
        return uri
    return urlunsplit(
        (
            parts.scheme,
            parts.netloc if host is None else host,
            quote(parts.path, safe=_SAFE),
            quote(parts.query, safe=_SAFE),
            "",
        )
    )


def _place(uri: str) -> Place:
    loopback: bool = settings.FETCH_FROM_LOOPBACK
    return place_of(uri, schemes=("https", "http"), any_port=loopback)


@dataclass(frozen=True, slots=True)
class _Limits:
    until: float  # of time.monotonic()
    most_bytes: int
    into: BinaryIO | None

    @property
    def left(self) -> float:
        return max(0.01, self.until - time.monotonic())


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int | None = None
    failure: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    size: int = 0


def _headers(
    etag: str, last_modified: str, more: Mapping[str, str] | None, line: Line | None
) -> dict[str, str]:
    headers = {
        "User-Agent": settings.FETCH_USER_AGENT,
        "Accept": "*/*",
        # What the standard library can unpack bit by bit, and nothing else.
        "Accept-Encoding": "gzip",
        **(more or {}),
    }
    if line is None:
        headers["Connection"] = "close"
    said = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    # As the other side once said it, who may have said anything.
    kept = {n: value for n, value in said.items() if value.isascii() and value.isprintable()}
    return headers | {name: value for name, value in kept.items() if value}


def _ask(place: Place, headers: Mapping[str, str], limits: _Limits, line: Line | None) -> _Reply:
    """One request, of one address. Raises AddressRefused."""
    kept = line.take(place, limits.until) if line is not None else None
    if kept is not None:
        try:
            response = _begin(kept, place, headers)
        except TimeoutError:
            kept.close()
            return _Reply(failure="too_slow")
        except (OSError, http.client.HTTPException, ValueError):
            # Closed between two requests, as any site may; a new one tells what is the matter.
            kept.close()
        else:
            return _end(kept, place, response, limits, line)
    address = address_of(
        place.host, place.port, loopback=settings.FETCH_FROM_LOOPBACK, seconds=limits.left
    )
    connection = Timed(place, address, until=limits.until)
    try:
        response = _begin(connection, place, headers)
    except (OSError, http.client.HTTPException, ValueError) as error:
        connection.close()
        return _Reply(failure=_failure(error))
    return _end(connection, place, response, limits, line)


def _begin(connection: Timed, place: Place, headers: Mapping[str, str]) -> http.client.HTTPResponse:
    connection.request("GET", place.target, headers=dict(headers))
    return connection.getresponse()


def _end(
    connection: Timed,
    place: Place,
    response: http.client.HTTPResponse,
    limits: _Limits,
    line: Line | None,
) -> _Reply:
    """Read a reply, and keep its connection where it may be used again."""
    whole = False
    try:
        reply = _read(response, limits)
        # What is left of a reply that was not read to its end would be taken for the next.
        whole = not reply.failure and reply.status not in _REDIRECTS and _is_read(response)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _Reply(failure=_failure(error))
    else:
        return reply
    finally:
        response.close()
        if whole and line is not None and connection.sock is not None:
            line.keep(place, connection)
        else:
            connection.close()


def _is_read(response: http.client.HTTPResponse) -> bool:
    return response.isclosed() or response.length == 0


def _failure(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "too_slow"
    if isinstance(error, ssl.SSLError):
        return "tls"
    if isinstance(error, http.client.IncompleteRead):
        return "cut_short"
    return "unreachable" if isinstance(error, OSError) else "not_http"


def _read(response: http.client.HTTPResponse, limits: _Limits) -> _Reply:
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        lower, kept = name.lower(), value[:_MOST_HEADER]
        headers[lower] = f"{headers[lower]}, {kept}"[:_MOST_HEADER] if lower in headers else kept
    status = response.status
    # Of a redirect only where it leads to counts.
    if status in _REDIRECTS and "location" in headers:
        return _Reply(status, headers=headers)
    coding = headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        return _Reply(status, "encoding", headers)
    whole = headers.get("content-length", "")
    if whole.isdigit() and int(whole) > limits.most_bytes:
        return _Reply(status, "too_large", headers)
    into = limits.into if limits.into is not None and status == 200 else io.BytesIO()
    failure, size = _body(response, into, limits, packed=coding.endswith("gzip"))
    body = into.getvalue() if isinstance(into, io.BytesIO) and not failure else b""
    return _Reply(status, failure, headers, body if into is not limits.into else b"", size)


def _body(
    response: http.client.HTTPResponse, into: BinaryIO, limits: _Limits, *, packed: bool
) -> tuple[str, int]:
    """Read the body, unpacked, bit by bit: why that failed, and how many bytes there are."""
    wanted = response.length
    unpacker = zlib.decompressobj(_GZIP) if packed else None
    read = size = 0
    while chunk := response.read1(_CHUNK):
        read += len(chunk)
        pending = chunk
        while pending:
            if time.monotonic() > limits.until:
                return "too_slow", size
            if unpacker is None:
                plain, pending = pending, b""
            else:
                try:
                    plain = unpacker.decompress(pending, _CHUNK)
                except zlib.error:
                    return "encoding", size
                pending = unpacker.unconsumed_tail
                if unpacker.eof and unpacker.unused_data:
                    # A gzip file may be several, one after another.
                    pending, unpacker = unpacker.unused_data, zlib.decompressobj(_GZIP)
            size += len(plain)
            if size > limits.most_bytes:
                return "too_large", size
            into.write(plain)
    if wanted is not None and read < wanted:
        return ("too_slow" if time.monotonic() > limits.until else "cut_short"), size
    if unpacker is not None and read and not unpacker.eof:
        return "cut_short", size
    return "", size
