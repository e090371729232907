"""What is large and was left to the worker, while the graph was away: applied in little memory."""

import json
from base64 import b64encode
from typing import Any, Final

import pytest

from tests.faults import parts
from tests.faults.memory import ANSWER, MOST, Memory, job_of_many_inputs, shuffled_trace
from tests.flows.inside import inside
from tests.servers.passage import Passage
from tests.servers.product import Product, eventually
from tests.thorough import long_only

pytestmark = [pytest.mark.one_pair, long_only]

_SLUG: Final = "memory-of-worker"
_SECONDS: Final = 900.0


def test_the_worker_applies_what_was_left_to_it_in_little_memory(
    victim: Product, passage: Passage | None
) -> None:
    victim.api_key = victim.new_key(slug=_SLUG, scopes="ingest,read")
    left = [
        *(["otlp", "application/x-protobuf", "gzip", text(body)] for body in shuffled_trace()),
        ["openlineage", "application/json", "", text(job_of_many_inputs())],
    ]
    file = victim.folder / "payloads-left.json"
    file.write_text(json.dumps(left), encoding="utf-8")
    assert eventually(lambda: waiting(victim) == (0, 0), seconds=_SECONDS)

    memory = Memory(parts.worker_processes(victim))
    with parts.left_alone(victim), parts.graph_away(victim, passage):
        assert inside(victim, f"keep({_SLUG!r}, {str(file)!r})") == len(left)
        # Into the relational store first; the graph hears of it when it is back.
        assert eventually(lambda: waiting(victim)[0] == 0, seconds=_SECONDS)
        assert waiting(victim)[1] > 0
    assert eventually(lambda: waiting(victim) == (0, 0), seconds=_SECONDS)
    assert memory.grown() < MOST

    for kind, key, namespace in (
        ("answer", ANSWER, ""),
        ("source", "made-of-many", "s3%3A%2F%2Fcorpus"),
    ):
        asked = f"/api/v1/resolve?kind={kind}&key={key}&namespace={namespace}"
        (found,) = victim.request("GET", asked).json()["items"]
        assert found["resolved"] is True


def text(body: bytes) -> str:
    return b64encode(body).decode()


def waiting(product: Product) -> tuple[int, int]:
    """Payloads that are not applied yet, and nodes that the graph has not got (10,000 at most)."""
    told: dict[str, Any] = product.request("GET", "/readyz", key="").json()["waiting"]
    return told["payloads"], told["nodes"]
