"""The data folder of one installation: where things lie, and who runs in it.

provexplorer.sqlite3, keys.sqlite3   relational stores (without database URLs)
graph/, broker/                      embedded servers
secrets/, master.key                 made at the first start, mode 600
logs/                                one file per child
run/                                 lock, address and processes of the running supervisor
"""

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from provexplorer.embedded.processes import Identity, end_leftover
from provexplorer.embedded.secret_files import private_folder, write_private

_LOG_BYTES: Final = 10 * 2**20
# What each child may write before it serves.
_ROOM_BYTES: Final = 8 * 2**20
# Why a file cannot be written that could be before: a disk or a share of it that is full, or was made read-only.
NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class AlreadyRunning(Exception):
    """Another supervisor holds the folder; `address` is where it serves ("" while it starts)."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths in the folder, and the bookkeeping of its supervisor."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> "DataFolder":
        """The folder, made (mode 700) where it is not there."""
        return cls(private_folder(path.absolute()))

    @property
    def run(self) -> Path:
        return self.path / "run"

    def log(self, name: str) -> Path:
        """The log of a child; what an earlier run left is put aside when it grew large."""
        log = private_folder(self.path / "logs") / f"{name}.log"
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
        return log

    def has_room(self) -> bool:
        """Whether its disk has room for what a child writes while it starts."""
        return shutil.disk_usage(self.path).free > _ROOM_BYTES

    def lock(self) -> int:
        """Become the folder's only supervisor until this process ends; raises AlreadyRunning.

        The kernel drops the lock with its holder, so a crash leaves nothing to clean.
        """
        private_folder(self.run)
        descriptor = os.open(self.run / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise AlreadyRunning(str(self._read("serving.json").get("address", ""))) from None
        return descriptor

    def remember_processes(self, processes: Iterable[Identity]) -> None:
        """Write down the children, so that the next start can end what a crash left."""
        listed = [asdict(process) for process in processes]
        write_private(self.run / "processes.json", json.dumps({"processes": listed}))

    def end_leftovers(self) -> int:
        """End children of an earlier supervisor that still run; how many those were."""
        listed = self._read("processes.json").get("processes", [])
        left = [Identity(int(entry["pid"]), str(entry["began"])) for entry in listed]
        ended = sum(end_leftover(process) for process in left)
        (self.run / "processes.json").unlink(missing_ok=True)
        return ended

    def say_serving(self, address: str, environment: Mapping[str, str]) -> None:
        """Write down where the site is, and the environment by which commands reach its servers."""
        document = {"address": address, "environment": dict(environment)}
        write_private(self.run / "serving.json", json.dumps(document))

    def say_stopped(self) -> None:
        (self.run / "serving.json").unlink(missing_ok=True)

    def serving(self) -> dict[str, str]:
        """The environment of the supervisor that runs here; empty if none does."""
        try:
            os.close(self.lock())
        except AlreadyRunning:
            environment = self._read("serving.json").get("environment", {})
            return {str(name): str(value) for name, value in environment.items()}
        return {}

    def _read(self, name: str) -> dict[str, Any]:
        try:
            document = json.loads((self.run / name).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return document if isinstance(document, dict) else {}
