"""Traces with faults: what is missing is missing in the records, and nothing else is lost."""

import json
import random
import time
from typing import Any

import pytest

from lineage.formats.openinference import to_records
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import (
    TRACE_ID,
    documents,
    of_kind,
    only,
    request,
    span,
    span_id,
)

pytestmark = pytest.mark.engine_free

HIDDEN = "__REDACTED__"
ALPHA, BETA = {"id": "a", "content": "Alpha is one."}, {"id": "b", "content": "Beta is two."}


def retriever(number: int, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return span(number, "RETRIEVER", **documents("retrieval.documents", *rows), **more)


def model(number: int, prompt: str, answer: str, **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "llm.input_messages.0.message.content": prompt,
        "llm.output_messages.0.message.content": answer,
        "llm.model_name": "m",
    }
    return span(number, "LLM", **told, **({"at": 1} | more))


def records_of(*spans: Any, **resource: Any) -> list[Any]:
    records = to_records(request(*spans, **resource))
    for index, record in enumerate(records):
        assert isinstance(parse_record(index, record), NativeRecord), record
    return records


def test_nothing_comes_of_a_trace_without_retrieval_or_answer() -> None:
    assert records_of(span(1, "CHAIN", input__value="Q?", output__value="A")) == []
    assert records_of(span(1, "", input__value="Q?")) == []


@pytest.mark.parametrize(
    "output", [{}, {"output__value": ""}, {"output__value": 3}, {"output__value": "  "}]
)
def test_model_span_without_output_is_no_answer(output: dict[str, Any]) -> None:
    records = records_of(retriever(1, ALPHA), span(2, "LLM", llm__model_name="m", **output))
    assert [record["kind"] for record in records] == ["component", "run", "retrieval"]
    # Nobody knows what was kept: no answer says so.
    assert only(records, "retrieval")["candidates"] == [
        {"chunk": {"key": "a", "namespace": None}, "rank": 1}
    ]


def test_prompt_builder_that_calls_itself_a_model_is_no_answer() -> None:
    builder = span(2, "LLM", at=5, output__value="Prompt", llm__prompt_template__template="{x}")
    records = records_of(builder, model(3, "Prompt", "Answer."))
    assert only(records, "answer")["key"] == f"{TRACE_ID}:{span_id(3)}"
    assert of_kind(records_of(builder), "answer") == []


def test_retriever_without_documents_found_nothing() -> None:
    records = records_of(span(1, "RETRIEVER", input__value="Q?"), model(2, "Q?", "I do not know."))
    assert only(records, "retrieval")["candidates"] == []
    assert only(records, "context")["items"] == []
    assert [claim["interval"] for claim in of_kind(records, "claim")] == [{"start": 0, "end": 14}]
    assert of_kind(records, "citation") == []


def test_missing_parents_do_not_matter() -> None:
    records = records_of(
        model(3, "[1] Alpha is one.", "Alpha. [1]", parent=77),
        retriever(1, ALPHA, parent=99),
    )
    assert only(records, "context")["retrieval"] == [f"{TRACE_ID}:{span_id(1)}"]
    assert [item["chunk"]["key"] for item in only(records, "context")["items"]] == ["a"]


def test_parents_in_a_circle_lose_no_retrieval() -> None:
    records = records_of(
        retriever(1, ALPHA, parent=2), retriever(2, BETA, parent=1), retriever(3, ALPHA, parent=3)
    )
    assert [r["key"] for r in of_kind(records, "retrieval")] == [
        f"{TRACE_ID}:{span_id(number)}" for number in (1, 2, 3)
    ]


def test_citation_outside_any_context_is_kept() -> None:
    records = records_of(model(1, "Q?", "Sure. [7]"))
    assert of_kind(records, "context") == []
    assert "context" not in only(records, "answer")
    assert (only(records, "citation")["marker"], only(records, "citation")["position"]) == (
        "[7]",
        7,
    )


def test_redacted_answer_is_kept_without_claims() -> None:
    records = records_of(retriever(1, ALPHA), model(2, "[1] Alpha is one.", HIDDEN))
    assert only(records, "answer")["text"] == HIDDEN
    assert of_kind(records, "claim") == []
    assert [item["chunk"]["key"] for item in only(records, "context")["items"]] == ["a"]


def test_redacted_prompt_leaves_the_reranker_to_say_what_was_read() -> None:
    reranked: dict[str, Any] = documents("reranker.output_documents", {"id": "b"}) | documents(
        "reranker.input_documents", {"id": "a"}, {"id": "b"}
    )
    records = records_of(
        retriever(1, ALPHA, BETA),
        span(2, "RERANKER", at=0.6, lasts=0.1, **reranked),
        model(3, HIDDEN, "B. [1]"),
    )
    context = only(records, "context")
    assert [(item["chunk"]["key"], item["position"]) for item in context["items"]] == [("b", 1)]
    assert context["attributes"] == {
        "items_known_from": "reranker",
        "positions_known_from": "order",
    }
    assert [
        (c["chunk"]["key"], c["kept"], c.get("drop_reason"))
        for c in only(records, "retrieval")["candidates"]
    ] == [("a", False, "reranked_out"), ("b", True, None)]


@pytest.mark.parametrize(
    ("prompt", "content"), [(HIDDEN, "Alpha is one."), ("A prompt", HIDDEN), (HIDDEN, HIDDEN)]
)
def test_where_neither_side_can_be_read_all_is_assumed_read_and_told_so(
    prompt: str, content: str
) -> None:
    records = records_of(
        retriever(1, {"id": "a", "content": content}, {"id": "b"}), model(2, prompt, "B. [2]")
    )
    context = only(records, "context")
    assert [(item["chunk"]["key"], item["position"]) for item in context["items"]] == [
        ("a", 1),
        ("b", 2),
    ]
    assert context["attributes"] == {
        "items_known_from": "retrieval",
        "positions_known_from": "order",
    }


def test_prompt_that_holds_none_of_the_documents_had_none() -> None:
    records = records_of(retriever(1, ALPHA), model(2, "Something else", "Hm. [1]"))
    assert only(records, "context")["items"] == []
    assert only(records, "retrieval")["candidates"] == [
        {
            "chunk": {"key": "a", "namespace": None},
            "rank": 1,
            "kept": False,
            "drop_reason": "not_in_prompt",
        }
    ]


@pytest.mark.parametrize(
    "metadata",
    [
        "{'source_id': 'x', 'start': 0}",
        "not json",
        "[1]",
        "null",
        '{"sha256": 5}',
        "[" * 100_000,
        HIDDEN,
    ],
)
def test_malformed_metadata_is_passed_over(metadata: str) -> None:
    records = records_of(retriever(1, ALPHA | {"metadata": metadata}))
    assert only(records, "retrieval")["candidates"][0]["chunk"] == {"key": "a", "namespace": None}


def test_digest_is_named_only_if_it_is_that_of_the_text() -> None:
    of_a_file = "c6f2ab3cc4e9b4ed4fd9d85fcaec4a7a8b9b1fe8a3c9a7b2d5a8ef2a6b8e0a11"
    records = records_of(
        retriever(
            1,
            ALPHA | {"metadata": json.dumps({"sha256": of_a_file})},
            {"id": "b", "metadata": json.dumps({"sha256": of_a_file})},
            # printf %s 'Beta is two.' | sha256sum
            {"id": "c", "content": "Beta is two.", "metadata": json.dumps({"sha256": BETA_DIGEST})},
        )
    )
    assert [c["chunk"].get("digest") for c in only(records, "retrieval")["candidates"]] == [
        None, None, f"sha256:{BETA_DIGEST}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"id": 7}, "7"),
        ({"metadata": '{"chunk_id": "c", "source_id": "s", "start": 0, "end": 9}'}, "c"),
        ({"metadata": '{"source_id": "s", "start": 0, "end": 9}'}, "s-0-9"),
        ({"metadata": '{"id": "m"}'}, "m"),
        ({"metadata": {"source_id": "s", "start": 1, "end": 2}}, "s-1-2"),
        ({"id": True, "content": "Beta is two."}, "sha256:BETA"),
        ({"id": "", "content": "Beta is two."}, "sha256:BETA"),
        ({"id": HIDDEN, "content": "Beta is two."}, "sha256:BETA"),
    ],
)
def test_key_of_a_chunk(row: dict[str, Any], key: str) -> None:
    (candidate,) = only(records_of(retriever(1, row)), "retrieval")["candidates"]
    assert candidate["chunk"]["key"] == key.replace("BETA", BETA_DIGEST)


