"""Run by Phoenix's own interpreter: `phoenix serve`, with its gRPC port on loopback, too.

Phoenix binds that port to all addresses, whatever PHOENIX_HOST says.
"""

import sys
from typing import Any

from grpc import aio  # type: ignore[import-untyped]
from phoenix.server.main import main  # type: ignore[import-not-found]

_add_port = aio.Server.add_insecure_port


def _on_loopback(server: Any, address: str) -> Any:
    return _add_port(server, address.replace("[::]", "127.0.0.1"))


aio.Server.add_insecure_port = _on_loopback

if __name__ == "__main__":
    sys.argv = ["phoenix", "serve"]
    sys.exit(main())
