"""ArcadeDB from its wheel, with the Java runtime inside it: the graph when no NEO4J_URI is set."""

import http
import http.client
import importlib.util
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from provexplorer.embedded.ports import LOOPBACK, free_port
from provexplorer.embedded.secret_files import private_folder, write_private

DATABASE: Final = "neo4j"
USER: Final = "root"
_DEFAULT_HEAP: Final = "768m"
_BOLT_HELLO: Final = b"\x60\x60\xb0\x17" + bytes((0, 4, 4, 5)) + bytes((0, 4, 4, 4)) + bytes(8)


@dataclass(frozen=True, slots=True)
class GraphAddress:
    """How to reach a graph server over Bolt."""

    uri: str
    user: str
    password: str
    database: str

    def environment(self) -> dict[str, str]:
        """The variables by which provexplorer.settings finds it."""
        return {
            "NEO4J_URI": self.uri,
            "NEO4J_USER": self.user,
            "NEO4J_PASSWORD": self.password,
            "NEO4J_DATABASE": self.database,
        }


@dataclass(frozen=True, slots=True)
class ArcadeDB:
    """One ArcadeDB server in a folder: its command, its address, whether it is ready."""

    folder: Path
    bolt_port: int
    http_port: int
    password: str

    @classmethod
    def in_folder(cls, folder: Path, *, password: str) -> "ArcadeDB":
        """A server on two free ports; the password holds from the folder's first start on."""
        private_folder(folder)
        return cls(folder, free_port(), free_port(), password)

    @property
    def address(self) -> GraphAddress:
        return GraphAddress(f"bolt://{LOOPBACK}:{self.bolt_port}", USER, self.password, DATABASE)

    def command(self) -> list[str]:
        """The command line; the password stands in a file of mode 600, not among the arguments."""
        package = _package_folder()
        jars = sorted(str(jar) for jar in (package / "jars").glob("*.jar"))
        settings = {
            "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "server.mode": "production",
            "server.rootPath": str(self.folder),
            "server.rootPassword": self.password,
            "server.defaultDatabases": f"{DATABASE}[{USER}]",
            "server.httpIncomingHost": LOOPBACK,
            "server.httpIncomingPort": str(self.http_port),
            "bolt.host": LOOPBACK,
            "bolt.port": str(self.bolt_port),
        }
        arguments = [
            f"-Xmx{os.environ.get('PROVEXPLORER_GRAPH_HEAP', _DEFAULT_HEAP)}",
            "-XX:+ExitOnOutOfMemoryError",
            "-Djava.awt.headless=true",
            "--add-modules=jdk.incubator.vector",
            "--add-exports=java.management/sun.management=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
            "--add-opens=java.base/java.nio.channels.spi=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            *(f"-Darcadedb.{name}={value}" for name, value in settings.items()),
            "-cp",
            os.pathsep.join(jars),
        ]
        file = self.folder / "java.arguments"
        write_private(file, "".join(f"{_quoted(argument)}\n" for argument in arguments))
        java = package / "jre" / "bin" / "java"
        return [str(java), f"@{file}", "com.arcadedb.server.ArcadeDBServer"]

    def ready(self) -> bool:
        """Whether its database is open and Bolt answers (Bolt listens before there is a database)."""
        connection = http.client.HTTPConnection(LOOPBACK, self.http_port, timeout=2)
        try:
            connection.request("GET", "/api/v1/ready")
            online = connection.getresponse().status == http.HTTPStatus.NO_CONTENT
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return online and bolt_answers(LOOPBACK, self.bolt_port)


def bolt_answers(host: str, port: int, *, seconds: float = 2.0) -> bool:
    """Whether a server there agrees on a version of Bolt."""
    try:
        with socket.create_connection((host, port), timeout=seconds) as connection:
            connection.sendall(_BOLT_HELLO)
            return connection.recv(4) not in (b"", bytes(4), b"HTTP")
    except OSError:
        return False


def _package_folder() -> Path:
    found = importlib.util.find_spec("arcadedb_embedded")
    if found is None or found.origin is None:
        message = (
            "No graph server: set NEO4J_URI, or install the extra `embedded` "
            "(arcadedb-embedded has wheels for Linux, macOS and Windows)."
        )
        raise RuntimeError(message)
    return Path(found.origin).parent


def _quoted(argument: str) -> str:
    """An argument as Java's argument files want it."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
