"""A real Neo4j on free loopback ports, from the jars that `make servers` fetches from Maven Central."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from provexplorer.embedded.graph_server import GraphAddress, bolt_answers
from provexplorer.embedded.ports import LOOPBACK, free_port

_CHECKOUT: Final = Path(__file__).resolve().parents[2]
VERSION: Final = "5.26.21"


def jars_folder() -> Path:
    """Where the jars are: PROVEXPLORER_NEO4J_JARS, else the cache of the checkout."""
    named = os.environ.get("PROVEXPLORER_NEO4J_JARS")
    return Path(named) if named else _CHECKOUT / ".servers" / f"neo4j-{VERSION}"


@dataclass(frozen=True, slots=True)
class Neo4j:
    """One server in a folder."""

    folder: Path
    bolt_port: int

    @classmethod
    def in_folder(cls, folder: Path) -> "Neo4j":
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, free_port())

    @property
    def address(self) -> GraphAddress:
        return GraphAddress(f"bolt://{LOOPBACK}:{self.bolt_port}", "neo4j", "unchecked", "neo4j")

    def command(self) -> list[str]:
        configuration = self.folder / "conf"
        configuration.mkdir(exist_ok=True)
        settings = {
            "server.bolt.listen_address": f"{LOOPBACK}:{self.bolt_port}",
            # Throw-away data on loopback: any password is accepted.
            "dbms.security.auth_enabled": "false",
            "server.http.enabled": "false",
            "server.https.enabled": "false",
            "server.memory.pagecache.size": "64m",
            "dbms.usage_report.enabled": "false",
            "server.config.strict_validation.enabled": "false",
        }
        (configuration / "neo4j.conf").write_text(
            "".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8"
        )
        jars = os.pathsep.join(sorted(str(jar) for jar in jars_folder().glob("*.jar")))
        return [
            "java",
            "-Xmx640m",
            "-XX:+UseSerialGC",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-cp",
            jars,
            "org.neo4j.server.CommunityEntryPoint",
            f"--home-dir={self.folder}",
            f"--config-dir={configuration}",
        ]

    def ready(self) -> bool:
        return bolt_answers(LOOPBACK, self.bolt_port)
