"""Backups of an installation's main database, and their restore: as people who run one make them."""

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from tests.servers import postgres
from tests.servers.product import Product

_MAIN = "provexplorer.sqlite3"


def back_up(product: Product, to: Path) -> None:
    """The main database as it is now, of a product that serves, in one file that is not packed."""
    if url := product.environment.get("DATABASE_URL"):
        _run("pg_dump", "--format=custom", "--compress=0", f"--file={to}", url)
        return
    main = product.folder / _MAIN
    with closing(sqlite3.connect(main)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)


def restore(product: Product, backup: Path) -> None:
    """Put the backup in the place of the main database, of a product that does not run."""
    if url := product.environment.get("DATABASE_URL"):
        # All of it or nothing: what has come since goes with the tables that it was in.
        _run(
            "pg_restore",
            "--clean",
            "--if-exists",
            "--single-transaction",
            f"--dbname={url}",
            backup,
        )
        return
    for left in (f"{_MAIN}-wal", f"{_MAIN}-shm"):
        (product.folder / left).unlink(missing_ok=True)
    shutil.copyfile(backup, product.folder / _MAIN)


def _run(program: str, *arguments: str | Path) -> None:
    folder = postgres.binaries()
    assert folder is not None  # a cluster of it is running
    done = subprocess.run([folder / program, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
