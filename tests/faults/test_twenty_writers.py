"""Twenty clients write answers on one source while it is withdrawn: each answer is there once, and stale."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.faults.insider import Insider
from tests.faults.test_any_part_dies_under_a_case import SENTENCE, approve, ready_case, work
from tests.servers.product import Product, eventually
from tests.thorough import THOROUGH

# Each day on SQLite, whose writers wait for one another; on both pairs in the thorough run.
pytestmark = [pytest.mark.one_pair, pytest.mark.embedded_only]

WRITERS: Final = 20
ANSWERS: Final = 15 if THOROUGH else 3
_SLUG: Final = "twenty"


def answer(writer: int, number: int) -> list[dict[str, Any]]:
    key = f"w{writer}-{number}"
    return [
        {"kind": "context", "key": f"x-{key}", "items": [{"chunk": "s-c", "position": 1}]},
        {"kind": "answer", "key": key, "context": f"x-{key}", "text": f"{SENTENCE} [1] {key}"},
        {"kind": "claim", "key": f"k-{key}", "answer": key, "interval": {"start": 0, "end": 14}},
        {"kind": "citation", "key": f"q-{key}", "claim": f"k-{key}", "marker": "[1]", "position": 1},
    ]  # fmt: skip


def test_every_answer_written_during_a_case_is_stored_once_and_stale(
    victim: Product, insider: Insider
) -> None:
    victim.api_key = victim.new_key(slug=_SLUG)
    uid = ready_case(victim, "s", "retraction")
    barrier, approved = threading.Barrier(WRITERS + 1), threading.Event()
    written: list[bool] = []  # whether it began after the approval

    def write(writer: int) -> None:
        barrier.wait(60)
        for number in range(ANSWERS):
            late = approved.is_set()
            # Who is not heard in time sends again, as clients do.
            for _ in range(20):
                sent = victim.request(
                    "POST", "/api/v1/records", body={"records": answer(writer, number)}, seconds=120
                )
                if sent.status < 500:
                    break
            assert sent.status in (200, 202), sent
            written.append(late)

    with ThreadPoolExecutor(WRITERS) as writers:
        running = [writers.submit(write, writer) for writer in range(WRITERS)]
        barrier.wait(60)
        while len(written) < WRITERS and not all(one.done() for one in running):
            time.sleep(0.1)
        approve(victim, uid)
        approved.set()
        for one in running:
            one.result()
    assert len(written) == WRITERS * ANSWERS
    assert False in written
    case = f"/api/v1/cases/{uid}"
    assert eventually(lambda: victim.request("GET", case).json()["verified"], seconds=120)
    records = work("s") + [
        record
        for writer in range(WRITERS) for number in range(ANSWERS)
        for record in answer(writer, number)
    ]  # fmt: skip
    insider.holds(_SLUG, records, [[uid, "retraction", [["source", "s"]]]])
