"""What OpenInference spans become, case by case."""

from typing import Any

import pytest

from lineage.formats.openinference import to_records, told_by
from lineage.formats.otlp import decode
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

LONG = "Gamma is " + "very " * 40 + "long."
ALPHA = {"id": "a", "content": "Alpha is one."}
BETA = {"id": "b", "content": "Beta is two."}
GAMMA = {"id": "g", "content": LONG}


def key(number: int) -> str:
    return f"{TRACE_ID}:{span_id(number)}"


def retriever(number: int, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return span(number, "RETRIEVER", **documents("retrieval.documents", *rows), **more)


def model(number: int, prompt: str, answer: str = "Yes.", **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"llm.input_messages.0.message.content": prompt, "output.value": answer}
    return span(number, "LLM", **(told | {"llm.model_name": "m", "at": 1} | more))


def read(*spans: Any) -> list[tuple[str, int]]:
    """Key and position of each chunk in the context."""
    context = only(to_records(request(*spans)), "context")
    return [(item["chunk"]["key"], item["position"]) for item in context["items"]]


# Collections and snapshots


def test_namespace_is_the_callers_where_the_trace_names_only_a_snapshot() -> None:
    body = request(retriever(1, ALPHA), **{"index.snapshot": "shop-2"})
    retrieval = only(to_records(body, snapshot_namespace="shop"), "retrieval")
    assert retrieval["index_snapshot"] == {"key": "shop-2", "namespace": "shop"}
    assert retrieval["candidates"][0]["chunk"] == {"key": "a", "namespace": "shop"}


def test_namespace_is_open_where_nobody_knows_the_collection() -> None:
    body = request(retriever(1, ALPHA), **{"index.snapshot": "shop-2"})
    retrieval = only(to_records(body), "retrieval")
    assert retrieval["index_snapshot"] == {"key": "shop-2", "namespace": None}
    assert retrieval["candidates"][0]["chunk"] == {"key": "a", "namespace": None}


@pytest.mark.parametrize(
    ("source", "collection"), [("rag.chunks@42", "rag.chunks"), ("rag", "rag")]
)
def test_data_source_names_collection_and_snapshot(source: str, collection: str) -> None:
    body = request(retriever(1, ALPHA, gen_ai__data_source__id=source), model(2, "Alpha is one."))
    records = to_records(body, snapshot_namespace="other")
    assert only(records, "retrieval")["index_snapshot"] == {"key": source, "namespace": collection}
    chunk = {"key": "a", "namespace": collection}
    assert only(records, "retrieval")["candidates"][0]["chunk"] == chunk
    assert only(records, "context")["items"][0]["chunk"] == chunk


# Retrieval


def test_two_retrievers_are_two_retrievals_of_one_context() -> None:
    spans = [
        retriever(1, ALPHA),
        retriever(2, BETA, at=0.2),
        model(3, "Beta is two. Alpha is one."),
    ]
    records = to_records(request(*spans))
    assert [r["key"] for r in of_kind(records, "retrieval")] == [key(1), key(2)]
    assert only(records, "context")["retrieval"] == [key(1), key(2)]
    assert read(*spans) == [("b", 1), ("a", 2)]


def test_inner_retrievers_give_variants_and_what_was_passed_over() -> None:
    spans = [
        retriever(1, ALPHA, input__value="Q?", lasts=0.9),
        span(2, "CHAIN", parent=1),
        retriever(3, BETA, ALPHA, parent=2, input__value="Q, again?"),
        model(4, "Alpha is one."),
    ]
    retrieval = only(to_records(request(*spans)), "retrieval")
    assert (retrieval["key"], retrieval["query"], retrieval["query_variants"]) == (
        key(1), "Q?", ["Q, again?"],
    )  # fmt: skip
    assert retrieval["candidates"] == [
        {"chunk": {"key": "a", "namespace": None}, "rank": 1, "kept": True},
        {"chunk": {"key": "b", "namespace": None}, "kept": False, "drop_reason": "passed_over"},
    ]


def test_retriever_after_the_answer_did_not_feed_it() -> None:
    spans = [retriever(1, ALPHA), model(2, "Alpha is one."), retriever(3, BETA, at=5)]
    records = to_records(request(*spans))
    assert len(of_kind(records, "retrieval")) == 2
    assert only(records, "context")["retrieval"] == [key(1)]


def test_reranker_alone_tells_what_was_found() -> None:
    found: dict[str, Any] = documents("reranker.input_documents", ALPHA, BETA)
    kept: dict[str, Any] = documents("reranker.output_documents", BETA | {"score": 0.7})
    spans = [
        span(1, "RERANKER", **found, **kept, reranker__query="Q?", reranker__model_name="ce"),
        model(2, "[1] Beta is two."),
    ]
    records = to_records(request(*spans))
    retrieval = only(records, "retrieval")
    assert (retrieval["query"], retrieval["rerank_run"], "run" in retrieval) == (
        "Q?",
        key(1),
        False,
    )
    assert retrieval["candidates"] == [
        {
            "chunk": {"key": "a", "namespace": None},
            "rank": 1,
            "kept": False,
            "drop_reason": "reranked_out",
        },
        {
            "chunk": {"key": "b", "namespace": None},
            "rank": 2,
            "rerank_rank": 1,
            "rerank_score": 0.7,
            "kept": True,
        },
    ]
    assert [c["key"] for c in of_kind(records, "component")] == [
        "reranker:ce@3.2",
        "model:m@unstated",
    ]


def test_what_several_traces_tell_alike_of_a_component_comes_once() -> None:
    asked = model(2, "Hi.")
    traces = [asked, asked | {"traceId": "a" * 32}, asked | {"traceId": "b" * 32}]
    records = to_records(request(*traces))
    assert [each["kind"] for each in records].count("answer") == 3
    assert only(records, "component")["key"] == "model:m@unstated"
    other = model(2, "Hi.", llm__provider="p") | {"traceId": "c" * 32}
    told = of_kind(to_records(request(*traces, other)), "component")
    assert [each.get("namespace") for each in told] == [None, "p"]


def test_reranked_documents_without_ids_are_known_by_their_content() -> None:
    again: dict[str, Any] = documents(
        "reranker.output_documents", {"content": "Beta is two.", "score": 3.0}
    )
    spans = [retriever(1, ALPHA, BETA), span(2, "RERANKER", **again), model(3, "Beta is two.")]
    (alpha, beta) = only(to_records(request(*spans)), "retrieval")["candidates"]
    assert "rerank_rank" not in alpha
    assert (beta["rerank_rank"], beta["rerank_score"]) == (1, 3.0)


@pytest.mark.parametrize(
    ("given", "query", "top_k"),
    [
        ("Q?", "Q?", None),
        ('{"query": "Q?", "top_k": 5, "filters": null}', "Q?", 5),
        ('{"qb": {"query_str": "Q?", "image_path": null}}', "Q?", None),
        ('{"top_k": 5}', None, 5),
        ("7", "7", None),
    ],
)
def test_query_of_a_retriever(given: str, query: str | None, top_k: int | None) -> None:
    retrieval = only(to_records(request(retriever(1, ALPHA, input__value=given))), "retrieval")
    assert (retrieval.get("query"), retrieval.get("top_k")) == (query, top_k)


# Context


def test_context_is_in_the_order_of_the_prompt() -> None:
    assert read(retriever(1, ALPHA, BETA, GAMMA), model(2, f"{LONG}\nAlpha is one.")) == [
        ("g", 1),
        ("a", 2),
    ]


@pytest.mark.parametrize(
    "prompt",
    ["[4] Beta is two.\n[8] Alpha is one.", "Source 4:\nBeta is two.\nSource 8:\nAlpha is one.",
     "【4】Beta is two. 【8】Alpha is one."],
)  # fmt: skip
def test_positions_are_the_numbers_that_the_prompt_prints(prompt: str) -> None:
    assert read(retriever(1, ALPHA, BETA), model(2, prompt)) == [("b", 4), ("a", 8)]


@pytest.mark.parametrize(
    "prompt", ["[4] Beta is two.\nAlpha is one.", "[4] Beta is two.\n[4] Alpha is one."]
)
def test_numbers_that_do_not_tell_documents_apart_are_no_positions(prompt: str) -> None:
    assert read(retriever(1, ALPHA, BETA), model(2, prompt)) == [("b", 1), ("a", 2)]


def test_cut_document_tells_how_much_was_read() -> None:
    content = "  " + LONG
    spans = [retriever(1, {"id": "g", "content": content}), model(2, f"[1] {LONG[:120]}… End")]
    (item,) = only(to_records(request(*spans)), "context")["items"]
    assert item == {
        "chunk": {"key": "g", "namespace": None},
        "position": 1,
        "interval": {"start": 0, "end": 122, "in": "chunk"},
        "truncated": True,
    }


def test_short_start_in_common_is_not_a_cut_document() -> None:
    assert read(retriever(1, GAMMA, ALPHA), model(2, f"{LONG[:90]} Alpha is one.")) == [("a", 1)]


def test_document_inside_another_is_not_read_by_itself() -> None:
    spans = [retriever(1, {"id": "part", "content": "very long."}, GAMMA), model(2, f"[1] {LONG}")]
    assert read(*spans) == [("g", 1)]
    spans[1] = model(2, f"[1] {LONG} [2] very long.")
    assert read(*spans) == [("g", 1), ("part", 2)]


def test_prompt_is_read_wherever_the_model_span_has_it() -> None:
    found = retriever(1, ALPHA)
    bare: dict[str, Any] = {"output__value": "Yes.", "llm__model_name": "m", "at": 1}
    variables = '{"context_str": "x Alpha is one. x"}'
    assert read(found, span(2, "LLM", llm__prompt_template__variables=variables, **bare)) == [
        ("a", 1)
    ]
    assert read(found, span(2, "LLM", input__value='{"prompt": "Alpha is one."}', **bare)) == [
        ("a", 1)
    ]
    parts: dict[str, Any] = {
        "llm.input_messages.0.message.contents.0.message_content.text": "Alpha is one."
    }
    assert read(found, span(2, "LLM", **parts, **bare)) == [("a", 1)]
    inner = model(3, "Alpha is one.", parent=2, lasts=0.1)
    assert read(found, span(2, "LLM", **bare), inner) == [("a", 1)]
    built = span(4, "PROMPT", at=0.6, lasts=0.1, output__value="Alpha is one.")
    assert read(found, span(2, "LLM", **bare), built) == [("a", 1)]


def test_template_becomes_the_prompt_component() -> None:
    template: dict[str, Any] = {
        "llm.prompt_template.template": "{q}",
        "llm.prompt_template.version": "v7",
        "prompt.id": "qa",
    }
    records = to_records(request(model(1, "Q?", **template)))
    # printf %s '{q}' | sha256sum
    digest = "sha256:9e29cf5502ea15d1d61990a17a03d7ff5ebf796d8bf4b76d903cf85677cd8b04"
    assert only(records, "context")["prompt"] == {
        "key": f"prompt:qa@v7#{digest}",
        "namespace": "shop",
    }
    (prompt,) = [c for c in of_kind(records, "component") if c["component_kind"] == "prompt"]
    assert (prompt["key"], prompt["config_digest"], prompt["config"]) == (
        f"prompt:qa@v7#{digest}", digest, {"template": "{q}"},
    )  # fmt: skip


# Answer


def test_last_model_span_answers() -> None:
    records = to_records(request(model(9, "b", "Second.", at=2), model(1, "a", "First.", at=1)))
    assert (only(records, "answer")["key"], only(records, "answer")["text"]) == (key(9), "Second.")


def test_of_model_spans_that_end_together_the_outer_one_answers() -> None:
    spans = [
        model(1, "a", parent=2),
        span(2, "CHAIN", parent=3, at=1),
        model(3, "a"),
        model(4, "a", parent=1),
    ]
    assert only(to_records(request(*spans)), "answer")["key"] == key(3)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ('{"text": "Yes. [1]"}', "Yes. [1]"),
        ('{"replies": ["Yes. [1]", "No."], "meta": []}', "Yes. [1]"),
        (
            '{"generations": [[{"text": "Yes. [1]", "message": {"kwargs": {"content": "x"}}}]]}',
            "Yes. [1]",
        ),
        ('{"choices": [{"message": {"role": "assistant", "content": "Yes. [1]"}}]}', "Yes. [1]"),
        ('"Yes. [1]"', "Yes. [1]"),
        ("Yes. [1] {", "Yes. [1] {"),
    ],
)
def test_text_in_the_json_of_frameworks(output: str, text: str) -> None:
    told: dict[str, Any] = {
        "output.value": output,
        "output.mime_type": "application/json",
        "llm.model_name": "m",
    }
    assert only(to_records(request(span(1, "LLM", **told))), "answer")["text"] == text