def test_document_that_nothing_names_is_left_out_and_ranks_stay() -> None:
    records = records_of(retriever(1, {"score": 2.0}, ALPHA, {"id": "a"}, BETA))
    assert [(c["rank"], c["chunk"]["key"]) for c in only(records, "retrieval")["candidates"]] == [
        (2, "a"), (4, "b"),
    ]  # fmt: skip


def test_hostile_keys_and_types_break_nothing() -> None:
    hostile: dict[str, Any] = {
        "retrieval.documents": "x",
        "retrieval.documents.": 1,
        "retrieval.documents..document.id": "x",
        "retrieval.documents.0": {"document": "x"},
        "retrieval.documents.0.document.id.__class__": "x",
        "retrieval.documents.999999999999999999999.document.id": "x",
        "retrieval.documents.0.document.score": "high",
        "retrieval.documents.1.document.id": "k" * 3_000,
        "retrieval.documents.1.document.score": float("nan"),
        "input.value": '{"query": {"query": {"query": 3}}, "top_k": true, "filters": '
        + "[" * 50
        + "]" * 50
        + "}",
        "user.id": 5,
    }
    llm: dict[str, Any] = {
        "llm.output_messages.0.message.content": 3,
        "llm.output_messages.1.message.contents.0.message_content.text": "Ye",
        "llm.output_messages.1.message.contents.1.message_content.text": "s.",
        "llm.invocation_parameters": "[" * 500 + "]" * 500,
        "llm.model_name": "n" * 3_000,
        "llm.prompt_template.template": "{x}",
        "llm.prompt_template.variables": "[1",
        "llm.token_count.total": "many",
    }
    records = records_of(span(1, "retriever", **hostile), span(2, "LLM", name="x" * 5_000, **llm))
    (candidate,) = only(records, "retrieval")["candidates"]
    assert candidate["chunk"]["key"].startswith("kkk")
    assert len(candidate["chunk"]["key"]) < 500
    assert only(records, "answer")["text"] == "Yes."
    assert "attributes" not in only(records, "answer")


