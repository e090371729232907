"""What dies is started again, within bounds; what cannot start is told with its log."""

import errno
import os
import sys
from pathlib import Path

import pytest

from provexplorer.embedded import children, processes
from provexplorer.embedded.children import Child, ChildFailed, Children
from provexplorer.embedded.data_folder import DataFolder

pytestmark = pytest.mark.engine_free


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.at(tmp_path / "data")


def child(folder: DataFolder, code: str, *, ready: bool = True) -> Child:
    return Child(
        name="child",
        command=lambda: [sys.executable, "-c", code],
        environment=os.environ,
        ready=lambda: ready,
        directory=folder.path,
    )


def wait_dead(one: Child) -> None:
    assert processes.wait_until(lambda: not one.alive, seconds=20)


def test_child_that_ends_while_starting_is_told_with_its_log(folder: DataFolder) -> None:
    many = Children(folder)
    one = child(folder, "print('no port'); raise SystemExit(3)", ready=False)
    many.start(one)
    with pytest.raises(ChildFailed) as failure:
        many.wait_ready(one, seconds=20, tick=lambda: None)
    assert failure.value.log.read_text() == "no port\n"
    many.stop_all()


def test_child_that_is_never_ready_is_told_in_time(folder: DataFolder) -> None:
    many = Children(folder)
    one = child(folder, "import time; time.sleep(60)", ready=False)
    many.start(one)
    with pytest.raises(ChildFailed):
        many.wait_ready(one, seconds=0.3, tick=lambda: None)
    many.stop_all()
    assert not one.alive


def test_stop_while_waiting_gets_through(folder: DataFolder) -> None:
    many = Children(folder)
    one = child(folder, "import time; time.sleep(60)", ready=False)
    many.start(one)

    def stop_asked() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        many.wait_ready(one, seconds=20, tick=stop_asked)
    many.stop_all()


def test_child_that_keeps_dying_is_given_up(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "MOST_RESTARTS", 2)
    many = Children(folder)
    one = child(folder, "")
    many.start(one)
    for _ in range(2):
        wait_dead(one)
        assert many.revive() == ["child"]
    wait_dead(one)
    with pytest.raises(ChildFailed):
        many.revive()
    many.stop_all()


def test_killed_child_is_started_again_and_remembered(folder: DataFolder) -> None:
    many = Children(folder)
    one = child(folder, "import time; time.sleep(60)")
    many.start(one)
    first = one.process
    assert first is not None
    first.kill()
    first.wait()
    assert many.revive() == ["child"]
    assert one.alive
    assert one.process is not None
    assert one.process.pid != first.pid
    assert f'"pid": {one.process.pid}' in (folder.run / "processes.json").read_text()
    assert many.revive() == []
    many.stop_all()
    assert (folder.run / "processes.json").read_text() == '{"processes": []}'


def no_room(*_: object) -> list[str]:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_child_that_dies_of_a_full_disk_is_not_given_up(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "MOST_RESTARTS", 2)
    monkeypatch.setattr(children, "_NO_ROOM_SECONDS", 0.05)
    monkeypatch.setattr(DataFolder, "has_room", lambda _: False)
    many = Children(folder)
    one = child(folder, "")
    many.start(one)
    for _ in range(4):
        wait_dead(one)
        assert processes.wait_until(lambda: many.revive() == ["child"], seconds=20)
    monkeypatch.setattr(DataFolder, "has_room", lambda _: True)
    with pytest.raises(ChildFailed):  # noqa: PT012 - with room again, its own fault counts
        for _ in range(4):
            wait_dead(one)
            processes.wait_until(lambda: many.revive() == ["child"], seconds=20)
    many.stop_all()


def test_what_cannot_be_written_on_a_full_disk_is_written_later(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_NO_ROOM_SECONDS", 0.05)
    many = Children(folder)
    one = child(folder, "import time; time.sleep(60)")
    many.start(one)
    listed = folder.run / "processes.json"
    before = listed.read_text()
    command = one.command
    assert one.process is not None
    one.process.kill()
    wait_dead(one)
    # No room for what it is configured by, and then none for the list of who runs.
    one.command = no_room
    assert many.revive() == []
    one.command = command
    monkeypatch.setattr(DataFolder, "remember_processes", no_room)
    assert processes.wait_until(lambda: many.revive() == ["child"], seconds=20)
    assert one.alive
    assert listed.read_text() == before
    monkeypatch.undo()
    assert many.revive() == []
    assert f'"pid": {one.process.pid}' in listed.read_text()
    many.stop_all()


def test_youngest_stops_first(folder: DataFolder, tmp_path: Path) -> None:
    order = tmp_path / "order"
    code = (
        "import pathlib, signal, sys, time\n"
        "def end(*_):\n"
        "    with open({order!r}, 'a') as file: file.write({name!r})\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "pathlib.Path({up!r}).touch()\n"
        "time.sleep(60)\n"
    )
    many = Children(folder)
    for name in ("a", "b"):
        up = tmp_path / f"{name}-up"
        many.start(child(folder, code.format(order=str(order), name=name, up=str(up))))
        assert processes.wait_until(up.exists, seconds=20)
    many.stop_all()
    assert order.read_text() == "ba"