def test_json_is_an_answer_where_it_was_asked_for_as_text() -> None:
    records = to_records(request(model(1, "JSON, please", '{"text": "Yes."}')))
    assert only(records, "answer")["text"] == '{"text": "Yes."}'


def test_question_is_in_the_words_that_reached_the_pipeline() -> None:
    def question(root: str, variables: str = "{}", query: str = "q") -> Any:
        spans = [
            span(1, "CHAIN", input__value=root, lasts=9),
            retriever(2, ALPHA, parent=1, input__value=query),
            model(3, "p", parent=1, llm__prompt_template__variables=variables),
        ]
        return only(to_records(request(*spans)), "answer").get("question")

    assert question("And in May?", '{"question": "Fees in May?"}') == "And in May?"
    assert question('{"data": {}}', '{"question": "Fees in May?"}') == "Fees in May?"
    assert question('{"data": {"r": {"query": "Fees?"}}}') == "Fees?"
    assert question("__REDACTED__", query="fees may") == "fees may"
    assert question("", query="") is None


def test_people_and_sessions_are_known_by_pseudonym() -> None:
    root = span(1, "CHAIN", user__id="ana@example.org", session__id="s-1", lasts=9)
    records = to_records(request(root, retriever(2, ALPHA, parent=1), model(3, "p", parent=1)))
    answer = only(records, "answer")
    assert (answer["user"], answer["session"]) == (
        "user-d08f4111f9e8347e",
        "session-31fcf1e32b4c42e3",
    )
    assert only(records, "retrieval")["user"] == answer["user"]
    assert "ana@example.org" not in str(records)


