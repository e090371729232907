"""What lies outside: which addresses may be reached, and a connection to the very one looked at.

A name is resolved once, every address that it has must be public, and the connection goes to
that address, so that a name that changes its mind in between leads nowhere else. No proxy of
the environment is asked. The standard library's client lets the address be pinned, and the
same parts of an address are checked and connected to.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

LONGEST_URL: Final = 2_000
_PORTS: Final = {"https": 443, "http": 80}
_CONNECT_SECONDS: Final = 5.0
# Translation of IPv4 into IPv6, and IPv4 written as IPv6: behind it may be what is private.
_TRANSLATED: Final = tuple(
    ipaddress.ip_network(each) for each in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")
)


class AddressRefused(Exception):
    """An address that is not reached; `code` is address_refused, name_unknown or too_slow."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request goes: the host in ASCII without a final dot, and the target on it."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: who shares what is meant for a site."""
        return f"{self.scheme}://{self.host}:{self.port}"


# An address is taken apart when it is grouped by its site, when it is asked and at each redirect.
@lru_cache(maxsize=2_048)
def place_of(url: str, *, schemes: tuple[str, ...], any_port: bool = False) -> Place:
    """The parts of an address in ASCII. Raises AddressRefused.

    No user, no fragment, only these schemes (https, http) and, unless `any_port`, only their
    own ports. What its host stands for is another question (`address_of`).
    """
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefused("address_refused")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
        ascii_host = host.encode("idna").decode("ascii") if host else ""
        url.encode("ascii")
    except ValueError as error:
        raise AddressRefused("address_refused") from error
    whole = parts.username is None and parts.password is None and not parts.fragment
    if parts.scheme not in schemes or not ascii_host or not whole:
        raise AddressRefused("address_refused")
    usual = _PORTS[parts.scheme]
    if port not in (None, usual) and not any_port:
        raise AddressRefused("address_refused")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(parts.scheme, ascii_host, port or usual, target)


def address_of(host: str, port: int, *, loopback: bool, seconds: float = 15.0) -> str:
    """The first address of a host, all of whose addresses may be reached. Raises AddressRefused."""
    try:
        found = _looked_up(host, port, seconds)
    except TimeoutError as error:
        raise AddressRefused("too_slow") from error
    except (OSError, UnicodeError) as error:
        raise AddressRefused("name_unknown") from error
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses or not all(may_be_reached(each, port, loopback=loopback) for each in addresses):  # fmt: skip
        raise AddressRefused("address_refused")
    return addresses[0]


def refuse_what_is_inside(place: Place, *, loopback: bool) -> None:
    """Refuse an IP address, or the name of this machine, that is not reached. Raises AddressRefused.

    What another name stands for is asked when it is reached (`address_of`).
    """
    if place.host == "localhost" or place.host.endswith(".localhost"):
        inside = not loopback
    else:
        try:
            ipaddress.ip_address(place.host)
        except ValueError:
            return
        inside = not may_be_reached(place.host, place.port, loopback=loopback)
    if inside:
        raise AddressRefused("address_refused")


def may_be_reached(address: str, port: int, *, loopback: bool) -> bool:
    """Whether an IP address is public, and the port one of the usual two; with `loopback`, this machine's own at any port, too."""
    try:
        # A zone (fe80::1%eth0) is only of addresses that are not public.
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and not ip.is_loopback:
        if ip.sixtofour or ip.teredo or ip.is_site_local or any(ip in net for net in _TRANSLATED):
            return False
        ip = ip.ipv4_mapped or ip
    if ip.is_loopback:
        return loopback
    shut = ip.is_private or ip.is_link_local or ip.is_multicast or ip.is_reserved or ip.is_unspecified  # fmt: skip
    return ip.is_global and not shut and port in _PORTS.values()


def _looked_up(host: str, port: int, seconds: float) -> list[Any]:
    """What the resolver says, which cannot be cut short; who asked waits no longer than this."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    future: Future[list[Any]] = Future()

    def ask() -> None:
        try:
            future.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            future.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    return future.result(max(0.0, seconds))


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    """Certificates that the machine trusts; read once, which takes as long as some requests."""
    return ssl.create_default_context()


class Pinned(http.client.HTTPConnection):
    """A connection to one address, in the name of a host; `cut` ends it from another thread."""

    def __init__(self, place: Place, address: str, *, seconds: float) -> None:
        super().__init__(place.host, place.port, timeout=min(_CONNECT_SECONDS, seconds))
        self._address = address
        self._seconds = seconds
        self._context = _trusted() if place.scheme == "https" else None
        self.default_port = _PORTS[place.scheme]
        self.was_cut = False

    def connect(self) -> None:
        """To the address that was looked at; the certificate must be the host's."""
        patience = min(_CONNECT_SECONDS, self._seconds)
        self.sock = socket.create_connection((self._address, self.port), patience)
        if self._context is not None:
            # Held before the handshake, so that one that never ends is cut, too.
            self.sock = secured = self._context.wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            secured.do_handshake()
        self.sock.settimeout(self._seconds)

    def cut(self) -> None:
        """End it at once: who waits for a reply that comes a byte at a time waits no longer."""
        self.was_cut = True
        sock = self.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                sock.close()
