"""Provexplorer itself as it is started by `provexplorer up`, with an index of passages loaded."""

import http
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.memory import below, command_of
from bench.peers.contender import Connection
from bench.rag_traces import RagTraces, Told
from tests.servers import postgres
from tests.servers.neo4j import Neo4j
from tests.servers.product import Product
from tests.servers.running import running

EMBEDDED: Final = "arcadedb+sqlite"
SERVERS: Final = "neo4j+postgresql"
_GRAPH_SECONDS: Final = 90.0
# Of all that the supervisor starts, what answers requests and runs tasks.
_SITE: Final = ("gunicorn", "celery -A provexplorer --skip-checks worker")


@dataclass(slots=True)
class Provexplorer:
    """The product under test."""

    name: str
    product: Product
    headers: Mapping[str, str]
    _asked: Connection

    @property
    def port(self) -> int:
        return self.product.port

    def finds(self, told: Told) -> bool:
        uid = self._uid(told)
        answer = self._asked.json(f"/api/v1/answers/{uid}") if uid else None
        return answer is not None and answer["text"] == told.text

    def reaches_creator(self, told: Told) -> bool:
        """Whether the chain of the answer leads to who made what it was read from."""
        upstream = self._asked.json(f"/api/v1/nodes/{self._uid(told)}/upstream")
        kinds = {node["kind"] for node in upstream["nodes"]} if upstream else set()
        return kinds >= {"citation", "chunk", "document", "source_version", "source", "agent"}

    def processes(self) -> Collection[int]:
        process = self.product.process
        every = below([process.pid]) if process is not None else set()
        return {pid for pid in every if any(word in command_of(pid) for word in _SITE)}

    def _uid(self, told: Told) -> str:
        key = f"{told.trace_id}:{told.span_id}"
        found = self._asked.json("/api/v1/resolve", kind="answer", key=key)
        return str(found["items"][0]["uid"]) if found and found["items"] else ""


@contextmanager
def provexplorer(pair: str) -> Iterator[Provexplorer]:
    """The product on this pair of servers, with the collection that the traces read from."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="provexplorer-bench-")))
        environment: dict[str, str] = {}
        if pair == SERVERS:
            server = Neo4j.in_folder(folder / "neo4j")
            stack.enter_context(running(server, log=folder / "neo4j.log", seconds=_GRAPH_SECONDS))
            environment |= server.address.environment()
            environment |= stack.enter_context(postgres.cluster(tidied=False)).environment()
        product = Product(folder / "data", environment)
        product.start()
        stack.callback(product.stop)
        headers = {"Authorization": f"Bearer {product.new_key(slug='bench', scopes='ingest,read')}"}
        asked = Connection(product.port, headers)
        _load(asked)
        yield Provexplorer(f"Provexplorer, {pair}", product, headers, asked)


def _load(asked: Connection) -> None:
    body = json.dumps({"records": list(RagTraces("collection", at=0).collection())}).encode()
    status, answer = asked.ask(
        "POST", "/api/v1/records", body=body, headers={"Content-Type": "application/json"}
    )
    if status != http.HTTPStatus.OK or json.loads(answer)["rejected"]:
        sys.exit(f"the collection was not stored: {status} {answer[:500]!r}")
