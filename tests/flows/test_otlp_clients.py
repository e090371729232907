"""Real exporters and instrumentations against the running product: from their spans to the impact."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.flows.rag_app import ANSWER, PASSAGES, QUESTION
from tests.formats.openinference_traces import TRACE_ID, request, span_id
from tests.servers.product import Product, eventually
from tests.traces.world import rag_trace

pytestmark = [pytest.mark.one_pair, pytest.mark.embedded_only]

# As a user of GenAI conventions asks for content on spans.
CONTENT = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}


def library(text: str) -> list[dict[str, Any]]:
    """The passages with what stands behind them."""
    chunks = [
        {"kind": "chunk", "namespace": "kb", "key": key, "document": "d",
         "interval": {"start": text.index(passage), "end": text.index(passage) + len(passage)}}
        for key, passage in PASSAGES.items()
    ]  # fmt: skip
    return [
        {"kind": "source", "namespace": "kb", "key": "s", "title": "Fees"},
        {"kind": "source_version", "namespace": "kb", "key": "v", "source": "s"},
        {"kind": "document", "namespace": "kb", "key": "d", "source_version": "v", "text": text},
        *chunks,
    ]


def test_questions_asked_in_an_instrumented_program(stack: Product) -> None:
    key = stack.new_key(slug="otlp-clients")
    body = {"records": library(" ".join(PASSAGES.values()))}
    sent = stack.request("POST", "/api/v1/records", body=body, key=key)
    uids = {one["key"]: one["uid"] for one in sent.json()["outcomes"]}
    environment = os.environ | CONTENT | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": stack.base_url,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{key}",
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-m", "tests.flows.rag_app"],
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    traces = ran.stdout.split()

    def read(path: str) -> Any:
        return stack.request("GET", f"/api/v1/{path}", key=key).json()

    def impact(chunk: str) -> list[Any]:
        return list(read(f"nodes/{uids[chunk]}/impact")["items"])

    assert eventually(lambda: len(impact("b")) == 2)
    assert [each["grade"] for each in impact("b")] == ["cited", "cited"]
    assert [each["grade"] for each in impact("c")] == ["retrieved", "retrieved"]
    by_trace = {each["key"].partition(":")[0]: each["uid"] for each in impact("b")}
    reasons = []
    for trace in traces:
        answer = read(f"answers/{by_trace[trace]}")
        assert (answer["text"], answer["question"]) == (ANSWER, QUESTION)
        claims = [(c["interval"]["start"], c["interval"]["end"]) for c in answer["claims"]]
        assert claims == [(0, 17), (22, 33)]
        candidates = read(f"nodes/{answer['retrieval']}")["fields"]["candidates"]
        assert [each["kept"] for each in candidates] == [True, True, False]
        reasons.append(candidates[2]["drop_reason"])
    assert reasons == ["below_threshold", "not_in_prompt"]


def test_spans_sent_at_the_same_time_are_put_together(stack: Product) -> None:
    key = stack.new_key(slug="otlp-at-once")
    # Each span by itself, twice, in no order, four at a time.
    pieces = [json.dumps(request(each)).encode() for each in rag_trace() * 2]
    random.Random(7).shuffle(pieces)
    with ThreadPoolExecutor(4) as senders:
        answers = list(
            senders.map(
                lambda body: stack.request("POST", "/v1/traces", body=body, key=key), pieces
            )
        )
    assert {(each.status, each.body) for each in answers} == {(200, b"{}")}

    def known(kind: str, number: int) -> bool:
        path = f"/api/v1/resolve?kind={kind}&key={TRACE_ID}:{span_id(number)}"
        return bool(stack.request("GET", path, key=key).json()["items"])

    # Whatever could not be applied at once is applied by the worker.
    assert eventually(lambda: known("answer", 6) and known("retrieval", 3))
    # What parts of the trace had suggested is gone: the inner model span, the inner retriever.
    assert eventually(lambda: not known("answer", 7) and not known("retrieval", 4))
