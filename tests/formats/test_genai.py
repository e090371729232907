"""GenAI conventions, current and older names: the same request becomes the same records."""

import json
from pathlib import Path
from typing import Any

import pytest

from lineage.formats.openinference import to_records
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import (
    START,
    TRACE_ID,
    documents,
    of_kind,
    only,
    pairs,
    request,
    span,
    span_id,
)

pytestmark = pytest.mark.engine_free

FILES = Path(__file__).parent / "otlp"
ANSWER = "Fees rose. [2]"
PROMPT = "[1] Alpha is one.\n[2] Beta is two.\nWhich fees rose?"
ROWS = [
    {"id": "a", "score": 0.9, "content": "Alpha is one."},
    {"id": "b", "score": 0.5, "content": "Beta is two."},
]


def key(number: int) -> str:
    return f"{TRACE_ID}:{span_id(number)}"


def genai(number: int, operation: str = "", *, events: Any = (), **told: Any) -> dict[str, Any]:
    """A span without any OpenInference attribute."""
    raw = span(number, "", at=number, **told)
    raw["name"] = f"{operation} x"
    raw["attributes"] = [a for a in raw["attributes"] if a["key"] != "openinference.span.kind"]
    if operation:
        raw["attributes"] += pairs({"gen_ai.operation.name": operation})
    raw["events"] = [
        {"name": name, "timeUnixNano": str(START), "attributes": pairs(attributes)}
        for name, attributes in events
    ]
    return raw


def retrieval(rows: Any = ROWS, **told: Any) -> dict[str, Any]:
    more = {"gen_ai.data_source.id": "kb@7", "gen_ai.retrieval.documents": rows}
    return genai(1, "retrieval", **(more | told))


def message(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts]}


CURRENT: dict[str, Any] = {
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "m",
    "gen_ai.response.model": "m-1",
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.input.messages": [message("system", "Cite."), message("user", PROMPT)],
    "gen_ai.output.messages": [
        message("assistant", "Fees rose.", " [2]") | {"finish_reason": "stop"}
    ],
}
OLDER: dict[str, Any] = {
    "gen_ai.system": "openai",
    "gen_ai.request.model": "m",
    "gen_ai.response.model": "m-1",
    "gen_ai.usage.prompt_tokens": 12,
    "gen_ai.usage.completion_tokens": 3,
}
CHAT = [{"role": "system", "content": "Cite."}, {"role": "user", "content": PROMPT}]
DETAILS = "gen_ai.client.inference.operation.details"


def as_text(attributes: dict[str, Any]) -> dict[str, Any]:
    """Messages as JSON in strings, as SDKs without structured attributes send them."""
    return {k: json.dumps(v) if isinstance(v, list) else v for k, v in attributes.items()}


def without(attributes: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in attributes.items() if not k.endswith("messages")}


