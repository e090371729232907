"""`provexplorer up` as a process: it says what is wrong, survives its children, and stops cleanly."""

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from provexplorer.embedded import processes
from provexplorer.embedded.processes import Identity
from tests.servers.product import Product, eventually

NewProduct = Callable[..., Product]

# What is embedded is the same beside every engine.
pytestmark = pytest.mark.engine_free


@pytest.fixture(scope="module")
def _installation(new_product: NewProduct) -> Product:
    return new_product()


@pytest.fixture
def product(_installation: Product) -> Product:
    """An installation that these tests share to save its start; serving, whatever was done to it."""
    if _installation.process is None or _installation.process.poll() is not None:
        _installation.start()
    return _installation


def children(product: Product) -> list[Identity]:
    listed = json.loads((product.folder / "run" / "processes.json").read_text())["processes"]
    return [Identity(entry["pid"], entry["began"]) for entry in listed]


def alive(identities: list[Identity]) -> list[Identity]:
    return [one for one in identities if processes.identity_of(one.pid) == one]


def descendants(pid: int) -> list[Identity]:
    """Every process below this one."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = {int(line.split()[0]): int(line.split()[1]) for line in listed.stdout.splitlines()}
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return [one for child in below - {pid} if (one := processes.identity_of(child))]


def ready(product: Product) -> bool:
    try:
        return product.request("GET", "/readyz", seconds=5).status == 200
    except OSError:
        return False


def assert_stops_everything(product: Product, sign: signal.Signals) -> None:
    assert product.process is not None
    below = descendants(product.process.pid)
    assert len(below) >= len(children(product)) > 0
    assert product.stop(sign=sign) == 0
    assert alive(below) == []
    with pytest.raises(OSError, match="refused"):
        product.request("GET", "/healthz")


def test_port_in_use_is_told_and_nothing_is_started(new_product: NewProduct) -> None:
    product = new_product()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", product.port))
        listener.listen()
        product.launch()
        assert product.process is not None
        assert product.process.wait(60) == 1
    assert product.output == f"Port {product.port} is in use; choose another with --port\n"
    assert not (product.folder / "graph").exists()


def test_child_that_cannot_start_is_told_with_its_log_and_all_is_stopped(
    new_product: NewProduct,
) -> None:
    product = new_product()
    product.environment["DATABASE_URL"] = f"sqlite:///{product.folder}/no/such/folder/x.sqlite3"
    product.launch()
    assert product.process is not None
    assert product.process.wait(120) == 1
    assert "prepare does not stay up: see" in product.output
    assert "unable to open database file" in product.output
    assert children(product) == []


def test_second_start_says_where_the_first_serves(product: Product) -> None:
    second = product.command("up", "--data-dir", str(product.folder), "--no-browser")
    assert second.returncode == 0
    expected = f"Provexplorer already runs at {product.base_url} on {product.folder}\n"
    assert second.stdout.decode() == expected


def test_everything_in_the_data_folder_is_its_owner_s_alone(product: Product) -> None:
    open_to_others = [
        str(path.relative_to(product.folder))
        for path in product.folder.rglob("*")
        if path.stat().st_mode & 0o077 and path.parts[len(product.folder.parts)] != "static"
    ]
    assert open_to_others == []


def test_no_secret_stands_in_a_command_line(product: Product) -> None:
    secrets = [path.read_text().strip() for path in (product.folder / "secrets").iterdir()]
    secrets.append((product.folder / "master.key").read_text().strip())
    listed = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True, check=True)
    assert [secret for secret in secrets if secret in listed.stdout] == []


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="asks Linux who listens")
def test_nothing_listens_beyond_loopback(product: Product) -> None:
    assert product.process is not None
    own = {one.pid for one in descendants(product.process.pid)} | {product.process.pid}
    inodes: set[str] = set()
    for pid in own:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            if match := re.match(r"socket:\[(\d+)\]", str(descriptor.readlink())):
                inodes.add(match[1])
    listening = []
    for table, loopback in (("tcp", {"0100007F"}), ("tcp6", {"0000000000000000FFFF00000100007F",
                                                             "00000000000000000000000001000000"})):  # fmt: skip
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                listening.append(fields[1].split(":")[0] in loopback)
    assert len(listening) >= 1
    assert all(listening)


def test_children_that_die_are_started_again(product: Product) -> None:
    before = children(product)
    for child in before:
        os.killpg(child.pid, signal.SIGKILL)
    assert eventually(lambda: not set(before) & set(children(product)), seconds=60)
    assert eventually(lambda: len(children(product)) == len(before) and ready(product), seconds=90)
    assert "web had ended and was started again" in product.output


def test_killed_group_leaves_nothing_and_the_next_start_recovers(product: Product) -> None:
    assert product.process is not None
    below = descendants(product.process.pid)
    assert len(below) >= len(children(product)) > 0
    product.kill()
    assert eventually(lambda: alive(below) == [], seconds=10)
    product.start()
    assert ready(product)


def test_signal_stops_everything(product: Product) -> None:
    assert_stops_everything(product, signal.SIGTERM)


def test_stop_while_starting_leaves_nothing(new_product: NewProduct) -> None:
    product = new_product()
    product.launch()
    bookkeeping = product.folder / "run" / "processes.json"
    assert eventually(bookkeeping.exists, seconds=60)
    below = children(product)
    assert product.stop() == 0
    assert alive(below) == []
    assert "Provexplorer serves" not in product.output


def test_commands_work_beside_the_running_site_and_after_it_was_interrupted(
    product: Product,
) -> None:
    key = product.new_key(slug="first")
    assert product.request("GET", "/api/v1/search?q=x", key=key).status == 200
    assert_stops_everything(product, signal.SIGINT)
    again = product.manage("create_workspace", "first")
    assert json.loads(again.stdout) == {"workspace": "first", "created": False}
    made = product.manage("create_workspace", "second")
    assert json.loads(made.stdout) == {"workspace": "second", "created": True}
