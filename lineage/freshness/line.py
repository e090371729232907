"""A connection to a site that is kept from one request of a turn to the next.

A new one costs both sides more than the request that goes through it, with TLS many times
more. It leads to the address that was looked at when it was opened, and is used again for the
same scheme, host and port alone; whatever else it carried says so by itself, as HTTP does.
"""

import http.client
import io
import select
import time
from functools import partial
from typing import Any, Final, Self

from lineage.outside import Pinned, Place

# Whoever is left alone for longer may have gone without a word.
_IDLE_SECONDS: Final = 15.0


class Timed(Pinned):
    """A connection on which nothing takes longer than until `until` (of time.monotonic()), however it comes."""

    def __init__(self, place: Place, address: str, *, until: float) -> None:
        super().__init__(place, address, seconds=_left(until))
        self.until = until
        self.left_over = False
        # How the standard library lets the reader of a reply be another one.
        setattr(self, "response_class", partial(_TimedReply, self))  # noqa: B010 - declared for a class

    def go_on(self, until: float) -> None:
        """Use it for another request."""
        self.until = until
        self.sock.settimeout(_left(until))

    @property
    def is_quiet(self) -> bool:
        """Whether it is open, as far as can be told, and nothing has come that was not asked for."""
        if self.sock is None or self.left_over:
            return False
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return not poll.poll(0)


class _TimedReply(http.client.HTTPResponse):
    def __init__(self, connection: Timed, sock: Any, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self.fp = _Buffered(connection, _Reader(connection, self.fp))


class _Buffered(io.BufferedReader):
    """Notes when a reply is over and more has come than it: that would be taken for the next."""

    def __init__(self, connection: Timed, raw: "_Reader") -> None:
        super().__init__(raw)
        self._connection, self._reader = connection, raw

    def close(self) -> None:
        if not self.closed:
            self._reader.is_over = True
            self._connection.left_over = bool(self.peek(1))
        super().close()


class _Reader(io.RawIOBase):
    """Reads of a socket, each of which has the time that is left: a byte now and then wins none."""

    def __init__(self, connection: Timed, file: io.BufferedReader) -> None:
        # Read below its buffer, of which the reply has one of its own; closing closes both.
        self._connection, self._file, self._raw = connection, file, file.raw
        self._sock = connection.sock
        self.is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self.is_over:
            return 0
        left = self._connection.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        read: int | None = self._raw.readinto(buffer)
        return read

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


class Line:
    """The connection that is kept, if any; closed with the block."""

    def __init__(self) -> None:
        self._kept: Timed | None = None
        self._origin = ""
        self._since = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, place: Place, until: float) -> Timed | None:
        """The connection to this place, where one is open; whoever takes it keeps or closes it."""
        connection, self._kept = self._kept, None
        if connection is None:
            return None
        idle = time.monotonic() - self._since
        if self._origin != place.origin or idle > _IDLE_SECONDS or not connection.is_quiet:
            connection.close()
            return None
        connection.go_on(until)
        return connection

    def keep(self, place: Place, connection: Timed) -> None:
        """Keep a connection whose last reply was read to its end."""
        self.close()
        self._kept, self._origin, self._since = connection, place.origin, time.monotonic()

    def close(self) -> None:
        """Close what is kept."""
        connection, self._kept = self._kept, None
        if connection is not None:
            connection.close()


def _left(until: float) -> float:
    return max(0.01, until - time.monotonic())
