"""Real servers for one measurement: a graph, a relational store, throw-away data, loopback only."""

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from provexplorer.embedded.graph_server import ArcadeDB
from tests.servers import available, postgres
from tests.servers.neo4j import Neo4j
from tests.servers.running import running

GRAPHS: Final = ("arcadedb", "neo4j")
RELATIONAL: Final = ("sqlite", "postgresql")
CHECKOUT: Final = Path(__file__).resolve().parents[1]
_GRAPH_SECONDS: Final = 90.0
# What must not leak into a measurement from the shell that starts it.
_OURS: Final = ("PROVEXPLORER_", "DATABASE_URL", "KEYS_DATABASE_URL", "NEO4J_", "REDIS_URL",
                "DJANGO_")  # fmt: skip


def lacking(graph: str, relational: str) -> str:
    """Why this machine cannot run a pair; empty if it can."""
    if graph == "neo4j" and not available.neo4j():
        return "no Neo4j (make servers) or no Java 17"
    if relational == "postgresql" and postgres.binaries() is None:
        return "no PostgreSQL"
    return ""


@contextmanager
def environment(graph: str, relational: str) -> Iterator[dict[str, str]]:
    """The environment of a process that measures on this pair of servers; they end with the block."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="provexplorer-bench-")))
        variables = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
        variables |= {
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "PROVEXPLORER_DATA_DIR": str(folder),
            "PROVEXPLORER_STATIC_ROOT": str(folder / "static"),
            "PROVEXPLORER_SECRET_KEY": secrets.token_hex(32),
            "PROVEXPLORER_MASTER_KEY": secrets.token_hex(32),
            "PROVEXPLORER_LOOPBACK": "1",
        }
        server: ArcadeDB | Neo4j
        if graph == "neo4j":
            server = Neo4j.in_folder(folder / "neo4j")
        else:
            server = ArcadeDB.in_folder(folder / "arcadedb", password=secrets.token_hex(16))
        stack.enter_context(running(server, log=folder / "graph.log", seconds=_GRAPH_SECONDS))
        variables |= server.address.environment()
        if relational == "postgresql":
            variables |= stack.enter_context(postgres.cluster(tidied=False)).environment()
        yield variables


def python(*module: str) -> list[str]:
    """A command that runs a module with this interpreter."""
    return [sys.executable, "-m", *module]
