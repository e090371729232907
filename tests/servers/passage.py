"""A way to a server that can be shut: to who goes through it, the server has died."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final

from provexplorer.embedded.ports import LOOPBACK

_BYTES: Final = 1 << 16


class Passage:
    """Hands every connection to `port` on to the server behind, on loopback."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._door = self._listen(0)
        self.port = int(self._door.getsockname()[1])

    @contextlib.contextmanager
    def shut(self) -> Iterator[None]:
        """Connections break, and new ones are refused."""
        self.close()
        try:
            yield
        finally:
            self._door = self._listen(self.port)

    def close(self) -> None:
        """Shut for good."""
        self._break(self._door)
        with self._lock:
            left = list(self._open)
        for connection in left:
            self._break(connection)

    def _listen(self, port: int) -> socket.socket:
        door = socket.create_server((LOOPBACK, port))
        threading.Thread(target=self._let_in, args=(door,), daemon=True).start()
        return door

    def _let_in(self, door: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                outside, _ = door.accept()
                try:
                    inside = socket.create_connection((LOOPBACK, self._behind))
                except OSError:
                    outside.close()
                    continue
                with self._lock:
                    self._open |= {outside, inside}
                for ends in ((outside, inside), (inside, outside)):
                    threading.Thread(target=self._hand_on, args=ends, daemon=True).start()

    def _hand_on(self, giver: socket.socket, taker: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := giver.recv(_BYTES):
                taker.sendall(data)
        for connection in (giver, taker):
            self._break(connection)
            with self._lock:
                self._open.discard(connection)

    @staticmethod
    def _break(connection: socket.socket) -> None:
        """End it for whoever waits on it, too."""
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
