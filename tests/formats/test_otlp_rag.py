"""Our own `rag.*` attributes: what is stated wins over what would be recognised."""

import json
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

DIGEST = "sha256:" + "ab" * 32
ANSWER = "Fees rose [k2]. Costs fell (Smith 2003)."


def key(number: int) -> str:
    return f"{TRACE_ID}:{span_id(number)}"


def plain(number: int, **told: Any) -> dict[str, Any]:
    """A span of no convention but ours."""
    raw = span(number, "", at=number, **told)
    raw["attributes"] = [a for a in raw["attributes"] if a["key"] != "openinference.span.kind"]
    return raw


def dotted(prefix: str, value: Any) -> dict[str, Any]:
    """A list spelled out as dotted keys, as SDKs send that know no structured attributes."""
    if isinstance(value, list):
        pairs = [(str(index), each) for index, each in enumerate(value)]
    elif isinstance(value, dict):
        pairs = list(value.items())
    else:
        return {prefix: value}
    return {k: v for name, each in pairs for k, v in dotted(f"{prefix}.{name}", each).items()}


def model(number: int, text: str = ANSWER, **told: Any) -> dict[str, Any]:
    return plain(number, **({"rag.operation": "generate", "output.value": text} | told))


FOUND = [
    {"id": "a", "score": 0.9, "score_kind": "similarity", "kept": True, "digest": DIGEST},
    {"id": "b", "score": 0.4, "kept": False, "drop_reason": "below_threshold"},
    {"id": "c", "collection": "other", "score_kind": "guess", "digest": "md5:1"},
]
CLAIMS = [
    {"text": "Fees rose", "citations": [{"marker": "[k2]", "id": "a", "quote": "rose", "confidence": 0.5}]},
    {"start": 16, "end": 26, "citations": [{"position": 1}, {"id": "z"}, {"marker": "[9]"}, "junk"]},
    {"citations": []},
]  # fmt: skip


def spelled(name: str, value: Any, how: str) -> dict[str, Any]:
    """One attribute, in each of the ways that it may be sent."""
    match how:
        case "structured":
            return {name: value}
        case "text":
            return {name: json.dumps(value)}
    return dotted(name, value)


WAYS = pytest.mark.parametrize("how", ["structured", "text", "flattened"])


@WAYS
def test_candidates_say_what_became_of_them(how: str) -> None:
    told = spelled("rag.retrieval.documents", FOUND, how)
    told |= {"rag.collection": "kb", "rag.index_snapshot": "kb@3", "rag.retrieval.query": "fees?"}
    found = only(to_records(request(plain(1, **told))), "retrieval")
    assert found["index_snapshot"] == {"key": "kb@3", "namespace": "kb"}
    assert found["query"] == "fees?"
    assert found["candidates"] == [
        {"chunk": {"key": "a", "namespace": "kb", "digest": DIGEST}, "rank": 1, "score": 0.9,
         "score_kind": "similarity", "kept": True},
        {"chunk": {"key": "b", "namespace": "kb"}, "rank": 2, "score": 0.4,
         "score_kind": "unknown", "kept": False, "drop_reason": "below_threshold"},
        {"chunk": {"key": "c", "namespace": "other"}, "rank": 3},
    ]  # fmt: skip


def test_what_a_limit_of_attributes_dropped_leaves_the_others_in_their_places() -> None:
    """SDKs drop the oldest attributes of a span that has too many: the first of a flattened list."""
    found = {"rag.retrieval.documents.2.id": "c", "rag.retrieval.documents.5.id": "f"}
    reranked = {"rag.rerank.output_documents.4.id": "f"}
    read = {"rag.context.documents.1.id": "c", "rag.context.documents.3.id": "f"}
    records = to_records(request(plain(1, **found), plain(2, **reranked), model(3, **read)))
    candidates = only(records, "retrieval")["candidates"]
    assert [(c["chunk"]["key"], c["rank"], c.get("rerank_rank")) for c in candidates] == [
        ("c", 3, None), ("f", 6, 5),
    ]  # fmt: skip
    items = only(records, "context")["items"]
    assert [(i["chunk"]["key"], i["position"]) for i in items] == [("c", 2), ("f", 4)]


def test_a_place_that_no_list_has_is_taken_for_none() -> None:
    found = to_records(request(plain(1, **{"rag.retrieval.documents.999999999.id": "far"})))
    assert [c["rank"] for c in only(found, "retrieval")["candidates"]] == [1]


