"""A listener where a server should be, that hangs up on everybody and counts them."""

import socket
import threading
from types import TracebackType
from typing import Self

from provexplorer.embedded.ports import LOOPBACK


class Refusing:
    """Listens on `port` of loopback (0: any that is free) until it is closed; `calls`: how many have come."""

    def __init__(self, port: int = 0) -> None:
        self._door = socket.create_server((LOOPBACK, port))
        self.port = int(self._door.getsockname()[1])
        self.calls = 0
        threading.Thread(target=self._refuse, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _refuse(self) -> None:
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            self.calls += 1
            caller.close()

    def close(self) -> None:
        """Listen no more, for whoever waits at the door, too."""
        try:
            self._door.shutdown(socket.SHUT_RDWR)
        finally:
            self._door.close()
