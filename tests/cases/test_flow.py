"""Cases on the running product: real workers, killed; editors who click at once."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cases.world import answer, world
from tests.servers.product import Product, eventually

ANSWERS = 60


@pytest.fixture
def key(stack: Product) -> str:
    """A key of a workspace of its own, whose answers all cite s1."""
    key = stack.new_key(slug=f"cases-flow-{os.getpid()}")
    records = world()
    for number in range(ANSWERS):
        records += answer(f"more-{number}", retrieved=["c1"], included=["c1"], cites=["c1"])
    sent = stack.request("POST", "/api/v1/records", body={"records": records}, key=key)
    assert sent.status in (200, 202), sent
    return key


def worker_processes(product: Product) -> list[int]:
    """The Celery worker of this installation with its pool: everything that runs its queue."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0")
            environment = (entry / "environ").read_bytes()
        except (OSError, ValueError):
            continue
        if b"worker" in command and str(product.folder).encode() in environment:
            found.append(int(entry.name))
    return found


def test_a_case_outlives_its_workers_and_is_approved_once(stack: Product, key: str) -> None:
    def post(path: str, body: object = None) -> Any:
        answered = stack.request("POST", f"/api/v1{path}", body=body or {}, key=key)
        assert answered.status in (200, 201), answered
        return answered.json()

    def case() -> Any:
        return stack.request("GET", f"/api/v1/cases/{uid}", key=key).json()

    targets = [{"kind": "source", "key": "s1"}]
    uid = post("/cases", {"kind": "retraction", "targets": targets, "reason": "flow"})["uid"]
    post(f"/cases/{uid}/dry-run")
    with ThreadPoolExecutor(8) as clicks:
        answers = list(clicks.map(lambda _: post(f"/cases/{uid}/approve"), range(8)))
    assert {one["uid"] for one in answers} == {uid}
    killed = worker_processes(stack)
    assert killed, "no worker was running"
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: case()["verified"], seconds=120), case()
    assert case()["progress"] == {"done": ANSWERS + 3, "total": ANSWERS + 3}
    assert case()["certificate"]["counts"]["states"] == {
        "stale": ANSWERS + 1, "review": 1, "current": 1,
    }  # fmt: skip
    undone = post(f"/cases/{uid}/reinstate", {"reason": "flow"})
    again = post(f"/cases/{uid}/reinstate", {"reason": "flow"})
    assert undone["uid"] == again["uid"]