@WAYS
def test_reranker_and_what_it_dropped(how: str) -> None:
    given = [{"id": "a"}, {"id": "b", "drop_reason": "duplicate"}, {"id": "c"}]
    gave = [{"id": "c", "score": 0.7}]
    reranker = plain(2, **{"rag.rerank.model": "ce-1", "rag.rerank.top_k": 1.0},
                     **spelled("rag.rerank.input_documents", given, how),
                     **spelled("rag.rerank.output_documents", gave, how))  # fmt: skip
    spans = [plain(1, **{"rag.operation": "retrieval", "rag.retrieval.documents": given}),
             reranker, model(3)]  # fmt: skip
    records = to_records(request(*spans))
    found = only(records, "retrieval")
    assert [(c["kept"], c.get("drop_reason"), c.get("rerank_rank")) for c in found["candidates"]] == [
        (False, "reranked_out", None), (False, "duplicate", None), (True, None, 1),
    ]  # fmt: skip
    (run,) = [r for r in of_kind(records, "run") if r["run_kind"] == "rerank"]
    assert (run["component"]["key"], run["parameters"]) == ("reranker:ce-1@3.2", {"top_k": 1})


@WAYS
def test_context_is_what_is_stated(how: str) -> None:
    read = [
        {"id": "b", "position": 4},
        {
            "id": "x",
            "start": 10,
            "end": 90,
            "truncated": True,
            "digest": DIGEST,
            "collection": "kb2",
        },
        {"position": 1},
    ]
    spans = [
        span(1, "RETRIEVER", **documents("retrieval.documents", {"id": "a"}, {"id": "b"}), rag__collection="kb"),
        model(2, **spelled("rag.context.documents", read, how)),
    ]  # fmt: skip
    context = only(to_records(request(*spans)), "context")
    assert context["items"] == [
        {"chunk": {"key": "b", "namespace": "kb"}, "position": 4},
        {"chunk": {"key": "x", "namespace": "kb2", "digest": DIGEST}, "position": 2,
         "interval": {"start": 10, "end": 90, "in": "chunk"}, "truncated": True},
    ]  # fmt: skip
    assert context["attributes"] == {
        "items_known_from": "attributes",
        "positions_known_from": "attributes",
    }


@WAYS
def test_claims_and_citations_are_what_is_stated(how: str) -> None:
    told = (
        spelled("rag.claims", CLAIMS, how)
        if how != "flattened"
        else dotted("rag.claims", CLAIMS[:2])
    )
    records = to_records(request(model(1, **told, rag__collection="kb")))
    claims = of_kind(records, "claim")
    assert [(c.get("text"), c.get("interval")) for c in claims] == [
        ("Fees rose", None), (None, {"start": 16, "end": 26}),
    ]  # fmt: skip
    told_of = [
        (c["claim"][-1], c["marker"], c.get("chunk"), c.get("position"), c.get("quote"), c.get("confidence"))
        for c in of_kind(records, "citation")
    ]  # fmt: skip
    assert told_of == [
        ("1", "[k2]", {"key": "a", "namespace": "kb"}, None, "rose", 0.5),
        ("2", "[1]", None, 1, None, None),
        ("2", "[z]", {"key": "z", "namespace": "kb"}, None, None, None),
    ]


def test_no_claims_is_a_statement_too() -> None:
    records = to_records(request(model(1, "Yes. [1]", **{"rag.claims": "[]"})))
    assert of_kind(records, "claim") == []


@WAYS
def test_markers_mean_what_is_stated(how: str) -> None:
    meanings = [{"marker": "[k2]", "id": "a"}, {"marker": "(Smith 2003)", "position": 3}]
    told = spelled("rag.citations", meanings, how)
    records = to_records(request(model(1, **told, rag__collection="kb")))
    assert [c["interval"] for c in of_kind(records, "claim")] == [
        {"start": 0, "end": 9}, {"start": 16, "end": 26},
    ]  # fmt: skip
    assert [(c["marker"], c.get("chunk"), c.get("position")) for c in of_kind(records, "citation")] == [
        ("[k2]", {"key": "a", "namespace": "kb"}, None), ("(Smith 2003)", None, 3),
    ]  # fmt: skip


