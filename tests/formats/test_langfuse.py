"""Traces exported by Langfuse, read for their answers; what is known of them was read by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from demo.files import read_json
from lineage.formats.langfuse import NotAnExport, to_records
from lineage.formats.openinference import to_records as otlp_records
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import of_kind, only, request, span

pytestmark = pytest.mark.engine_free

FOLDER = Path(__file__).parent / "langfuse"
# File → span that answers, question, start of the answer, model, provider, claims.
ANSWERS = {
    "autogen-2025-06-06": (
        "1b72c51fabed12ae7df83bfd4a09f545:83517f9062f5ada4", "Say 'Hello World!'", "Hello World!",
        "gpt-4o", None, 1,
    ),
    "langgraph-python-2025-08-22": (
        "e1fde3efec57ce8a69bafd3fb928a7eb:5ba09605e0929d78",
        "Search the web for 'example' and summarize.", 'The search for "example" primarily leads',
        "gpt-4o-2024-08-06", "openai", 2,
    ),
    "llamaindex-2025-06-05": (
        "12ea412956f99347b0503c1144acd0ec:7ca8b22f6628d0c7", "What is Langfuse?",
        "Langfuse is a tool designed to help", "gpt-4o", "openai", 3,
    ),
    "openai-agents-2025-09-30": (
        "fee618f96dc31e0ca38b2f7b26eb8b29:90d94774e8e3724d", "What's the weather in Tokyo?",
        "The weather in Tokyo is currently sunny.", "gpt-4.1-2025-04-14", "openai", 2,
    ),
}  # fmt: skip


def records_of(name: str) -> list[Any]:
    return to_records(read_json(FOLDER / f"{name}.trace.json"))


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_real_traces(name: str) -> None:
    key, question, start, model, provider, claims = ANSWERS[name]
    records = records_of(name)
    answer = only(records, "answer")
    assert (answer["key"], answer["question"]) == (key, question)
    assert answer["text"].startswith(start)
    assert (answer["model"], answer.get("provider")) == (model, provider)
    assert len(of_kind(records, "claim")) == claims
    # No retrieval was recorded: nothing is made up in its place.
    assert of_kind(records, "retrieval") == of_kind(records, "context") == []
    assert of_kind(records, "citation") == []


def test_a_trace_of_tool_calls_alone_has_no_answer() -> None:
    records = records_of("vercel-aisdk-2025-11-17")
    assert of_kind(records, "answer") == []
    assert [(r["run_kind"], r["key"].partition(":")[2]) for r in of_kind(records, "run")] == [
        ("check", "1dc6768109615657#check-1"),
        ("check", "1dc6768109615657#check-2"),
        ("generate", "91a17a2274bfd23f"),
    ]


def test_scores_are_checks_of_the_answer() -> None:
    records = records_of("openai-agents-2025-09-30")
    checks = [r for r in of_kind(records, "run") if r["run_kind"] == "check"]
    assert [(c["component"]["key"], c["parameters"]) for c in checks] == [
        ("checker:toxicity@unstated", {"score": 0.8}),
        ("checker:hallucination@unstated", {"score": 0}),
    ]
    assert {c["used"][0]["key"] for c in checks} == {ANSWERS["openai-agents-2025-09-30"][0]}
    assert "toxic" not in json.dumps(only(records, "answer"))


def test_parameters_hold_no_words_of_the_prompt() -> None:
    parameters = only(records_of("openai-agents-2025-09-30"), "answer")["parameters"]
    assert "instructions" not in parameters
    assert parameters["temperature"] == 1


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_every_record_is_accepted_whatever_the_order(path: Path) -> None:
    document = read_json(path)
    records = to_records(document)
    for index, each in enumerate(records):
        parsed = parse_record(index, each)
        assert isinstance(parsed, NativeRecord), parsed
        assert parsed.warnings == ()
    document["observations"].reverse()
    assert to_records(document) == records
    assert to_records([document]) == records
    nested = document["trace"] | {"observations": document["observations"]}
    assert to_records(nested) == records


def observation(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    at = f"2026-03-01T10:00:0{number}Z"
    return {"id": f"o{number}", "type": kind, "name": "n", "startTime": at, "endTime": at} | fields


def test_retriever_observations_hold_their_documents() -> None:
    output = [
        {"page_content": "Alpha is one.", "metadata": {"id": "a"}, "type": "Document"},
        {"node": {"id_": "b", "text": "Beta is two."}, "score": 0.5},
    ]
    trace = {
        "trace": {"id": "t", "input": "Which?"},
        "observations": [
            observation(1, "RETRIEVER", parentObservationId="o0", output=json.dumps(json.dumps(output))),
            observation(2, "GENERATION", model="m", input="[1] Beta is two.", output="Two. [1]"),
        ],
    }  # fmt: skip
    records = to_records(trace, snapshot_namespace="kb")
    found = only(records, "retrieval")
    assert [(c["chunk"]["key"], c.get("score"), c["kept"]) for c in found["candidates"]] == [
        ("a", None, False), ("b", 0.5, True),
    ]  # fmt: skip
    assert only(records, "context")["items"] == [
        {"chunk": {"key": "b", "namespace": "kb"}, "position": 1}
    ]
    assert only(records, "citation")["position"] == 1
    assert only(records, "answer")["key"] == "t:o2"


def test_langfuses_own_attributes_over_otlp() -> None:
    told: dict[str, Any] = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "m-1",
        "langfuse.observation.input": json.dumps([{"role": "user", "content": "Which?"}]),
        "langfuse.observation.output": json.dumps({"role": "assistant", "content": "Two. [1]"}),
        "langfuse.session.id": "s",
    }
    raw = span(1, "", **told)
    raw["attributes"] = [a for a in raw["attributes"] if a["key"] != "openinference.span.kind"]
    answer = only(otlp_records(request(raw)), "answer")
    assert (answer["text"], answer["question"], answer["model"]) == ("Two. [1]", "Which?", "m-1")


def test_an_export_nested_without_end_is_refused() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = {"a": deep}
    with pytest.raises(NotAnExport, match="too deeply"):
        to_records({"trace": {"id": "t"}, "observations": [observation(1, "SPAN", input=deep)]})


@pytest.mark.parametrize("body", [None, [None], {}, {"trace": {"id": "t"}}, {"id": "t", "observations": {}},
                                  {"trace": {"id": ""}, "observations": []}, [{"trace": 3}]])  # fmt: skip
def test_what_is_no_export_is_refused(body: Any) -> None:
    with pytest.raises(NotAnExport):
        to_records(body)


@pytest.mark.parametrize(
    "junk",
    [{"startTime": "soon", "metadata": "{"}, {"metadata": {"attributes": 3, "scope": "x", "resourceAttributes": []}},
     {"input": 3, "output": {"a": [None]}, "modelParameters": "x", "usageDetails": []}, {"type": None, "name": 4}],
)  # fmt: skip
def test_junk_is_passed_over(junk: dict[str, Any]) -> None:
    trace = {
        "trace": {"id": "t", "scores": [3, {"name": 1}]},
        "observations": [3, {}, observation(1, "GENERATION", **junk)],
    }
    for index, each in enumerate(to_records(trace)):
        assert isinstance(parse_record(index, each), NativeRecord), each
