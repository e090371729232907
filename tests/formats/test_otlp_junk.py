"""Whatever spans say: nothing raises, the order does not matter, and every record can be stored."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.formats.langfuse import NotAnExport
from lineage.formats.langfuse import to_records as exported_records
from lineage.formats.openinference import to_records
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import pairs, request, span

pytestmark = pytest.mark.engine_free

NAMES = st.sampled_from(
    [
        "openinference.span.kind",
        "input.value",
        "input.mime_type",
        "output.value",
        "output.mime_type",
        "retrieval.documents",
        "retrieval.documents.0.document.id",
        "retrieval.documents.0.document.content",
        "retrieval.documents.0.document.metadata",
        "retrieval.documents.1.document.score",
        "reranker.top_k",
        "reranker.input_documents",
        "reranker.output_documents.0.document.id",
        "llm.model_name",
        "llm.input_messages",
        "llm.input_messages.0.message.content",
        "llm.output_messages",
        "llm.output_messages.0.message.content",
        "llm.prompt_template.template",
        "llm.prompt_template.variables",
        "llm.invocation_parameters",
        "llm.token_count.total",
        "gen_ai.operation.name",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.prompt",
        "gen_ai.completion",
        "gen_ai.prompt.0.content",
        "gen_ai.retrieval.documents",
        "gen_ai.data_source.id",
        "gen_ai.request.top_k",
        "gen_ai.response.id",
        "gen_ai.usage.output_tokens",
        "rag.operation",
        "rag.claims",
        "rag.citations",
        "rag.context.documents",
        "rag.chunks",
        "rag.retrieval.documents",
        "rag.rerank.output_documents",
        "rag.collection",
        "rag.index_snapshot",
        "rag.prompt.name",
        "rag.abstained",
        "rag.served_from",
        "rag.question",
        "rag.component.name",
        "annotations.0.annotation.name",
        "annotations.0.annotation.score",
        "session.id",
        "langfuse.observation.type",
        "langfuse.observation.output",
        "ai.operationId",
        "ai.prompt.messages",
        "embedding.embeddings",
        "embedding.model_name",
        "gen_ai.evaluation.name",
        "content",
        "message",
    ]
)
WORDS = st.sampled_from(
    ["LLM", "RETRIEVER", "RERANKER", "EMBEDDING", "PROMPT", "chat", "retrieval", "embeddings",
     "rerank", "generate", "chunk", "embed", "generation", "ai.generateText.doGenerate", "", "a",
     "Yes. [1] No [k2].", "[", "{", "null", '"x"', "[1,2]", '{"id":"a"}', '[{"id":"a","score":0.5}]',
     '[{"role":"user","parts":[{"type":"text","content":"Q?"}]}]',
     '[{"text":"Yes","citations":[{"marker":"[1]","position":1}]}]', "__REDACTED__",
     "[" * 900 + "]" * 900, '{"content":' * 800 + '"a"' + "}" * 800, '[{"id":"a","metadata":' + '{"a":' * 700 + "1" + "}" * 700 + "}]", "\0", "\ud800",
     "x" * 3_000, "kb@7"]
)  # fmt: skip
MEMBERS = st.sampled_from(
    ["id", "role", "content", "parts", "text", "type", "citations", "position", "start", "end",
     "marker", "document", "message", "messages", "score", "digest", "kept", "drop_reason", "0"]
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(WORDS, st.integers(-1, 2**62), st.booleans(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(MEMBERS, inner, max_size=4)
    ),
    max_leaves=6,
)
ATTRIBUTES = st.dictionaries(NAMES, VALUES, max_size=9)
EVENTS = st.sampled_from(
    ["gen_ai.choice", "gen_ai.user.message", "gen_ai.evaluation.result",
     "gen_ai.client.inference.operation.details"]
)  # fmt: skip
PARENTS = st.one_of(st.none(), st.integers(1, 5))


@st.composite
def traces(draw: st.DrawFn) -> list[dict[str, Any]]:
    spans = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        kind = draw(st.sampled_from(["LLM", "RETRIEVER", "RERANKER", "EMBEDDING", ""]))
        raw = span(number, kind, parent=draw(PARENTS), at=draw(st.integers(0, 2)))
        raw["attributes"] += pairs(draw(ATTRIBUTES))
        raw["events"] = [
            {"name": draw(EVENTS), "attributes": pairs(draw(ATTRIBUTES))}
            for _ in range(draw(st.integers(0, 2)))
        ]
        spans.append(raw)
    return spans


def assert_storable(records: list[Any]) -> None:
    for index, each in enumerate(records):
        assert isinstance(parse_record(index, each), NativeRecord), each


@given(spans=traces(), data=st.data())
def test_spans_of_any_attributes(spans: list[dict[str, Any]], data: st.DataObject) -> None:
    records = to_records(request(*spans))
    assert_storable(records)
    again = to_records(request(*data.draw(st.permutations(spans))))
    assert json.dumps(again, sort_keys=True) == json.dumps(records, sort_keys=True)


@given(
    trace=st.fixed_dictionaries(
        {"id": st.just("t")},
        optional=dict.fromkeys(("input", "scores", "metadata", "userId"), VALUES),
    ),
    observations=st.lists(
        st.fixed_dictionaries(
            {"id": st.sampled_from(["o", "p", "\ud800"]), "type": st.sampled_from(["SPAN", "GENERATION", "RETRIEVER"])},
            optional=dict.fromkeys(("input", "output", "metadata", "modelParameters", "usageDetails", "model", "startTime", "parentObservationId", "promptName", "name"), VALUES),
        ),
        max_size=4,
    ),
)  # fmt: skip
def test_observations_of_any_content(trace: Any, observations: Any) -> None:
    assert_storable(exported_records({"trace": trace, "observations": observations}))


@given(document=VALUES)
def test_documents_of_any_content(document: Any) -> None:
    try:
        assert_storable(exported_records(document))
    except NotAnExport as refused:
        assert str(refused)  # noqa: PT017 - either is right