def test_a_number_means_what_is_stated_also_in_a_group() -> None:
    meanings = [{"marker": "[2]", "id": "b"}]
    records = to_records(request(model(1, "Yes. [1, 2]", **{"rag.citations": meanings})))
    assert [(c["marker"], c.get("chunk"), c.get("position")) for c in of_kind(records, "citation")] == [
        ("[1, 2]", None, 1), ("[1, 2]", {"key": "b", "namespace": None}, None),
    ]  # fmt: skip


def test_prompt_answer_and_component_by_name() -> None:
    told: dict[str, Any] = {"rag.prompt.name": "qa", "rag.prompt.version": "4", "rag.question": "Which?",
            "rag.abstained": True, "rag.served_from": key(9)}  # fmt: skip
    found = plain(1, **{"rag.operation": "retrieval", "rag.component.name": "hybrid",
                        "rag.component.version": "9", "rag.retrieval.documents": [{"id": "a"}]})  # fmt: skip
    records = to_records(request(found, model(2, **told)))
    assert only(records, "context")["prompt"] == {"key": "prompt:qa@4", "namespace": "shop"}
    answer = only(records, "answer")
    assert (answer["question"], answer["abstained"], answer["served_from"]) == (
        "Which?",
        True,
        key(9),
    )
    names = {c["component_kind"]: c["key"] for c in of_kind(records, "component")}
    assert names["retriever"] == "retriever:hybrid@9"


def test_an_index_run_tells_its_chunks_and_embeddings() -> None:
    cut = [{"id": "d#1", "document": "d", "start": 0, "end": 5, "index": 0, "heading_path": ["A"]},
           {"id": "d#2", "document": "d", "content": "Beta.", "digest": DIGEST}, {"id": "lost"}]  # fmt: skip
    spans = [
        plain(1, **{"rag.operation": "chunk", "rag.chunks": cut, "rag.component.name": "by-sentence"}),
        plain(2, **{"rag.operation": "embed", "rag.chunks": [{"id": "d#1", "digest": DIGEST}],
                    "gen_ai.request.model": "e-1", "gen_ai.embeddings.dimension.count": 384}),
    ]  # fmt: skip
    records = to_records(request(*spans, **{"rag.collection": "kb"}))
    assert [r["run_kind"] for r in of_kind(records, "run")] == ["chunk", "embed"]
    first, second = of_kind(records, "chunk")
    assert (first["key"], first["namespace"], first["document"], first["interval"]) == (
        "d#1", "kb", {"key": "d", "namespace": "kb"}, {"start": 0, "end": 5},
    )  # fmt: skip
    assert (first["index"], first["heading_path"], first["run"]) == (0, ["A"], key(1))
    assert (second["text"], second["digest"]) == ("Beta.", DIGEST)
    embedding = only(records, "embedding")
    assert (embedding["key"], embedding["chunk"], embedding["model"], embedding["dimensions"]) == (
        "d#1@e-1", {"key": "d#1", "namespace": "kb", "digest": DIGEST}, "e-1", 384,
    )  # fmt: skip
    assert embedding["run"] == key(2)


def test_every_record_is_accepted() -> None:
    stated: dict[str, Any] = {"rag.claims": CLAIMS, "rag.context.documents": [{"id": "a"}]}
    spans = [
        plain(1, **{"rag.operation": "retrieval", "rag.retrieval.documents": FOUND, "rag.collection": "kb"}),
        model(2, **stated),
        plain(3, **{"rag.operation": "chunk", "rag.chunks": [{"id": "a", "document": "d"}]}),
    ]  # fmt: skip
    for index, each in enumerate(to_records(request(*spans))):
        assert isinstance(parse_record(index, each), NativeRecord), each


@pytest.mark.parametrize("value", [3, "{", "[[1]]", [None, 3, ["x"]], {"a": 1}, [{"id": True}], ""])
@pytest.mark.parametrize(
    "name",
    ["rag.claims", "rag.citations", "rag.context.documents", "rag.chunks", "rag.retrieval.documents",
     "rag.rerank.output_documents", "rag.operation", "rag.collection", "rag.prompt.name"],
)  # fmt: skip
def test_junk_is_passed_over(name: str, value: Any) -> None:
    for operation in ("retrieval", "generate", "chunk", "embed"):
        told = {"rag.operation": operation, "output.value": "Yes. [1]"} | {name: value}
        for index, each in enumerate(to_records(request(plain(1, **told)))):
            assert isinstance(parse_record(index, each), NativeRecord), each
