"""Relational databases with all migrations applied, made once a run and copied for whoever needs one.

An installation that finds its tables there starts in half of the time. How they are made from
nothing is shown by the tests of the demo and of the supervisor, which use none of this.
"""

import os
import secrets
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.servers import postgres
from tests.servers.handed_on import FOLDER
from tests.servers.product import CHECKOUT, OURS

DATABASES: Final = {"DATABASE_URL": "provexplorer", "KEYS_DATABASE_URL": "keys"}
_MIGRATE: Final = """
import django
django.setup()
from provexplorer.embedded.prepare import migrate_relational
migrate_relational()
"""


@dataclass(slots=True)
class Prepared:
    """The databases to copy, in a folder or, where the environment names one, in a cluster."""

    folder: Path
    _ready: bool = False

    @classmethod
    def of_this_run(cls, folder: Path) -> "Prepared":
        """Those that the suite has made for all of its parts, else new ones in the folder."""
        made = os.environ.get(FOLDER)
        return cls(Path(made), _ready=True) if made else cls(folder)

    def databases_for(self, data_folder: Path) -> dict[str, str]:
        """New databases for one installation, migrated; the variables that name them, if any.

        SQLite's files lie in the data folder, where an installation looks for its own.
        """
        cluster = os.environ.get("DATABASE_URL")
        if not self._ready:
            self.make(cluster)
        if cluster is None:
            self._copy_to(data_folder)
            return {}
        token = secrets.token_hex(6)
        return {
            variable: postgres.create_database(
                cluster, f"product_{token}_{name}", template=template(name)
            )
            for variable, name in DATABASES.items()
        }

    def files_for(self, data_folder: Path) -> None:
        """SQLite's files in the data folder, wherever this run has its own databases."""
        if not (self.folder / f"{DATABASES['DATABASE_URL']}.sqlite3").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            self.make(None)
        self._copy_to(data_folder)

    def _copy_to(self, data_folder: Path) -> None:
        data_folder.mkdir(parents=True, exist_ok=True)
        for name in DATABASES.values():
            copy = Path(shutil.copy(self.folder / f"{name}.sqlite3", data_folder))
            copy.chmod(0o600)  # as an installation makes its own

    def make(self, cluster: str | None) -> None:
        """Make them: files in the folder, or in the cluster that a database's URL leads to."""
        urls = {
            variable: postgres.create_database(cluster, template(name))
            if cluster
            else f"sqlite:///{self.folder / name}.sqlite3"
            for variable, name in DATABASES.items()
        }
        run_on(urls, self.folder, _MIGRATE)
        self._ready = True


def template(name: str) -> str:
    """The database of a cluster that is copied for one of this name."""
    return f"prepared_{name}"


def run_on(urls: dict[str, str], folder: Path, script: str, *arguments: str) -> str:
    """What Python says that runs this with a site's settings on these databases (variable → URL).

    Raises RuntimeError, with the end of what it complained of, where it fails.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    environment |= urls | {
        "DJANGO_SETTINGS_MODULE": "provexplorer.settings",
        "PROVEXPLORER_DATA_DIR": str(folder),
        "PROVEXPLORER_SECRET_KEY": secrets.token_hex(32),
    }
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, env=environment, cwd=CHECKOUT, capture_output=True, check=False)
    if done.returncode != 0:
        message = f"the databases could not be prepared:\n{done.stderr.decode()[-2000:]}"
        raise RuntimeError(message)
    return done.stdout.decode()
