"""A worker that is killed half-way and a task that comes again and again: each answer is done once.

The fault that others had: celery/kombu#337, a task delivered again after the broker's patience.
"""

import os
import signal
import time
from typing import Any, Final

import pytest

from provexplorer.embedded import processes
from tests.faults.insider import Insider
from tests.faults.parts import pid_of
from tests.servers.product import Product, eventually

# More than two batches of propagation; 5,000 records in all.
ANSWERS: Final = 1_240
CHUNKS: Final = 36
A_REQUEST: Final = 1_250
SENTENCE: Final = "Nothing lasts."


def records() -> list[dict[str, Any]]:
    """One source, and answers that each cite a passage of it."""
    text = " ".join([SENTENCE] * CHUNKS)
    made: list[dict[str, Any]] = [
        {"kind": "source", "key": "s", "title": "S"},
        {"kind": "source_version", "key": "v", "source": "s"},
        {"kind": "document", "key": "d", "source_version": "v", "text": text},
        {"kind": "answer", "key": "apart", "text": SENTENCE},
    ]
    for number in range(CHUNKS):
        start = number * (len(SENTENCE) + 1)
        interval = {"start": start, "end": start + len(SENTENCE)}
        made.append({"kind": "chunk", "key": f"c{number}", "document": "d", "interval": interval})
    for number in range(ANSWERS):
        items = [{"chunk": f"c{number % CHUNKS}", "position": 1}]
        place = {"start": 0, "end": len(SENTENCE)}
        made += [
            {"kind": "context", "key": f"x{number}", "items": items},
            {"kind": "answer", "key": f"a{number}", "context": f"x{number}", "text": f"{SENTENCE} [1]"},
            {"kind": "claim", "key": f"k{number}", "answer": f"a{number}", "interval": place},
            {"kind": "citation", "key": f"q{number}", "claim": f"k{number}", "marker": "[1]", "position": 1},
        ]  # fmt: skip
    return made


def load(product: Product) -> None:
    made = records()
    for start in range(0, len(made), A_REQUEST):
        body = {"records": made[start : start + A_REQUEST]}
        answer = product.request("POST", "/api/v1/records", body=body, seconds=180)
        assert answer.status == 200
        assert answer.json()["stored"] == len(body["records"])


def post(product: Product, path: str, body: object = None) -> Any:
    answer = product.request("POST", f"/api/v1{path}", body={} if body is None else body)
    assert answer.status in (200, 201), answer
    return answer.json()


@pytest.mark.engine_free  # most of it is waiting for the lease of a dead worker
def test_every_answer_is_done_once_whatever_becomes_of_workers_and_messages(
    victim: Product, insider: Insider
) -> None:
    victim.api_key = victim.new_key(slug="redelivered")
    load(victim)
    case = post(victim, "/cases", {
        "kind": "retraction", "targets": [{"kind": "source", "key": "s"}], "reason": "r",
    })["uid"]  # fmt: skip
    assert post(victim, f"/cases/{case}/dry-run")["counts"]["cited"] == ANSWERS

    assert_nothing_is_cut_off(victim)

    def read() -> Any:
        return victim.request("GET", f"/api/v1/cases/{case}").json()

    post(victim, f"/cases/{case}/approve")
    end = time.monotonic() + 60
    while not read()["progress"]["done"] and time.monotonic() < end:
        time.sleep(0.02)
    worker = pid_of(victim, "worker")
    os.killpg(worker, signal.SIGSTOP)
    half_way = read()
    insider.ask("deliver", case, times=3)
    os.killpg(worker, signal.SIGKILL)
    # On a quick machine all are marked by then; the closing pass is still to come.
    assert half_way["state"] == "propagating"
    assert 0 < half_way["progress"]["done"] <= half_way["progress"]["total"] == ANSWERS
    # Reads have obeyed all the while.
    assert listed(victim, "state=stale") == ANSWERS

    assert eventually(lambda: processes.identity_of(worker) is None, seconds=30)
    assert eventually(lambda: read()["verified"], seconds=120), read()
    done = read()
    assert (done["state"], done["progress"]) == ("verified", {"done": ANSWERS, "total": ANSWERS})
    once = insider.ask("effects", case)
    assert once == {"rows": ANSWERS, "answers": ANSWERS, "edges": ANSWERS, "ends": ANSWERS,
                    "open": ANSWERS}  # fmt: skip

    # And once more after its end.
    insider.ask("deliver", case, times=2)
    time.sleep(2)
    assert read() == done
    assert insider.ask("effects", case) == once
    assert (listed(victim, "state=stale"), listed(victim, "state=current")) == (ANSWERS, 0)
    insider.holds("redelivered", records(), [[case, "retraction", [["source", "s"]]]])


def source_of(product: Product) -> str:
    """The uid of the source."""
    (source,) = product.request("GET", "/api/v1/resolve?kind=source&key=s").json()["items"]
    return str(source["uid"])


def listed(product: Product, query: str) -> int:
    """How many of the answers that rest on the source the impact report lists."""
    path = f"/api/v1/nodes/{source_of(product)}/impact?limit=1&{query}"
    return int(product.request("GET", path).json()["total"])


def assert_nothing_is_cut_off(product: Product) -> None:
    """datahub-project/datahub#6756: lineage vanished beyond a limit. Here it is paged, or says so."""
    source = source_of(product)
    met: list[str] = []
    cursor = ""
    while cursor is not None:
        path = f"/api/v1/nodes/{source}/impact?limit=200" + (f"&cursor={cursor}" if cursor else "")
        page = product.request("GET", path).json()
        assert (page["total"], page["counts"]["cited"]) == (ANSWERS, ANSWERS)
        met += [item["key"] for item in page["items"]]
        cursor = page["next"]
    assert sorted(met) == sorted(f"a{number}" for number in range(ANSWERS))
    around = product.request("GET", f"/api/v1/nodes/{source}/downstream?depth=20")
    assert (around.status, around.json()["truncated"]) == (200, True)
