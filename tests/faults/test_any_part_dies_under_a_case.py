"""A case is approved, and each part of the installation dies or forgets at its worst moment: the end is exact."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.faults import parts
from tests.faults.insider import Insider
from tests.servers.passage import Passage
from tests.servers.product import Product, eventually
from tests.thorough import long_only

pytestmark = pytest.mark.one_pair

ANSWERS: Final = 12
SENTENCE: Final = "Nothing lasts."
_SLUG: Final = "dying"

# Approves a case and dies when the task would be sent: after the commit, before the broker hears of it.
_APPROVED_AND_KILLED: Final = """
import os, signal, sys
from lineage import outbox
from lineage.cases import workflow
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace

workspace = Workspace.objects.get(slug={slug!r})
viewer = Viewer(workspace_id=workspace.pk, hash_key=workspace.hash_key, slug=workspace.slug,
                scopes=frozenset(("read", "operate", "edit")))
outbox._send_now = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
workflow.approve(viewer, {uid!r})
"""


def work(name: str) -> list[dict[str, Any]]:
    """A work, and answers that each cite it or have it in context."""
    made: list[dict[str, Any]] = [
        {"kind": "source", "key": name, "title": name},
        {"kind": "source_version", "key": f"{name}@1", "source": name, "text": SENTENCE},
        {"kind": "document", "key": f"{name}-doc", "source_version": f"{name}@1", "text": SENTENCE},
        {"kind": "chunk", "key": f"{name}-c", "document": f"{name}-doc",
         "interval": {"start": 0, "end": 14}},
    ]  # fmt: skip
    for n in range(ANSWERS):
        key = f"{name}-a{n}"
        made += [
            {"kind": "context", "key": f"x-{key}", "items": [{"chunk": f"{name}-c", "position": 1}]},
            {"kind": "answer", "key": key, "context": f"x-{key}", "text": f"{SENTENCE} [1] {n}"},
            {"kind": "claim", "key": f"k-{key}", "answer": key, "interval": {"start": 0, "end": 14}},
        ]  # fmt: skip
        if n % 2:
            made.append({"kind": "citation", "key": f"q-{key}", "claim": f"k-{key}",
                         "marker": "[1]", "position": 1})  # fmt: skip
    return made


def ready_case(product: Product, name: str, kind: str) -> str:
    """A case on a work of its own, tried out and not yet approved."""
    sent = product.request("POST", "/api/v1/records", body={"records": work(name)})
    assert sent.json()["stored"] == len(work(name)), sent
    draft = {"kind": kind, "targets": [{"kind": "source", "key": name}], "reason": "r"}
    uid = str(product.request("POST", "/api/v1/cases", body=draft).json()["uid"])
    dry = product.request("POST", f"/api/v1/cases/{uid}/dry-run", body={})
    assert dry.json()["counts"]["cited"] == ANSWERS // 2
    return uid


def approve(product: Product, uid: str) -> None:
    """Approve; again where the store was too busy to say that it did."""
    path = f"/api/v1/cases/{uid}/approve"
    assert eventually(lambda: product.request("POST", path, body={}).status == 200)


@long_only
def test_any_part_may_die_under_a_case(
    victim: Product, passage: Passage | None, insider: Insider
) -> None:
    victim.api_key = victim.new_key(slug=_SLUG)
    kinds = {"sent": "retraction", "queue": "revocation", "graph": "concern", "web": "correction"}
    uids = {name: ready_case(victim, name, kind) for name, kind in kinds.items()}

    # The process that approved dies between its commit and the broker.
    script = _APPROVED_AND_KILLED.format(slug=_SLUG, uid=uids["sent"])
    assert victim.manage("shell", "-v", "0", "-c", script).returncode == -signal.SIGKILL

    # The task waits in the queue, and the broker dies and has forgotten all.
    worker = parts.pid_of(victim, "worker")
    os.killpg(worker, signal.SIGSTOP)
    approve(victim, uids["queue"])
    with parts.left_alone(victim):
        os.killpg(worker, signal.SIGKILL)
        parts.lose_broker(victim)

    # Approved while the graph is away: reads obey, the proof waits.
    with parts.left_alone(victim), parts.graph_away(victim, passage):
        approve(victim, uids["graph"])
        time.sleep(0.5)
        assert listed(victim, "graph") == {"review": ANSWERS // 2, "current": ANSWERS // 2}
        for pid in parts.web_processes(victim):
            os.kill(pid, signal.SIGKILL)

    # Approved by twenty clicks at once: it is approved once (its history tells so below).
    assert eventually(lambda: victim.request("GET", "/readyz").status == 200, seconds=90)
    path = f"/api/v1/cases/{uids['web']}/approve"
    with ThreadPoolExecutor(20) as clicks:
        answers = list(clicks.map(lambda _: victim.request("POST", path, body={}), range(20)))
    assert 200 in {one.status for one in answers} <= {200, 503}
    assert len({one.json()["uid"] for one in answers if one.status == 200}) == 1

    def states() -> set[str]:
        read = (victim.request("GET", f"/api/v1/cases/{uid}").json() for uid in uids.values())
        return {case["state"] for case in read}

    assert eventually(lambda: states() == {"verified"}, seconds=120), states()
    records = [record for name in kinds for record in work(name)]
    filed = [[uids[name], kind, [["source", name]]] for name, kind in kinds.items()]
    insider.holds(_SLUG, records, filed)


def listed(product: Product, source: str) -> dict[str, int]:
    """How many answers that rest on the source are in which state."""
    found = product.request("GET", f"/api/v1/resolve?kind=source&key={source}").json()["items"]
    path = f"/api/v1/nodes/{found[0]['uid']}/impact?limit=200"
    items = product.request("GET", path).json()["items"]
    counted: dict[str, int] = {}
    for item in items:
        counted[item["state"]] = counted.get(item["state"], 0) + 1
    return counted