def test_names_of_model_and_provider() -> None:
    told: dict[str, Any] = {"llm.model_name": "asked", "llm.response.model_name": "gpt-x-2026", "llm.system": "openai",
            "llm.invocation_parameters": '{"temperature": 0}'}  # fmt: skip
    records = to_records(request(model(1, "p", **told)))
    answer = only(records, "answer")
    assert (answer["model"], answer["provider"], answer["parameters"]) == (
        "gpt-x-2026", "openai", {"temperature": 0},
    )  # fmt: skip
    assert only(records, "component") == {
        "kind": "component",
        "key": "model:gpt-x-2026@unstated",
        "namespace": "openai",
        "component_kind": "model",
        "name": "gpt-x-2026",
        "version": "unstated",
    }


def test_each_citation_once_in_the_order_of_the_text() -> None:
    records = to_records(request(model(1, "p", "One. [2, 1][2] Two. [2]")))
    answer = key(1)
    assert [
        (c["key"], c["claim"], c["marker"], c["position"]) for c in of_kind(records, "citation")
    ] == [
        (f"{answer}#citation-1", f"{answer}#claim-1", "[2, 1]", 2),
        (f"{answer}#citation-2", f"{answer}#claim-1", "[2, 1]", 1),
        (f"{answer}#citation-3", f"{answer}#claim-1", "[2]", 2),
        (f"{answer}#citation-4", f"{answer}#claim-2", "[2]", 2),
    ]


