"""A throw-away PostgreSQL cluster on a free loopback port, from the system's binaries."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from provexplorer.embedded.ports import LOOPBACK, free_port
from provexplorer.embedded.processes import die_with_parent, wait_until

_WHERE_DEBIAN_KEEPS_THEM: Final = Path("/usr/lib/postgresql")
_USER: Final = "provexplorer"
_START_SECONDS: Final = 60.0
_PASSWORD: Final = "password"
# Every test leaves its rows behind as dead ones, through which the next would have to read.
_TIDIED: Final = (
    "-c", "autovacuum_naptime=6s", "-c", "autovacuum_vacuum_scale_factor=0",
    "-c", "autovacuum_vacuum_threshold=500", "-c", "autovacuum_vacuum_cost_delay=0",
)  # fmt: skip


def binaries() -> Path | None:
    """The folder of initdb and postgres, the newest version; None where there is none."""
    versions = sorted(
        _WHERE_DEBIAN_KEEPS_THEM.glob("*/bin/initdb"),
        key=lambda initdb: float(initdb.parts[-3]),
    )
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found and shutil.which("postgres") else None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster."""

    port: int
    password: str

    def url(self, name: str) -> str:
        """The URL of a database of this cluster."""
        return f"postgresql://{_USER}:{self.password}@{LOOPBACK}:{self.port}/{name}"

    def environment(self) -> dict[str, str]:
        """The variables by which provexplorer.settings finds both databases."""
        return {
            "DATABASE_URL": self.url("provexplorer"),
            "KEYS_DATABASE_URL": self.url("keys"),
        }


def create_database(url: str, name: str, *, template: str = "template1") -> str:
    """A new database in the cluster of `url`, a copy of the template; its URL."""
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))
    return url.rpartition("/")[0] + f"/{name}"


@contextmanager
def cluster(
    like: Path | None = None, *, tidied: bool = True, within: Path | None = None
) -> Iterator[Cluster]:
    """A cluster with the databases `provexplorer` and `keys`, gone afterwards.

    `like`: where one was kept (`kept_in`), with whatever its databases have. `tidied`: dead rows
    are looked for every few seconds, else as PostgreSQL does unless told otherwise. `within`: a folder
    that everybody may enter, to make its own in.
    Raises RuntimeError where PostgreSQL is not installed.
    """
    with _folder(within) as folder:
        if like is not None:
            shutil.copytree(like, folder, dirs_exist_ok=True)
            _give(folder)
        serving = _new if like is None else _serving
        with serving(folder, tidied=tidied) as found:
            yield found


@contextmanager
def kept_in(kept: Path) -> Iterator[Cluster]:
    """A new cluster, the files of which lie in that folder afterwards, for others to begin with."""
    with _folder() as folder:
        with _new(folder, tidied=True) as found:
            yield found
        shutil.copytree(folder, kept)


@contextmanager
def _folder(within: Path | None = None) -> Iterator[Path]:
    """A folder that belongs to whom the server runs as: initdb refuses root."""
    folder = Path(tempfile.mkdtemp(prefix="provexplorer-postgres-", dir=within))
    try:
        _give(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _give(path: Path) -> None:
    if user := _unprivileged_user():
        for each in (path, *path.rglob("*")):
            shutil.chown(each, user)


@contextmanager
def _new(folder: Path, *, tidied: bool) -> Iterator[Cluster]:
    password_file = folder / _PASSWORD
    password_file.write_text(secrets.token_hex(16), encoding="ascii")
    password_file.chmod(0o600)
    _give(password_file)
    subprocess.run(
        [_programs() / "initdb", "-D", folder / "data", "-U", _USER, "-E", "UTF8", "--no-locale",
         "--auth=scram-sha-256", f"--pwfile={password_file}"],
        check=True, capture_output=True, user=_unprivileged_user(), cwd=folder,
    )  # fmt: skip
    with _serving(folder, tidied=tidied) as found:
        for name in ("provexplorer", "keys"):
            create_database(found.url("postgres"), name)
        yield found


@contextmanager
def _serving(folder: Path, *, tidied: bool) -> Iterator[Cluster]:
    """The server of the folder's data, on a free port."""
    found = Cluster(free_port(), (folder / _PASSWORD).read_text(encoding="ascii"))
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            # Data that nobody keeps need not survive a power cut.
            [_programs() / "postgres", "-D", folder / "data", "-h", LOOPBACK, "-p", str(found.port),
             "-k", folder, "-c", "fsync=off", "-c", "full_page_writes=off",
             "-c", "synchronous_commit=off", "-c", "max_connections=200",
             *(_TIDIED if tidied else ())],
            stdout=log, stderr=subprocess.STDOUT, user=_unprivileged_user(), cwd=folder,
            preexec_fn=die_with_parent,
        )  # fmt: skip
    try:
        _wait_for(found, server, folder / "log")
        yield found
    finally:
        server.send_signal(signal.SIGINT)  # "fast": ends sessions, then itself
        server.wait(30)


def _programs() -> Path:
    programs = binaries()
    if programs is None:
        message = "PostgreSQL is not installed"
        raise RuntimeError(message)
    return programs


def _unprivileged_user() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _wait_for(found: Cluster, server: "subprocess.Popen[bytes]", log: Path) -> None:
    def answers() -> bool:
        try:
            psycopg.connect(found.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return server.poll() is not None
        return True

    wait_until(answers, seconds=_START_SECONDS)
    if server.poll() is not None:
        message = f"PostgreSQL did not start:\n{log.read_text(encoding='utf-8')[-2000:]}"
        raise RuntimeError(message)