def test_any_value_in_place_of_any_other_breaks_nothing() -> None:
    base = request(
        retriever(1, ALPHA, BETA, input__value="Q?"),
        span(2, "RERANKER", **documents("reranker.output_documents", BETA)),
        model(3, "[1] Beta is two.", "B. [1]"),
    )
    chooser = random.Random(7)
    for _ in range(300):
        body = json.loads(json.dumps(base))
        for _ in range(3):
            holder: Any = body
            while isinstance(holder, dict | list) and holder:
                keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
                key = chooser.choice(keys)
                if not isinstance(holder[key], dict | list) or chooser.random() < 0.1:
                    holder[key] = chooser.choice([None, 3, -1.5, True, "x", [], {}, [1], {"a": 1}])
                    break
                holder = holder[key]
        for index, record in enumerate(to_records(body)):
            assert isinstance(parse_record(index, record), NativeRecord), (body, record)


def test_failed_span_is_a_failed_run() -> None:
    failed = retriever(1) | {"status": {"code": 2, "message": "timeout"}}
    assert only(records_of(failed), "run")["status"] == "failed"


def test_unstated_times_are_left_out() -> None:
    timeless = retriever(1, ALPHA) | {"startTimeUnixNano": "0", "endTimeUnixNano": str(2**63 - 1)}
    retrieval = only(records_of(timeless), "retrieval")
    assert retrieval["occurred_at"] == "2262-04-11T23:47:16.854775Z"
    del timeless["endTimeUnixNano"]
    assert "occurred_at" not in only(records_of(timeless), "retrieval")


def test_long_chains_of_nested_spans_take_one_pass() -> None:
    spans = [span(n, "RETRIEVER", parent=n - 1 if n > 1 else None) for n in range(1, 5_000)]
    spans.append(retriever(5_000, ALPHA, parent=4_999))
    started = time.process_time()
    records = records_of(*reversed(spans))
    assert only(records, "retrieval")["key"] == f"{TRACE_ID}:{span_id(5_000)}"
    assert time.process_time() - started < 5


BETA_DIGEST = "f0ea530173fc11fff928dc098e00dd949a0cca67382cafd65f8d170fa501847c"
