"""The disk of a whole installation fills up while it is at work: 503 at worst, and afterwards all is there once."""

import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.faults import parts
from tests.faults.insider import Insider
from tests.faults.senders import Senders, accepted, deliver, told_when
from tests.faults.test_any_part_dies_under_a_case import approve, ready_case, work
from tests.servers.product import Answer, Product, eventually
from tests.thorough import long_only

pytestmark = [pytest.mark.one_pair, long_only]

# More than an installation takes that has just started (a quarter of it), and soon filled.
_MEGABYTES: Final = 128
_FULL_SECONDS: Final = 30.0
# No answer takes longer, whatever is full.
_PATIENCE: Final = 30.0
_CASE: Final = "full"


@contextlib.contextmanager
def small_disk(at: Path) -> Iterator[None]:
    """A file system of its own at this folder; skips the test where none can be mounted."""
    options = f"size={_MEGABYTES}m,mode=0700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(at)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no tmpfs can be mounted here: no mount")
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=True)


@pytest.fixture
def cramped(new_product: Callable[..., Product], tmp_path: Path) -> Iterator[Product]:
    """An installation that has all its files on a small disk, running."""
    product = new_product()
    with small_disk(tmp_path):
        for each in product.folder.iterdir():
            shutil.move(each, tmp_path)
        product.folder = tmp_path
        product.start()
        try:
            yield product
        finally:
            assert product.process is not None
            if product.process.poll() is None:
                product.stop()


def fill(disk: Path) -> None:
    """Add to the ballast until not a page is left."""
    with (disk / "ballast").open("ab", buffering=0) as ballast:
        for piece in (1 << 20, 1 << 16, 1 << 12):
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(bytes(piece))


def read_and_approve(product: Product, uid: str, path: str) -> bool:
    """What is asked of an installation that has no room; whether the case was approved.

    Reads answer as ever; those that need the graph, and whoever would write, may be told to wait.
    """

    def asked(method: str, path: str, body: object = None) -> Answer:
        answer = product.request(method, path, body=body, seconds=_PATIENCE)
        assert answer.status == 200 or told_when(answer), (path, answer)
        return answer

    assert asked("GET", "/healthz").status == 200
    assert asked("GET", f"{path}/impact?limit=5").status == 200
    assert asked("GET", f"/api/v1/cases/{uid}").status == 200
    asked("GET", f"{path}/downstream")
    return asked("POST", f"/api/v1/cases/{uid}/approve", {}).status == 200


def while_full(product: Product, uid: str, path: str) -> bool:
    """Keep the disk full for a while, and ask meanwhile; whether the case was approved."""
    end, approved = time.monotonic() + _FULL_SECONDS, False
    while time.monotonic() < end:
        fill(product.folder)
        approved = read_and_approve(product, uid, path) or approved
        time.sleep(0.5)
    return approved


@pytest.fixture
def insider(cramped: Product) -> Iterator[Insider]:
    """Who answers from within it."""
    with contextlib.closing(Insider(cramped)) as one:
        yield one


def test_what_was_acknowledged_outlives_a_full_disk(cramped: Product, insider: Insider) -> None:
    cramped.api_key = cramped.new_key(slug=_CASE)
    uid = ready_case(cramped, _CASE, "retraction")
    found = cramped.request("GET", f"/api/v1/resolve?kind=source&key={_CASE}").json()["items"]
    path = f"/api/v1/nodes/{found[0]['uid']}"
    sending = replace(cramped, api_key=cramped.new_key(slug="sending", scopes="ingest,read"))
    senders = Senders(sending)
    try:
        senders.go_on(3)
        approved = while_full(cramped, uid, path)
        # Whoever dies now comes back: at once, or when there is room for what it writes.
        for part in ("worker", "broker", "graph"):
            parts.kill(cramped, part)
        approved = while_full(cramped, uid, path) or approved
        refused = {one.messages.__name__: one.again - one.unheard for one in senders.each}
        assert all(refused.values()), refused
        (cramped.folder / "ballast").unlink()
        senders.go_on(3)
    finally:
        senders.stop()
    assert [one.unheard for one in senders.each] == [0] * len(senders.each)
    assert cramped.process is not None
    assert cramped.process.poll() is None
    assert eventually(lambda: cramped.request("GET", "/readyz").status == 200, seconds=90)

    # What was refused could be sent again, and what was acknowledged is there, once.
    acknowledged = list(senders.acknowledged())
    made = {each for message in acknowledged for each in message.makes}
    insider.has_once("sending", made, seconds=120)
    for message in acknowledged[:: max(1, len(acknowledged) // 9)]:
        assert accepted(deliver(sending, message))

    # The case ends as any other.
    if not approved:
        approve(cramped, uid)

    def state() -> str:
        return str(cramped.request("GET", f"/api/v1/cases/{uid}").json()["state"])

    assert eventually(lambda: state() == "verified", seconds=120), state()
    insider.holds(_CASE, work(_CASE), [[uid, "retraction", [["source", _CASE]]]])