DIALECTS: dict[str, dict[str, Any]] = {
    "current": genai(2, "chat", **CURRENT),
    "current, as JSON in strings": genai(2, "chat", **as_text(CURRENT)),
    "current, in an event": genai(
        2, "chat", events=[(DETAILS, {k: v for k, v in CURRENT.items() if k.endswith("messages")})],
        **without(CURRENT),
    ),
    "system instructions apart": genai(
        2, "chat",
        **(CURRENT | {
            "gen_ai.system_instructions": [{"type": "text", "content": "Cite."}],
            "gen_ai.input.messages": [message("user", PROMPT)],
        }),
    ),
    "prompt and completion": genai(
        2, "chat", **OLDER,
        **{"gen_ai.prompt": json.dumps(CHAT), "gen_ai.completion": ANSWER},
    ),
    "prompt and completion, flattened": genai(
        2, **OLDER,
        **{f"gen_ai.prompt.{i}.{name}": each[name] for i, each in enumerate(CHAT) for name in each},
        **{"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": ANSWER,
           "llm.request.type": "chat"},
    ),
    "content events": genai(
        2, "chat", **OLDER,
        events=[("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(CHAT)}),
                ("gen_ai.content.completion", {"gen_ai.completion": json.dumps([{"content": ANSWER}])})],
    ),
    "an event a message": genai(
        2, "chat", **OLDER,
        events=[("gen_ai.system.message", {"gen_ai.system": "openai", "content": "Cite."}),
                ("gen_ai.user.message", {"content": PROMPT}),
                ("gen_ai.choice", {"index": 0, "finish_reason": "stop",
                                   "message": json.dumps({"role": "assistant", "content": ANSWER})})],
    ),
    "an event a message, content as JSON": genai(
        2, "chat", **OLDER,
        events=[("gen_ai.user.message", {"gen_ai.event.content": json.dumps({"content": PROMPT})}),
                ("gen_ai.choice", {"message": {"content": ANSWER}, "index": 0})],
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_gives_the_same_answer(dialect: str) -> None:
    records = to_records(request(retrieval(), DIALECTS[dialect]))
    answer = only(records, "answer")
    assert (answer["key"], answer["text"]) == (key(2), ANSWER)
    assert (answer["model"], answer["provider"]) == ("m-1", "openai")
    assert answer["attributes"] == {"llm.token_count.prompt": 12, "llm.token_count.completion": 3}
    context = only(records, "context")
    assert [(i["chunk"], i["position"]) for i in context["items"]] == [
        ({"key": "a", "namespace": "kb"}, 1),
        ({"key": "b", "namespace": "kb"}, 2),
    ]
    assert context["attributes"] == {
        "items_known_from": "prompt",
        "positions_known_from": "prompt",
    }
    assert only(records, "claim")["interval"] == {"start": 0, "end": 10}
    citation = only(records, "citation")
    assert (citation["marker"], citation["position"]) == ("[2]", 2)


def test_what_the_model_was_given_beside_words_is_no_answer() -> None:
    parts = [
        {"type": "reasoning", "content": "Hm."},
        {"type": "tool_call", "id": "1", "name": "search", "arguments": {"q": "fees"}},
    ]
    told = CURRENT | {"gen_ai.output.messages": [{"role": "assistant", "parts": parts}]}
    records = to_records(request(genai(2, "chat", **told)))
    assert of_kind(records, "answer") == []
    assert [run["run_kind"] for run in of_kind(records, "run")] == ["generate"]


@pytest.mark.parametrize("name", ["response", "result"])
def test_what_a_tool_gave_back_was_read(name: str) -> None:
    given = [
        message("user", "Which fees rose?"),
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "1", name: "Beta is two."}],
        },
    ]
    told = CURRENT | {"gen_ai.input.messages": given}
    records = to_records(request(retrieval(), genai(2, "chat", **told)))
    context = only(records, "context")
    assert [(i["chunk"]["key"], i["position"]) for i in context["items"]] == [("b", 1)]
    assert only(records, "answer")["question"] == "Which fees rose?"


@pytest.mark.parametrize(
    "rows",
    [ROWS, json.dumps(ROWS), [*ROWS, "no row", 3, {"score": 1}]],
    ids=["rows", "text", "junk"],
)
def test_retrieval_documents_structured_or_as_text(rows: Any) -> None:
    found = only(to_records(request(retrieval(rows))), "retrieval")
    assert found["index_snapshot"] == {"key": "kb@7", "namespace": "kb"}
    assert [(c["chunk"]["key"], c["rank"], c["score"]) for c in found["candidates"]] == [
        ("a", 1, 0.9),
        ("b", 2, 0.5),
    ]


@pytest.mark.parametrize("name", ["gen_ai.request.top_k", "gen_ai.retrieval.top_k"])
def test_query_and_top_k(name: str) -> None:
    told: dict[str, Any] = {name: 5.0, "gen_ai.retrieval.query.text": "fees"}
    found = only(to_records(request(retrieval(**told))), "retrieval")
    assert (found["query"], found["top_k"]) == ("fees", 5)


@pytest.mark.parametrize("digits", [30, 5_000])
def test_a_score_of_too_many_digits_loses_nothing_else(digits: int) -> None:
    rows = f'[{{"id": "a", "score": {"9" * digits}}}, {{"id": "b", "score": 0.5}}]'
    record = parse_record(0, only(to_records(request(retrieval(rows))), "retrieval"))
    assert isinstance(record, NativeRecord)
    found = record.fields["candidates"]
    assert [candidate["score"] for candidate in found] == [1e30 if digits == 30 else None, 0.5]
    assert [(w.code, w.pointer) for w in record.warnings] == (
        [] if digits == 30 else [("score_not_finite", "/candidates/0/score")]
    )


def test_score_that_is_null_is_no_score() -> None:
    found = only(to_records(request(retrieval([{"id": 7, "score": None}]))), "retrieval")
    assert found["candidates"] == [{"chunk": {"key": "7", "namespace": "kb"}, "rank": 1}]


