"""One supervisor per folder; what a crash left is found and ended."""

import os
import sys
from pathlib import Path

import pytest

from provexplorer.embedded import processes
from provexplorer.embedded.data_folder import AlreadyRunning, DataFolder
from provexplorer.embedded.environment import site_environment
from provexplorer.embedded.processes import Identity
from provexplorer.embedded.secret_files import secret, write_private

pytestmark = pytest.mark.engine_free


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.at(tmp_path / "data")


def test_second_supervisor_is_told_where_the_first_serves(folder: DataFolder) -> None:
    held = folder.lock()
    folder.say_serving("http://127.0.0.1:8000", {"REDIS_URL": "redis://x"})
    with pytest.raises(AlreadyRunning) as running:
        folder.lock()
    assert running.value.address == "http://127.0.0.1:8000"
    os.close(held)


def test_second_supervisor_is_refused_while_the_first_still_starts(folder: DataFolder) -> None:
    held = folder.lock()
    with pytest.raises(AlreadyRunning) as running:
        folder.lock()
    assert running.value.address == ""
    os.close(held)


def test_lock_is_free_again_after_its_holder(folder: DataFolder) -> None:
    os.close(folder.lock())
    os.close(folder.lock())


def test_commands_reach_the_servers_of_a_running_supervisor_only(folder: DataFolder) -> None:
    held = folder.lock()
    folder.say_serving("http://127.0.0.1:8000", {"REDIS_URL": "redis://x"})
    assert folder.serving() == {"REDIS_URL": "redis://x"}
    os.close(held)  # as a crash would: the file stays
    assert folder.serving() == {}


def test_half_written_bookkeeping_is_no_fault(folder: DataFolder) -> None:
    write_private(folder.run / "processes.json", '{"processes": [{"pid": 1')
    assert folder.end_leftovers() == 0


def test_leftovers_are_ended_once_and_strangers_never(folder: DataFolder, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    left = processes.start(command, environment=os.environ, log=tmp_path / "log")
    identity = processes.identity_of(left.pid)
    assert identity is not None
    folder.remember_processes([identity, Identity(os.getpid(), "somebody else")])
    assert folder.end_leftovers() == 1
    assert left.wait(10) != 0
    assert folder.end_leftovers() == 0


def test_grown_log_is_put_aside(folder: DataFolder) -> None:
    log = folder.log("web")
    log.write_bytes(b"x" * (10 * 2**20 + 1))
    assert folder.log("web") == log
    assert not log.exists()
    assert log.with_suffix(".log.1").stat().st_size == 10 * 2**20 + 1


def test_secret_is_made_once_and_private(folder: DataFolder) -> None:
    file = folder.path / "secrets" / "site.key"
    first = secret(file)
    assert len(bytes.fromhex(first)) == 32
    assert secret(file) == first
    assert (mode(file), mode(folder.path)) == (0o600, 0o700)


def test_empty_secret_is_told_not_replaced(folder: DataFolder) -> None:
    file = folder.path / "master.key"
    write_private(file, "")
    with pytest.raises(ValueError, match=r"master\.key is empty"):
        secret(file)
    assert file.read_text() == ""


def test_private_file_is_replaced_whole(folder: DataFolder) -> None:
    file = folder.path / "file"
    write_private(file, "long text")
    write_private(file, "short")
    assert (file.read_text(), mode(file)) == ("short", 0o600)
    assert [path.name for path in folder.path.iterdir()] == ["file"]


def test_private_file_that_says_so_already_needs_no_room(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder.path / "file"
    write_private(file, "text")
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("written again"))
    write_private(file, "text")
    monkeypatch.undo()
    file.chmod(0o644)
    write_private(file, "text")
    assert (file.read_text(), mode(file)) == ("text", 0o600)


def test_environment_keeps_what_is_given(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVEXPLORER_SECRET_KEY", "given")
    monkeypatch.delenv("PROVEXPLORER_MASTER_KEY", raising=False)
    monkeypatch.setenv("PROVEXPLORER_MASTER_KEY_FILE", str(folder.path / "elsewhere"))
    environment = site_environment(folder)
    assert environment["PROVEXPLORER_SECRET_KEY"] == "given"
    assert environment["PROVEXPLORER_MASTER_KEY_FILE"] == str(folder.path / "elsewhere")
    assert mode(folder.path / "elsewhere") == 0o600
    assert not (folder.path / "secrets").exists()


def test_environment_makes_what_is_not_given(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SECRET_KEY", "MASTER_KEY", "MASTER_KEY_FILE"):
        monkeypatch.delenv(f"PROVEXPLORER_{name}", raising=False)
    environment = site_environment(folder)
    assert environment["PROVEXPLORER_SECRET_KEY"] == secret(folder.path / "secrets" / "site.key")
    assert environment["PROVEXPLORER_MASTER_KEY_FILE"] == str(folder.path / "master.key")
    assert environment == site_environment(folder)
