"""How much memory processes and their children hold now, as the kernel counts it (Linux)."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Memory:
    """MB resident: `rss` counts a page that several share for each of them, `pss` once altogether."""

    rss: float
    pss: float


def below(pids: Collection[int]) -> set[int]:
    """These processes and all that descend from them."""
    children: dict[int, list[int]] = {}
    for stat in _PROC.glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: set[int] = set()
    waiting = list(pids)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting.extend(children.get(pid, ()))
    return found


def command_of(pid: int) -> str:
    """The command line of a process; empty where it has ended."""
    try:
        return (_PROC / str(pid) / "cmdline").read_text(encoding="utf-8").replace("\0", " ")
    except OSError:
        return ""


def held(pids: Collection[int]) -> Memory:
    """What these processes hold."""
    rss = pss = 0
    for pid in pids:
        try:
            lines = (_PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue
        kilobytes = {line.partition(":")[0]: line.split()[1] for line in lines[1:]}
        rss += int(kilobytes["Rss"])
        pss += int(kilobytes["Pss"])
    return Memory(rss / 1024, pss / 1024)
