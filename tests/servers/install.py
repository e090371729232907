"""`make servers`: fetch Neo4j from Maven Central; on Debian as root install what is missing.

Never fails: what could not be had, tests.servers.suite lists as not run.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tests.servers import available, postgres
from tests.servers.neo4j import VERSION, jars_folder

_POM: Final = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>provexplorer</groupId><artifactId>servers</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""


def main() -> None:
    """Get everything that can be got."""
    wanted = _missing_packages()
    if wanted and os.geteuid() == 0 and shutil.which("apt-get"):
        _install(wanted)
    if not available.neo4j() and available.java() and shutil.which("mvn"):
        fetch_neo4j(jars_folder())


def _missing_packages() -> list[str]:
    packages = {
        "openjdk-17-jdk-headless": available.java(),
        "maven": shutil.which("mvn") is not None or available.neo4j(),
        "postgresql": postgres.binaries() is not None,
        "chromium": available.chromium() is not None,
    }
    return [name for name, present in packages.items() if not present]


def _install(packages: list[str]) -> None:
    print(f"Installing {', '.join(packages)}", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-qq", "-y", "-o", "Dpkg::Use-Pty=0"]
    updated = subprocess.run([*apt, "update"], env=environment, check=False)
    if updated.returncode == 0:
        for package in packages:  # one by one: one that is not to be had must not keep the others
            command = [*apt, "install", "--no-install-recommends", package]
            subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)


def fetch_neo4j(folder: Path) -> bool:
    """Copy Neo4j and what it needs into the folder, whole or not at all; whether it is there."""
    print(f"Fetching Neo4j {VERSION} from Maven Central", flush=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(_POM.format(version=VERSION), encoding="utf-8")
        jars = Path(scratch) / "jars"
        command = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
        fetched = subprocess.run(command, cwd=scratch, check=False)
        if fetched.returncode != 0:
            return False
        shutil.rmtree(folder, ignore_errors=True)
        jars.rename(folder)
    return True


if __name__ == "__main__":
    main()
