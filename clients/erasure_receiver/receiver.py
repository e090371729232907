"""An example of what a system with copies does when it is told of an erasure.

Python's standard library alone. It takes the signed message, deletes what the message names,
and acknowledges with a message that it signs with the same secret. Put your own deletion in
the place of `forget`:

    PROVEXPLORER=https://provenance.example PROVEXPLORER_SECRET=whsec_… python receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How old a message may be, in seconds: an old one, sent again by somebody else, is refused.
TOLERANCE = 300
LARGEST = 64 << 20

# Takes the items of a message ({"uid", "kind", "namespace", "key"}), deletes what the system has
# of them, and says how many things that were. Called again with the same items, it finds none.
Forget = Callable[[Sequence[Mapping[str, str]]], int]


class NotSigned(Exception):
    """A message that was not signed with the secret just now."""


@dataclass(frozen=True)
class Reply:
    """The acknowledgement to send: where (a path of the site), what, and under which headers."""

    path: str
    body: bytes
    headers: dict[str, str]


def key_of(secret: str) -> bytes:
    """The bytes of a secret as the site shows it, once."""
    return base64.b64decode(secret.removeprefix("whsec_"))


def signature(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """The value of `webhook-signature`: HMAC-SHA256 over `id.timestamp.body`."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def take(key: bytes, headers: Mapping[str, str], body: bytes, forget: Forget) -> Reply | None:
    """Delete what a message names; the acknowledgement, or None for a message of another type.

    `headers`: by their names in lower case. Raises NotSigned, with nothing deleted.
    """
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    expected = signature(key, message_id, timestamp, body)
    # As bytes: words that are not ASCII cannot be compared otherwise.
    given = headers.get("webhook-signature", "").encode("utf-8", "replace").split()
    if not any(hmac.compare_digest(expected.encode(), one) for one in given):
        raise NotSigned
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE:
        raise NotSigned
    message = json.loads(body)
    if message["type"] != "erasure.requested":
        return None
    data = message["data"]
    removed = forget(data["items"])
    # A large erasure comes in several messages: each page is acknowledged, and brings the next.
    reply = {
        "erasure": data["erasure"],
        "target": data["target"],
        "page": data.get("page", 1),
        "removed": removed,
    }
    answer = json.dumps(reply).encode()
    own_id, now = f"msg_{secrets.token_hex(12)}", str(int(time.time()))
    return Reply(
        path=data["acknowledge"],
        body=answer,
        headers={
            "Content-Type": "application/json",
            "webhook-id": own_id,
            "webhook-timestamp": now,
            "webhook-signature": signature(key, own_id, now, answer),
        },
    )


def serve(site: str, secret: str, forget: Forget, port: int) -> ThreadingHTTPServer:
    """A server that takes messages and acknowledges them to the site; run its `serve_forever`."""
    key = key_of(secret)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            if size > LARGEST:
                self.send_error(413)
                return
            try:
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = take(key, headers, self.rfile.read(size), forget)
            except NotSigned:
                self.send_error(401)
                return
            self.send_response(204)
            self.end_headers()
            if reply is not None:
                # The site's own address, as whoever runs this has given it.
                request = urllib.request.Request(site + reply.path, reply.body, reply.headers)  # noqa: S310
                urllib.request.urlopen(request, timeout=30).close()  # noqa: S310

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    """Serve on port 8700 behind a proxy with TLS; forgets nothing but says what it would."""

    def forget(items: Sequence[Mapping[str, str]]) -> int:
        for item in items:
            print(item["kind"], item["namespace"], item["key"])  # noqa: T201 - what a program says
        return 0

    site, secret = os.environ["PROVEXPLORER"], os.environ["PROVEXPLORER_SECRET"]
    serve(site.rstrip("/"), secret, forget, 8700).serve_forever()


if __name__ == "__main__":
    main()