def test_openinference_wins_where_both_stand_on_one_span() -> None:
    told: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.retrieval.documents": ROWS,
        "gen_ai.data_source.id": "kb@7",
        "gen_ai.conversation.id": "c-1",
    }
    both = span(1, "RETRIEVER", **documents("retrieval.documents", {"id": "oi"}), **told)
    records = to_records(request(both, DIALECTS["current"]))
    found = only(records, "retrieval")
    assert [c["chunk"]["key"] for c in found["candidates"]] == ["oi"]
    assert found["index_snapshot"]["key"] == "kb@7"
    # printf %s session:c-1 | sha256sum
    assert only(records, "answer")["session"] == "session-aeb311d415082ddd"


def test_the_example_in_genai_words() -> None:
    records = to_records(json.loads((FILES / "genai.json").read_text()))
    trace = "5b8efff798038103d269b633813fc60c"
    assert [(r["run_kind"], r["key"][-4:]) for r in of_kind(records, "run")] == [
        ("embed", "b101"), ("retrieve", "b102"), ("generate", "b103"), ("check", "ck-1"),
    ]  # fmt: skip
    assert [(c["component_kind"], c["name"], c.get("namespace")) for c in of_kind(records, "component")] == [
        ("embedder", "all-MiniLM-L6-v2", "local"),
        ("retriever", "retrieval", "rag-api"),
        ("model", "gpt-x-2026-01", "openai"),
        ("checker", "entailment", "rag-api"),
    ]  # fmt: skip
    answer = only(records, "answer")
    assert (answer["key"], answer["text"], answer["question"]) == (
        f"{trace}:eee19b7ec3c1b103", "A [c1]", "Q?",
    )  # fmt: skip
    assert answer["parameters"] == {"temperature": 0.0}
    check = of_kind(records, "run")[-1]
    assert check["used"] == [{"kind": "answer", "key": answer["key"]}]
    assert check["parameters"] == {"score": 0.97, "label": "supported"}
    # Nothing tells what the model read: what was retrieved is assumed.
    assert only(records, "context")["attributes"] == {
        "items_known_from": "retrieval",
        "positions_known_from": "order",
    }
    assert only(records, "citation")["position"] == 1


def test_evaluation_of_another_response_is_not_one_of_the_answer() -> None:
    told = {"gen_ai.evaluation.name": "e", "gen_ai.evaluation.score.value": 1,
            "gen_ai.evaluation.explanation": "secret words", "gen_ai.response.id": "other"}  # fmt: skip
    raw = genai(2, "chat", events=[("gen_ai.evaluation.result", told)], **CURRENT)
    records = to_records(request(raw))
    (check,) = [run for run in of_kind(records, "run") if run["run_kind"] == "check"]
    assert "used" not in check
    assert "secret" not in json.dumps(records)


@pytest.mark.parametrize("prefix", ["annotations", "evaluations", "trace.annotations"])
def test_openinference_annotations_are_checks(prefix: str) -> None:
    word = prefix.rpartition(".")[2].removesuffix("s")
    told: dict[str, Any] = {f"{prefix}.0.{word}.name": "relevance", f"{prefix}.0.{word}.label": "good",
                            f"{prefix}.1.{word}.score": 0.5}  # fmt: skip
    raw = span(1, "LLM", output__value="Yes.", llm__model_name="m", **told)
    (check,) = [r for r in of_kind(to_records(request(raw)), "run") if r["run_kind"] == "check"]
    assert check["parameters"] == {"label": "good"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_record_is_accepted(dialect: str) -> None:
    for index, each in enumerate(to_records(request(retrieval(), DIALECTS[dialect]))):
        parsed = parse_record(index, each)
        assert isinstance(parsed, NativeRecord), parsed
        assert parsed.warnings == ()


@pytest.mark.parametrize(
    "junk",
    [
        {"gen_ai.input.messages": 3, "gen_ai.output.messages": "{"},
        {"gen_ai.output.messages": [{"role": 1, "parts": [None, 3, {"type": "text"}]}]},
        {"gen_ai.output.messages": json.dumps([[[[[[[[[["deep"]]]]]]]]]])},
        {"gen_ai.completion": "[" * 50_000, "gen_ai.usage.output_tokens": "many"},
        {"gen_ai.operation.name": 7, "gen_ai.retrieval.documents": "[1, 2"},
    ],
)  # fmt: skip
def test_junk_is_passed_over(junk: dict[str, Any]) -> None:
    raw = genai(2, **junk)
    for index, each in enumerate(to_records(request(retrieval(), raw))):
        assert isinstance(parse_record(index, each), NativeRecord)
