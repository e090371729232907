"""A long trace arriving shuffled, in four requests: little memory, and the records of the whole."""

import random
import tracemalloc

import pytest
from hypothesis import settings

from lineage.inbox.receive import receive
from lineage.models import Node
from tests.formats.openinference_traces import TRACE_ID, request, span, span_id
from tests.formats.otlp_bodies import protobuf
from tests.traces.world import PROTOBUF, fresh, rag_trace

# 375 spans each day, 10,000 in the thorough run.
SPANS = 25 * settings().max_examples


@pytest.mark.django_db(databases=["default", "keys"])
def test_a_long_trace_arrives_shuffled() -> None:
    steps = [
        span(number, "CHAIN", parent=1 + number // 2, at=number / SPANS, input__value="x" * 200)
        for number in range(100, 100 + SPANS - 6)
    ]
    spans = rag_trace() + steps
    random.Random(3).shuffle(spans)
    bodies = [protobuf(request(*spans[start::4])) for start in range(4)]
    workspace = fresh()
    tracemalloc.start()
    try:
        for body in bodies:
            receive(workspace, format="otlp", body=body, media_type=PROTOBUF)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 150 << 20
    nodes = Node.objects.filter(workspace=workspace, resolved=True)
    assert sorted(nodes.exclude(kind="component").values_list("kind", "key")) == [
        ("answer", f"{TRACE_ID}:{span_id(6)}"),
        ("citation", f"{TRACE_ID}:{span_id(6)}#citation-1"),
        ("claim", f"{TRACE_ID}:{span_id(6)}#claim-1"),
        ("context", f"{TRACE_ID}:{span_id(6)}#context"),
        ("retrieval", f"{TRACE_ID}:{span_id(3)}"),
        ("run", f"{TRACE_ID}:{span_id(3)}"),
        ("run", f"{TRACE_ID}:{span_id(5)}"),
        ("run", f"{TRACE_ID}:{span_id(6)}"),
    ]
