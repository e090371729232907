"""The disk of a whole installation fills up while it is at work: 503 at worst, and afterwards all is there once."""

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from tests.faults import parts
from tests.faults.insider import Insider
from tests.faults.senders import Senders, accepted, deliver, told_when
from tests.faults.test_any_part_dies_under_a_case import approve, ready_case, work
from tests.servers import postgres
from tests.servers.prepared import DATABASES, Prepared, template
from tests.servers.product import Answer, Product, eventually
from tests.thorough import long_only

pytestmark = [pytest.mark.one_pair, long_only]

# More than an installation takes that has just started (a quarter of it), and soon filled; and than a
# new cluster takes with its log.
_MEGABYTES: Final = 128
_OF_A_CLUSTER: Final = 384
_FULL_SECONDS: Final = 30.0
# No answer takes longer, whatever is full.
_PATIENCE: Final = 30.0
_CASE: Final = "full"
_BALLAST: Final = "ballast"


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of its own, which everybody may enter; skips the test where none can be mounted."""
    at = tempfile.mkdtemp(prefix="provexplorer-small-disk-")
    options = f"size={megabytes}m,mode=0755"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", at]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no tmpfs can be mounted here: no mount")
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    try:
        yield Path(at)
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)
        Path(at).rmdir()


@dataclass(frozen=True, slots=True)
class Cramped:
    """A running installation that has all its files on small disks."""

    product: Product
    disks: tuple[Path, ...]

    def fill(self) -> None:
        """Add to the ballast until not a page is left."""
        for disk in self.disks:
            with (disk / _BALLAST).open("ab", buffering=0) as ballast:
                for piece in (1 << 20, 1 << 16, 1 << 12):
                    with contextlib.suppress(OSError):
                        while True:
                            ballast.write(bytes(piece))

    def make_room(self) -> None:
        for disk in self.disks:
            (disk / _BALLAST).unlink(missing_ok=True)


@pytest.fixture
def cramped(new_product: Callable[..., Product], tmp_path: Path) -> Iterator[Cramped]:
    """With a cluster of its own, on another small disk, where this run is on PostgreSQL."""
    product = new_product()
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(small_disk(_MEGABYTES))]
        folder = disks[0] / "data"
        shutil.move(product.folder, folder)
        product.folder = folder
        if "DATABASE_URL" in product.environment:
            disks.append(stack.enter_context(small_disk(_OF_A_CLUSTER)))
            own = stack.enter_context(postgres.cluster(within=disks[1]))
            Prepared(tmp_path).make(own.url("postgres"))
            for variable, name in DATABASES.items():
                product.environment[variable] = own.url(template(name))
        product.start()
        try:
            yield Cramped(product, tuple(disks))
        finally:
            assert product.process is not None
            if product.process.poll() is None:
                product.stop()


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


def while_full(cramped: Cramped, uid: str, path: str) -> bool:
    """Keep the disk full for a while, and ask meanwhile; whether the case was approved."""
    end, approved = time.monotonic() + _FULL_SECONDS, False
    while time.monotonic() < end:
        cramped.fill()
        approved = read_and_approve(cramped.product, uid, path) or approved
        time.sleep(0.5)
    return approved


@pytest.fixture
def insider(cramped: Cramped) -> Iterator[Insider]:
    """Who answers from within it."""
    with contextlib.closing(Insider(cramped.product)) as one:
        yield one


def test_what_was_acknowledged_outlives_a_full_disk(cramped: Cramped, insider: Insider) -> None:
    product = cramped.product
    product.api_key = product.new_key(slug=_CASE)
    uid = ready_case(product, _CASE, "retraction")
    found = product.request("GET", f"/api/v1/resolve?kind=source&key={_CASE}").json()["items"]
    path = f"/api/v1/nodes/{found[0]['uid']}"
    sending = replace(product, api_key=product.new_key(slug="sending", scopes="ingest,read"))
    senders = Senders(sending)
    try:
        senders.go_on(3)
        approved = while_full(cramped, uid, path)
        # Whoever dies now comes back: at once, or when there is room for what it writes.
        own_graph = ("graph",) if "NEO4J_URI" not in product.environment else ()
        for part in ("worker", "broker", *own_graph):
            parts.kill(product, part)
        approved = while_full(cramped, uid, path) or approved
        refused = {one.messages.__name__: one.again - one.unheard for one in senders.each}
        assert all(refused.values()), refused
        cramped.make_room()
        senders.go_on(3)
    finally:
        cramped.make_room()  # nobody stops whose last message is refused
        senders.stop()
    assert [one.unheard for one in senders.each] == [0] * len(senders.each)
    assert product.process is not None
    assert product.process.poll() is None
    assert eventually(lambda: product.request("GET", "/readyz").status == 200, seconds=90)

    # What was refused could be sent again, and what was acknowledged is there, once.
    acknowledged = list(senders.acknowledged())
    made = {each for message in acknowledged for each in message.makes}
    insider.has_once("sending", made, seconds=120)
    for message in acknowledged[:: max(1, len(acknowledged) // 9)]:
        assert accepted(deliver(sending, message))

    # The case ends as any other.
    if not approved:
        approve(product, uid)

    def state() -> str:
        return str(product.request("GET", f"/api/v1/cases/{uid}").json()["state"])

    assert eventually(lambda: state() == "verified", seconds=120), state()
    insider.holds(_CASE, work(_CASE), [[uid, "retraction", [["source", _CASE]]]])
