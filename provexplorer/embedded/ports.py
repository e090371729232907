"""Free TCP ports on loopback."""

import errno
import socket
from typing import Final

LOOPBACK: Final = "127.0.0.1"
# How many ports after the default are tried before giving up.
NEXT_PORTS: Final = 100


class PortTaken(Exception):
    """The port that was asked for is in use; `port` names it."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} of {LOOPBACK} is in use")
        self.port = port


def free_port() -> int:
    """A port that nobody listened on a moment ago; the caller must cope with losing it."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def bound_socket(port: int | None, *, default: int) -> socket.socket:
    """A loopback socket bound, not yet listening: on `port`, else on `default` or the next free one.

    Until its heir listens, connections are refused, so that nobody waits in the queue of
    a site that is not ready. Raises PortTaken.
    """
    wanted = range(default, default + NEXT_PORTS) if port is None else (port,)
    for candidate in wanted:
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Connections of the last run in TIME_WAIT must not move the site to another port.
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((LOOPBACK, candidate))
            # Bind alone succeeds beside a listener on some systems; listening is the proof.
            if _somebody_listens(candidate):
                raise OSError(errno.EADDRINUSE, "in use")
        except OSError as error:
            server.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
        else:
            return server
    raise PortTaken(default if port is None else port)


def _somebody_listens(port: int) -> bool:
    if port == 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, port)) == 0
