"""One signed POST to an address outside, to nowhere that it must not go.

Which addresses those are, and how one is reached, is said in lineage/outside.py. No redirect
is followed, nothing of the reply is kept but its status.

Signed as https://www.standardwebhooks.com says: HMAC-SHA256 over `id.timestamp.body`.
"""

import base64
import hashlib
import hmac
import http.client
import ssl
import threading
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from lineage.outside import (
    LONGEST_URL,
    AddressRefused,
    Pinned,
    Place,
    address_of,
    place_of,
    refuse_what_is_inside,
)

__all__ = ["LONGEST_URL", "AddressRefused", "Sent", "check_url", "send"]

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - no secret, but how one begins
# Whatever the other side does, an attempt is over after so many seconds.
_SECONDS: Final = 15.0

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
    refuse_what_is_inside(_place(url), loopback=settings.WEBHOOKS_TO_LOOPBACK)


def send(url: str, *, message_id: str, timestamp: int, body: bytes, secret: bytes) -> Sent:
    """Post the body, signed. Never raises for what the other side does."""
    try:
        place = _place(url)
        address = address_of(place.host, place.port, loopback=settings.WEBHOOKS_TO_LOOPBACK)
    except AddressRefused as refused:
        return Sent(None, refused.code)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Provexplorer",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id, timestamp, body),
    }
    connection = Pinned(place, address, seconds=_SECONDS)
    late = threading.Timer(_SECONDS, connection.cut)
    late.daemon = True
    late.start()
    try:
        connection.request("POST", place.target, body, headers)
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


def _place(url: str) -> Place:
    """Where an address of a webhook leads. Raises AddressRefused."""
    loopback: bool = settings.WEBHOOKS_TO_LOOPBACK
    schemes = ("http", "https") if loopback else ("https",)
    return place_of(url, schemes=schemes, any_port=loopback)
