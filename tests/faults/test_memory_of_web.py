"""What clients mis-send, and what is large: refused or stored as said, in little memory of the web processes."""

import gzip
import json
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from tests.faults.memory import ANSWER, MOST, Memory, job_of_many_inputs, shuffled_trace
from tests.faults.parts import web_processes
from tests.formats.openinference_traces import TRACE_ID, request, span, span_id
from tests.formats.openlineage_events import run_event
from tests.servers.product import Answer, Product, eventually
from tests.thorough import long_only

JSON, PROTOBUF = "application/json", "application/x-protobuf"
ENDPOINTS: Final = ("/api/v1/records", "/api/v1/lineage", "/api/v1/prov", "/v1/traces")


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


@long_only
@pytest.mark.engine_free
def test_what_is_missent_is_refused_or_told_in_little_memory(product: Product) -> None:
    memory = Memory(web_processes(product))
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
    memory = Memory(web_processes(product))
    for body in shuffled_trace():
        answer = post(product, "/v1/traces", body, PROTOBUF, Content_Encoding="gzip")
        assert (answer.status, answer.body) == (200, b"")
    assert memory.grown() < MOST
    assert eventually(lambda: found(product, "answer", ANSWER)["resolved"])


@long_only
@pytest.mark.engine_free
def test_a_job_of_many_inputs_is_stored_in_little_memory(product: Product) -> None:
    memory = Memory(web_processes(product))
    # Beside a worker that catches up at the same time, the embedded graph takes minutes for such an edge list.
    answer = post(product, "/api/v1/lineage", job_of_many_inputs())
    assert (answer.status, answer.json()["status"]) == (200, "stored")
    assert memory.grown() < MOST
    source = found(product, "source", "made-of-many", "s3://corpus")
    assert source["resolved"] is True
