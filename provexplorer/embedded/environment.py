"""The environment of the site's processes: what is configured, and secrets of the data folder for the rest."""

import os
from pathlib import Path
from typing import Final

from provexplorer.embedded.data_folder import DataFolder
from provexplorer.embedded.secret_files import secret

CHECKOUT: Final = Path(__file__).resolve().parents[2]
# One heap a thread, each with what its largest request left, is what the C library would give.
_ALLOCATOR: Final = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "262144"}


def default_folder() -> Path:
    """PROVEXPLORER_DATA_DIR, else var/ in the checkout."""
    return Path(os.environ.get("PROVEXPLORER_DATA_DIR") or CHECKOUT / "var")


def site_environment(folder: DataFolder) -> dict[str, str]:
    """Variables for provexplorer.settings: those given, completed for loopback from the folder.

    Secrets that are not given are made once and kept in the folder (mode 600).
    """
    environment = dict(os.environ)
    environment |= {
        "DJANGO_SETTINGS_MODULE": "provexplorer.settings",
        "PROVEXPLORER_DATA_DIR": str(folder.path),
        "PROVEXPLORER_LOOPBACK": "1",
        "PROVEXPLORER_STATIC_ROOT": str(folder.path / "static"),
        "PYTHONPATH": os.pathsep.join(
            part for part in (str(CHECKOUT), os.environ.get("PYTHONPATH", "")) if part
        ),
        "PYTHONUNBUFFERED": "1",
    }
    for name, value in _ALLOCATOR.items():
        environment.setdefault(name, value)
    if not environment.get("PROVEXPLORER_SECRET_KEY"):
        environment["PROVEXPLORER_SECRET_KEY"] = secret(folder.path / "secrets" / "site.key")
    if not environment.get("PROVEXPLORER_MASTER_KEY"):
        file = Path(environment.get("PROVEXPLORER_MASTER_KEY_FILE") or folder.path / "master.key")
        secret(file)
        environment["PROVEXPLORER_MASTER_KEY_FILE"] = str(file)
    return environment
