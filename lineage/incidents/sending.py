"""One signed POST to an address outside, to nowhere that it must not go.

The name is resolved once, every address that it has must be public, and the connection goes
to that very address, so that a name that changes its mind in between leads nowhere else. No
redirect is followed, no proxy of the environment is used, nothing of the reply is kept but
its status. The standard library's client is enough for that, and lets the address be pinned.

Signed as https://www.standardwebhooks.com says: HMAC-SHA256 over `id.timestamp.body`.
"""

import base64
import hashlib
import hmac
import http.client
import ipaddress
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - no secret, but how one begins
LONGEST_URL: Final = 2_000
# Whatever the other side does, an attempt is over after so many seconds.
_SECONDS: Final = 15.0
_CONNECT_SECONDS: Final = 5.0
_PORTS: Final = {"https": 443}
# Translation of IPv4 into IPv6: behind it may be what is private.
_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")


class AddressRefused(Exception):
    """An address that nothing is sent to; `code` says why (FAILURES)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


# Why there was no reply, or none that counts.
FAILURES: Final = (
    "address_refused", "name_unknown", "unreachable", "tls", "too_slow", "not_http", "redirected",
    "refused", "switched_off",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of an attempt: the status if there was one, and why it does not count, else ""."""

    status: int | None
    failure: str


def new_secret_words(secret: bytes) -> str:
    """The secret as its owner is shown it, once."""
    return SECRET_PREFIX + base64.b64encode(secret).decode("ascii")


def signature(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    signed = f"{message_id}.{timestamp}.".encode("ascii") + body
    mac = hmac.new(secret, signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(mac).decode("ascii")


def check_url(url: str) -> None:
    """Refuse what could never be sent to. Raises AddressRefused.

    https on its own port, no user, no fragment, and no address that is not public; what a name
    stands for is looked at when something is sent. Where this machine itself may be told
    (WEBHOOKS_TO_LOOPBACK), http and any port of it, too.
    """
    _, host, port = _parts(url)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return
    if not may_be_sent_to(host, port):
        raise AddressRefused("address_refused")


def send(url: str, *, message_id: str, timestamp: int, body: bytes, secret: bytes) -> Sent:
    """Post the body, signed. Never raises for what the other side does."""
    try:
        parts, host, port = _parts(url)
        address = _address(host, port)
    except AddressRefused as refused:
        return Sent(None, refused.code)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Provexplorer",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id, timestamp, body),
    }
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _Pinned(host, port, address, tls=parts.scheme == "https")
    late = threading.Timer(_SECONDS, connection.cut)
    late.daemon = True
    late.start()
    try:
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    except TimeoutError:
        return Sent(None, "too_slow")
    except ssl.SSLError:
        return Sent(None, "tls")
    except (OSError, http.client.HTTPException) as error:
        if connection.was_cut:
            return Sent(None, "too_slow")
        return Sent(None, "not_http" if isinstance(error, http.client.HTTPException) else "unreachable")  # fmt: skip
    finally:
        late.cancel()
        connection.close()
    if 200 <= status < 300:
        return Sent(status, "")
    return Sent(status, "redirected" if 300 <= status < 400 else "refused")


class _Pinned(http.client.HTTPConnection):
    """A connection to one address, in the name of a host; `cut` ends it from another thread."""

    def __init__(self, host: str, port: int, address: str, *, tls: bool) -> None:
        super().__init__(host, port, timeout=_CONNECT_SECONDS)
        self._address = address
        self._context = ssl.create_default_context() if tls else None
        self.default_port = 443 if tls else 80
        self.was_cut = False

    def connect(self) -> None:
        """To the address that was looked at; the certificate must be the host's."""
        self.sock = socket.create_connection((self._address, self.port), _CONNECT_SECONDS)
        if self._context is not None:
            self.sock = self._context.wrap_socket(self.sock, server_hostname=self.host)
        self.sock.settimeout(_SECONDS)

    def cut(self) -> None:
        """End it at once: who waits for a reply that comes a byte at a time waits no longer."""
        self.was_cut = True
        sock = self.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                sock.close()


def _parts(url: str) -> tuple[SplitResult, str, int]:
    """The parts of an address with its host, in ASCII, and its port."""
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        raise AddressRefused("address_refused")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
        ascii_host = host.encode("idna").decode("ascii") if host else ""
        url.encode("ascii")
    except ValueError as error:
        raise AddressRefused("address_refused") from error
    loopback: bool = settings.WEBHOOKS_TO_LOOPBACK
    schemes = {"http", "https"} if loopback else {"https"}
    whole = parts.username is None and parts.password is None and not parts.fragment
    if parts.scheme not in schemes or not ascii_host or not whole:
        raise AddressRefused("address_refused")
    usual = _PORTS.get(parts.scheme, 80)
    if port not in (None, usual) and not loopback:
        raise AddressRefused("address_refused")
    return parts, ascii_host, port or usual


def _address(host: str, port: int) -> str:
    """The address of a host, all of whose addresses may be sent to. Raises AddressRefused."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused("name_unknown") from error
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses or not all(may_be_sent_to(each, port) for each in addresses):
        raise AddressRefused("address_refused")
    return addresses[0]


def may_be_sent_to(address: str, port: int) -> bool:
    """Whether an IP address is public; of this machine's own, where the setting allows it."""
    try:
        # A zone (fe80::1%eth0) is only of addresses that are not public.
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.sixtofour or ip.teredo or ip in _TRANSLATED or ip.is_site_local:
            return False
        ip = ip.ipv4_mapped or ip
    if ip.is_loopback:
        return bool(settings.WEBHOOKS_TO_LOOPBACK)
    shut = ip.is_private or ip.is_link_local or ip.is_multicast or ip.is_reserved or ip.is_unspecified  # fmt: skip
    # What is elsewhere is told on the usual ports alone, also where this machine may be told.
    return ip.is_global and not shut and port in (80, 443)
