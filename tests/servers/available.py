"""What this machine has of the servers and programs that some tests want."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.servers import postgres
from tests.servers.neo4j import jars_folder

_JAVA: Final = 17
_CHROMIUM_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium() -> str | None:
    """The path of a Chromium: PROVEXPLORER_CHROMIUM, else the system's."""
    named = os.environ.get("PROVEXPLORER_CHROMIUM")
    if named:
        return named
    return next((path for name in _CHROMIUM_NAMES if (path := shutil.which(name))), None)


def java() -> bool:
    """Whether `java` is 17 or newer."""
    if shutil.which("java") is None:
        return False
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', said.stderr)
    return version is not None and int(version[1]) >= _JAVA


def neo4j() -> bool:
    """Whether Neo4j can be started: its jars and a Java to run them."""
    return any(Path(jars_folder()).glob("neo4j-server-*.jar")) and java()


def missing() -> dict[str, str]:
    """What does not run here, and what it lacks."""
    lacking = {
        "on Neo4j 5.26": "" if neo4j() else "Java 17 with Maven, or its jars",
        "on PostgreSQL": "" if postgres.binaries() else "PostgreSQL",
        "in a browser": "" if chromium() else "Chromium",
    }
    return {what: lacks for what, lacks in lacking.items() if lacks}
