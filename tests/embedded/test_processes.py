"""Children end with their parent, and only our own leftovers are ended."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from provexplorer.embedded import processes
from provexplorer.embedded.processes import Identity

pytestmark = pytest.mark.engine_free
SLEEPER = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]
# Deaf to SIGTERM, with a child of its own whose pid it prints.
STUBBORN = [
    sys.executable, "-c",
    ("import signal, subprocess, sys, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "print(child.pid, flush=True)\n"
    "time.sleep(60)\n"),
]  # fmt: skip


def said(log: Path) -> str:
    assert processes.wait_until(lambda: log.exists() and bool(log.read_text()), seconds=20)
    return log.read_text().strip()


def gone(pid: int) -> bool:
    return processes.wait_until(lambda: processes.identity_of(pid) is None, seconds=10)


def test_somebody_else_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    sleeper = processes.start(SLEEPER, environment=os.environ, log=tmp_path / "log")
    said(tmp_path / "log")
    assert not processes.end_leftover(Identity(sleeper.pid, "another boot:1"))
    assert sleeper.poll() is None
    processes.stop(sleeper, grace=5)


def test_leftover_that_is_gone_is_no_fault() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert processes.identity_of(ended.pid) is None
    assert not processes.end_leftover(Identity(ended.pid, "whenever"))


def test_leftover_of_ours_is_ended(tmp_path: Path) -> None:
    sleeper = processes.start(SLEEPER, environment=os.environ, log=tmp_path / "log")
    said(tmp_path / "log")
    identity = processes.identity_of(sleeper.pid)
    assert identity is not None
    assert processes.end_leftover(identity)
    assert sleeper.wait(10) == -signal.SIGTERM


def test_deaf_child_is_killed_with_all_it_started(tmp_path: Path) -> None:
    stubborn = processes.start(STUBBORN, environment=os.environ, log=tmp_path / "log")
    grandchild = int(said(tmp_path / "log"))
    processes.stop(stubborn, grace=0.2)
    assert stubborn.returncode == -signal.SIGKILL
    assert gone(grandchild)


def test_child_that_obeys_is_not_killed(tmp_path: Path) -> None:
    sleeper = processes.start(SLEEPER, environment=os.environ, log=tmp_path / "log")
    said(tmp_path / "log")
    processes.stop(sleeper, grace=10)
    assert sleeper.returncode == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends orphans by itself")
def test_child_dies_when_its_parent_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "child"
    parent = subprocess.Popen(
        [sys.executable, "-c",
         ("import os, sys, time\n"
         "from pathlib import Path\n"
         "from provexplorer.embedded import processes\n"
         f"child = processes.start({SLEEPER!r}, environment=os.environ, log=Path({str(log)!r}))\n"
         "print(child.pid, flush=True)\n"
         "time.sleep(60)\n")],
        stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    said(log)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert gone(child)


def test_identity_tells_two_lives_apart() -> None:
    own = processes.identity_of(os.getpid())
    assert own == processes.identity_of(os.getpid())
    assert own is not None
    assert own != Identity(own.pid, own.began + "0")


def test_log_is_private(tmp_path: Path) -> None:
    sleeper = processes.start(SLEEPER, environment=os.environ, log=tmp_path / "logs" / "child.log")
    processes.stop(sleeper, grace=5)
    assert (tmp_path / "logs" / "child.log").stat().st_mode & 0o777 == 0o600
