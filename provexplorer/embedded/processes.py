"""Child processes that end with their parent, and can be recognised after a crash.

A pid alone says nothing after a crash: it may belong to somebody else by then. An
Identity is a pid with the instant its process began, so that only our own are ended.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_POLL_SECONDS: Final = 0.05
# Loaded here because nothing may be imported between fork and exec.
_LIBC: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class Identity:
    """A process: its pid and when it began, in the words of its system."""

    pid: int
    began: str


def identity_of(pid: int) -> Identity | None:
    """Who has this pid now; None if nobody, or only a zombie."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            # The name in field 2 may hold spaces and brackets: count from its end.
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        except OSError:
            return None
        return None if fields[0] in "ZX" else Identity(pid, f"{boot}:{fields[19]}")
    listed = subprocess.run(  # noqa: S603 - fixed words and a number
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    began = listed.stdout.strip()
    return Identity(pid, began) if began else None


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends (Linux; elsewhere nothing)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def start(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    log: Path,
    pass_fds: Sequence[int] = (),
    directory: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own, its output appended to `log` (mode 600).

    A session of its own keeps the terminal's Ctrl-C from it: its parent stops it in order.
    """
    parent = os.getpid()

    def _before_exec() -> None:
        die_with_parent()
        if os.getppid() != parent:  # the parent ended before the kernel was asked
            os._exit(1)

    with _log_file(log) as output:
        return subprocess.Popen(  # noqa: S603 - commands of our own
            list(command),
            env=dict(environment),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=tuple(pass_fds),
            start_new_session=True,
            preexec_fn=_before_exec,  # noqa: PLW1509 - two system calls, no locks
        )


class _log_file:  # noqa: N801 - used as a function
    """The log opened for appending, created with mode 600."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __enter__(self) -> int:
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def stop(process: subprocess.Popen[bytes], *, grace: float) -> None:
    """SIGTERM, up to `grace` seconds, then SIGKILL to the child and all it started."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    _kill_group(process.pid)
    process.wait()


def end_leftover(left: Identity, *, grace: float = 5.0) -> bool:
    """End a process of an earlier run, with its group; False if it is gone or somebody else's."""
    if identity_of(left.pid) != left:
        return False
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(left.pid, sign)
        except (ProcessLookupError, PermissionError):
            break
        if wait_until(lambda: identity_of(left.pid) != left, seconds=grace):
            break
    _kill_group(left.pid)
    return True


def wait_until(true: Callable[[], bool], *, seconds: float) -> bool:
    """Whether `true()` became true within `seconds`."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
