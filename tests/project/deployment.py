"""Django's own judgement of the settings as production has them: `make check` fails at a warning.

Also: no model change without its migration.
"""

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
# What docker-compose.yml gives the site; nothing here is connected to.
PRODUCTION: Final = {
    "DJANGO_SETTINGS_MODULE": "provexplorer.settings",
    "PROVEXPLORER_SECRET_KEY": secrets.token_hex(32),
    "PROVEXPLORER_MASTER_KEY": secrets.token_hex(32),
    "PROVEXPLORER_ALLOWED_HOSTS": "provenance.example.org",
    "PROVEXPLORER_BEHIND_PROXY": "1",
    "DATABASE_URL": "postgresql://provexplorer:secret@127.0.0.1:1/provexplorer",
    "KEYS_DATABASE_URL": "postgresql://provexplorer:secret@127.0.0.1:1/keys",
    "NEO4J_URI": "bolt://127.0.0.1:1",
    "NEO4J_PASSWORD": "secret-secret",
    "REDIS_URL": "redis://127.0.0.1:1/0",
}


def environment(**changes: str) -> dict[str, str]:
    """The environment of production and nothing else of the product's."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PROVEXPLORER_", "DJANGO_"))
    }
    return kept | PRODUCTION | changes


def manage(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a management command in that environment."""
    return subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", *arguments],
        env=environment(**changes), cwd=CHECKOUT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def main() -> int:
    """0 if both are content."""
    status = 0
    # An SQLite file that is not there: the history of PostgreSQL cannot be asked here.
    nowhere = {"DATABASE_URL": "sqlite:///:memory:", "KEYS_DATABASE_URL": "sqlite:///:memory:"}
    for arguments, changes in (
        (("check", "--deploy", "--fail-level", "WARNING"), {}),
        (("makemigrations", "--check", "--dry-run"), nowhere),
    ):
        done = manage(*arguments, **changes)
        print(f"manage.py {' '.join(arguments)}: {'ok' if done.returncode == 0 else 'FAILED'}")
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
