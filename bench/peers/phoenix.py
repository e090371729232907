"""Arize Phoenix as `phoenix serve` starts it: SQLite, one process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.peers.contender import Connection
from bench.peers.environments import python_of
from bench.peers.serving import Peer, serving
from bench.rag_traces import Told
from provexplorer.embedded.ports import LOOPBACK, free_port

# Run with -P: beside it there is a module that is named as Phoenix is.
_LAUNCHER: Final = Path(__file__).with_name("phoenix_on_loopback.py")


@contextmanager
def started(environments: Path) -> Iterator[Peer]:
    """The server, ready; raises NotInstalled."""
    python = python_of("phoenix", environments)
    with TemporaryDirectory(prefix="bench-phoenix-") as name:
        folder, port = Path(name), free_port()
        asked = Connection(port)

        def tells(told: Told) -> bool:
            found = asked.json("/v1/projects/default/spans", trace_id=told.trace_id)
            return found is not None and any(
                span["context"]["span_id"] == told.span_id
                and span["attributes"].get("output.value") == told.text
                for span in found["data"]
            )

        with serving(
            [str(python), "-P", str(_LAUNCHER)], folder=folder, asked=asked, ready="/readyz",
            PHOENIX_HOST=LOOPBACK, PHOENIX_PORT=str(port), PHOENIX_GRPC_PORT=str(free_port()),
            PHOENIX_WORKING_DIR=str(folder), PHOENIX_TELEMETRY_ENABLED="false",
            PHOENIX_ALLOW_EXTERNAL_RESOURCES="false", PHOENIX_DISABLE_AGENT_ASSISTANT="true",
        ) as pid:  # fmt: skip
            yield Peer("Arize Phoenix", port, {}, pid, tells)
