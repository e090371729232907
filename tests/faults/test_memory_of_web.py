"""What clients mis-send, and what is large: refused or stored as said, in little memory of the web processes."""

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from tests.faults.parts import web_processes
from tests.formats.openinference_traces import TRACE_ID, documents, request, span, span_id
from tests.formats.openlineage_events import dataset, run_event
from tests.formats.otlp_bodies import protobuf
from tests.servers.product import Answer, Product, eventually
from tests.thorough import THOROUGH, long_only

JSON, PROTOBUF = "application/json", "application/x-protobuf"
ENDPOINTS: Final = ("/api/v1/records", "/api/v1/lineage", "/api/v1/prov", "/v1/traces")
# MiB that all web processes together may grow beyond what they held at rest.
MOST: Final = 150
# In a request of its own each: a batch of the exporter's default size.
_SPANS, _BATCH = (10_000, 512) if THOROUGH else (1_000, 250)
_INPUTS: Final = 5_000 if THOROUGH else 500


class Memory:
    """How much the web processes hold, by the kernel's own account (VmRSS and its peak VmHWM)."""

    def __init__(self, product: Product) -> None:
        self._pids = web_processes(product)
        for pid in self._pids:
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
        self._at_rest = self._sum("VmRSS")

    def grown(self) -> float:
        """MiB by which the peak of all of them together has passed what they held at first."""
        return (self._sum("VmHWM") - self._at_rest) / 1024

    def _sum(self, name: str) -> int:
        found = 0
        for pid in self._pids:
            told = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
            assert told is not None
            found += int(told[1])
        return found


@pytest.fixture
def product(victim: Product) -> Product:
    victim.api_key = victim.new_key(slug="memory", scopes="ingest,read")
    # Each of the two processes has answered in every format before anything is measured.
    for _ in range(4):
        for path in ENDPOINTS:
            post(victim, path, b"{}")
    return victim


def post(product: Product, path: str, body: bytes, media_type: str = JSON, **more: str) -> Answer:
    headers = {"Content-Type": media_type} | {k.replace("_", "-"): v for k, v in more.items()}
    return product.request("POST", path, body=body, headers=headers, seconds=500)


def encoded(document: object) -> bytes:
    return json.dumps(document).encode()


def found(product: Product, kind: str, key: str, namespace: str = "") -> dict[str, Any]:
    asked = urlencode({"kind": kind, "key": key, "namespace": namespace})
    (item,) = product.request("GET", f"/api/v1/resolve?{asked}").json()["items"]
    node = product.request("GET", f"/api/v1/nodes/{item['uid']}").json()
    assert isinstance(node, dict)
    return node


@pytest.mark.engine_free
def test_what_is_missent_is_refused_or_told_in_little_memory(product: Product) -> None:
    memory = Memory(product)
    bomb = gzip.compress(bytes(200 << 20), 1)
    for path in ENDPOINTS:
        """langfuse/langfuse#16532, #14369: gzip was unpacked without a bound."""
        assert post(product, path, bomb, Content_Encoding="gzip").status == 413
        assert post(product, path, b"{}", Content_Encoding="gzip").status == 400
        assert post(product, path, b" " * (17 << 20)).status == 413

    # Arize-ai/phoenix#2054: NaN was accepted, then the page would not load.
    candidates = '[{"chunk": "a", "score": NaN}, {"chunk": "b", "score": 0.0}]'
    told = post(
        product, "/api/v1/records",
        f'{{"records": [{{"kind": "retrieval", "key": "nan", "candidates": {candidates}}}]}}'.encode(),
    )  # fmt: skip
    assert told.status == 200
    assert [each["score"] for each in found(product, "retrieval", "nan")["fields"]["candidates"]] == [
        None, 0.0,
    ]  # fmt: skip

    # open-telemetry/opentelemetry-swift#537: ids in base64, which would make a second trace.
    raw = span(1, "LLM", output__value="Yes.") | {"traceId": "W47/95gDgQPSabYzgT/GDA=="}
    refused = post(product, "/v1/traces", encoded(request(raw)))
    assert (refused.status, "base64" in refused.json()["message"]) == (400, True)
    upper = span(1, "LLM", output__value="Yes.") | {"traceId": TRACE_ID.upper()}
    assert post(product, "/v1/traces", encoded(request(upper))).status == 200
    assert found(product, "answer", f"{TRACE_ID}:{span_id(1)}")["resolved"] is True

    # OpenLineage/OpenLineage#2858: a time without its zone.
    naive = post(product, "/api/v1/lineage", encoded(run_event("FAIL", at="2024-07-02T12:23:22")))
    assert [each["code"] for each in naive.json()["warnings"]] == ["time_without_zone"]

    # Derived from itself over two others: refused with the constraint, and nothing of it is derived.
    cycle = {
        f"_:{n}": {"prov:generatedEntity": f"ex:{a}", "prov:usedEntity": f"ex:{b}"}
        for n, (a, b) in enumerate(zip("abc", "bca", strict=True))
    }
    document = {"prefix": {"ex": "http://example.org/"}, "wasDerivedFrom": cycle}
    outcomes = post(product, "/api/v1/prov", encoded(document)).json()["outcomes"]
    assert {each["status"] for each in outcomes} == {"rejected"}
    assert memory.grown() < MOST


@long_only
@pytest.mark.engine_free
def test_a_long_trace_arrives_shuffled_in_little_memory(product: Product) -> None:
    passage = {"id": "a", "content": "Alpha is one."}
    steps = [
        span(number, "CHAIN", parent=1, at=number / _SPANS, input__value="x" * 200)
        for number in range(10, 10 + _SPANS - 3)
    ]
    spans = [
        span(1, "CHAIN", lasts=9, input__value="Which?"),
        span(2, "RETRIEVER", parent=1, at=1, **documents("retrieval.documents", passage)),
        span(3, "LLM", parent=1, at=8, input__value="[1] Alpha is one.", output__value="One. [1]"),
        *steps,
    ]
    spans = [one | {"traceId": "10" * 16} for one in spans]
    random.Random(11).shuffle(spans)
    memory = Memory(product)
    for start in range(0, _SPANS, _BATCH):
        body = gzip.compress(protobuf(request(*spans[start : start + _BATCH])))
        answer = post(product, "/v1/traces", body, PROTOBUF, Content_Encoding="gzip")
        assert (answer.status, answer.body) == (200, b"")
    assert memory.grown() < MOST
    answer_key = f"{'10' * 16}:{span_id(3)}"
    assert eventually(lambda: found(product, "answer", answer_key)["resolved"])


@long_only
@pytest.mark.engine_free
def test_a_job_of_many_inputs_is_stored_in_little_memory(product: Product) -> None:
    inputs = [dataset(f"d/{n}.pdf", version={"datasetVersion": str(n)}) for n in range(_INPUTS)]
    memory = Memory(product)
    event = run_event(job="many", inputs=inputs, outputs=[dataset("made-of-many")])
    # Beside a worker that catches up at the same time, the embedded graph takes minutes for such an edge list.
    answer = post(product, "/api/v1/lineage", encoded(event))
    assert (answer.status, answer.json()["status"]) == (200, "stored")
    assert memory.grown() < MOST
    source = found(product, "source", "made-of-many", "s3://corpus")
    assert source["resolved"] is True
