"""MLflow's tracking server as `mlflow server` starts it: SQLite, its own number of workers."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.peers.contender import Connection
from bench.peers.environments import python_of
from bench.peers.serving import Peer, serving
from bench.rag_traces import Told
from provexplorer.embedded.ports import LOOPBACK, free_port


@contextmanager
def started(environments: Path) -> Iterator[Peer]:
    """The server, ready; raises NotInstalled."""
    python = python_of("mlflow", environments)
    with TemporaryDirectory(prefix="bench-mlflow-") as name:
        folder, port = Path(name), free_port()
        # Kept alive, each request to it loses 40 ms.
        asked = Connection(port, fresh=True)

        def tells(told: Told) -> bool:
            status, body = asked.ask(
                "GET", "/api/3.0/mlflow/traces/get", query={"trace_id": f"tr-{told.trace_id}"}
            )
            return status == HTTPStatus.OK and told.text in body.decode()

        command = [str(python), "-m", "mlflow", "server", "--host", LOOPBACK, "--port", str(port)]
        with serving(
            command, folder=folder, asked=asked, ready="/health",
            MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true",
            PATH=f"{python.parent}:/usr/bin:/bin",
        ) as pid:  # fmt: skip
            yield Peer("MLflow", port, {"x-mlflow-experiment-id": "0"}, pid, tells)