def test_every_record_comes_with_the_spans_that_tell_it() -> None:
    """A chunk has its client's key, a component that of its name: neither says where it was told."""
    other = "c" * 32
    spans = [
        retriever(1, ALPHA),
        model(2, "Alpha is one.", "Yes. [1]"),
        model(3, "Alpha is one.") | {"traceId": other},
        span(4, "", rag__operation="chunk", rag__chunks='[{"id": "k", "document": "d"}]'),
    ]
    told = told_by(decode(request(*spans)).spans)
    by_kind: dict[str, set[tuple[str, ...]]] = {}
    for each in told:
        by_kind.setdefault(each.record["kind"], set()).add(each.spans)
    late = f"{other}:{span_id(3)}"
    assert by_kind == {
        "component": {(key(1),), (key(2), late), (key(4),)},
        "run": {(key(1),), (key(2),), (late,), (key(4),)},
        "chunk": {(key(4),)},
        "retrieval": {(key(1),)},
        "context": {(key(2),)},
        "answer": {(key(2),), (late,)},
        "claim": {(key(2),), (late,)},
        "citation": {(key(2),)},
    }


def test_several_traces_in_one_request_stay_apart() -> None:
    other = "c" * 32
    spans = [
        retriever(1, ALPHA),
        model(2, "Alpha is one."),
        model(3, "Alpha is one.") | {"traceId": other},
    ]
    records = to_records(request(*spans))
    assert [a["key"] for a in of_kind(records, "answer")] == [key(2), f"{other}:{span_id(3)}"]
    assert only(records, "context")["key"] == f"{key(2)}#context"
