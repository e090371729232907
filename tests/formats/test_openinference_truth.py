"""The eighteen real traces against what is known of them (openinference_truth.jsonl).

The truth file is of the same origin as demo/data/traces (see its README): it was written by
what made the answers, not by reading the traces.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from demo.files import DATA, read_json, read_lines
from lineage.formats.openinference import records_of as to_records_of_spans
from lineage.formats.openinference import to_records
from lineage.formats.otlp import decode
from lineage.formats.otlp_request import read_request
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import of_kind, only

pytestmark = pytest.mark.engine_free

TRUTH = {
    row["file"]: row for row in read_lines(Path(__file__).parent / "openinference_truth.jsonl")
}
PROTOBUF = Path(__file__).parent / "protobuf_traces"
BY_FILE = pytest.mark.parametrize("file", sorted(TRUTH))


def trace(file: str) -> Any:
    return read_json(DATA / "traces" / file)


def records_of(file: str) -> list[Any]:
    return to_records(trace(file), snapshot_namespace="bm25")


def test_every_trace_of_the_demo_has_its_truth() -> None:
    assert sorted(path.name for path in (DATA / "traces").glob("*.json")) == sorted(TRUTH)


@BY_FILE
def test_question_answer_and_context(file: str) -> None:
    records, truth = records_of(file), TRUTH[file]
    answer, context = only(records, "answer"), only(records, "context")
    assert answer["key"].split(":")[0] == truth["trace_ids"][0]
    assert (answer["question"], answer["text"]) == (truth["question"], truth["answer"])
    assert answer["context"] == context["key"]
    assert context["retrieval"] == [only(records, "retrieval")["key"]]
    assert [item["chunk"]["key"] for item in context["items"]] == truth["context"]
    assert [item["position"] for item in context["items"]] == [
        number for number, _ in enumerate(truth["context"], start=1)
    ]
    # LlamaIndex prints no numbers before its passages.
    assert context["attributes"] == {
        "items_known_from": "prompt",
        "positions_known_from": "order" if file.startswith("llamaindex") else "prompt",
    }


@BY_FILE
def test_claims_and_cited_positions(file: str) -> None:
    records, truth = records_of(file), TRUTH[file]
    claims, citations = of_kind(records, "claim"), of_kind(records, "citation")
    answer = only(records, "answer")
    assert [claim["interval"] for claim in claims] == [
        {"start": claim["answer_start"], "end": claim["answer_end"]} for claim in truth["claims"]
    ]
    assert [
        answer["text"][claim["interval"]["start"] : claim["interval"]["end"]] for claim in claims
    ] == [claim["claim"] for claim in truth["claims"]]
    assert [
        (citation["claim"], citation["position"], citation["marker"]) for citation in citations
    ] == [
        (claim["key"], told["cited"], f"[{told['cited']}]")
        for claim, told in zip(claims, truth["claims"], strict=True)
    ]


def test_four_citations_name_a_position_that_their_context_lacks() -> None:
    outside = {}
    for file in TRUTH:
        records = records_of(file)
        positions = {item["position"] for item in only(records, "context")["items"]}
        outside[file] = [
            c["position"] for c in of_kind(records, "citation") if c["position"] not in positions
        ]
    assert {file: positions for file, positions in outside.items() if positions} == {
        "haystack_00.json": [5],
        "haystack_03.json": [5],
        "haystack_04.json": [5],
        "haystack_05.json": [5],
    }


@BY_FILE
def test_chunks_are_named_in_their_collection_by_the_digest_of_their_text(file: str) -> None:
    chunks = {
        chunk["chunk_id"]: chunk
        for chunk in read_json(DATA / "articles/index_snapshot.json")["chunks"]
    }
    records = records_of(file)
    retrieval = only(records, "retrieval")
    assert retrieval["index_snapshot"] == {
        "key": "bm25-dev-900-150-dcb0ec333d23",
        "namespace": "bm25",
    }
    for candidate in retrieval["candidates"]:
        ref = candidate["chunk"]
        assert ref == {
            "key": ref["key"],
            "namespace": "bm25",
            "digest": f"sha256:{chunks[ref['key']]['sha256']}",
        }


@BY_FILE
def test_every_record_is_accepted(file: str) -> None:
    for index, record in enumerate(records_of(file)):
        parsed = parse_record(index, record)
        assert isinstance(parsed, NativeRecord), parsed
        assert parsed.warnings == ()


@BY_FILE
def test_order_of_spans_does_not_matter(file: str) -> None:
    body = trace(file)
    for resource_spans in body["resourceSpans"]:
        for scope_spans in resource_spans["scopeSpans"]:
            scope_spans["spans"] *= 2
            random.Random(file).shuffle(scope_spans["spans"])
    assert json.dumps(to_records(body, snapshot_namespace="bm25")) == json.dumps(records_of(file))


@pytest.mark.parametrize("name", ["haystack_00", "haystack_01", "langchain_00", "llamaindex_00"])
def test_what_an_exporter_sent_in_protobuf_reads_as_its_json_does(name: str) -> None:
    body = (PROTOBUF / f"{name}.pb").read_bytes()
    decoded = read_request(body, "application/x-protobuf")
    assert decoded.rejected == ()
    records = to_records_of_spans(decoded.spans, snapshot_namespace="bm25")
    assert records == records_of(f"{name}.json")
    # Spans as well: what no record has is not read otherwise either.
    assert decoded == decode(trace(f"{name}.json"))


def test_haystack_retrieval_by_rank_score_and_reranker() -> None:
    retrieval = only(records_of("haystack_03.json"), "retrieval")
    told = [
        (c["rank"], c["chunk"]["key"], round(c["score"], 3), c["score_kind"], c["kept"],
         c.get("rerank_rank"), c.get("rerank_score"), c.get("drop_reason"))
        for c in retrieval["candidates"]
    ]  # fmt: skip
    out = "reranked_out"
    assert told == [
        (1, "sotu-2024-28500-29400", 19.072, "bm25", False, None, None, out),
        (2, "sotu-2024-36750-37650", 18.466, "bm25", False, None, None, out),
        (3, "sotu-2024-27750-28650", 15.26, "bm25", False, None, None, out),
        (4, "sotu-2024-0-900", 11.21, "bm25", True, 4, 0.202454, None),
        (5, "PMC212691-77250-78150", 10.054, "bm25", False, None, None, out),
        (6, "PMC212687-18750-19650", 9.848, "bm25", True, 3, 0.206897, None),
        (7, "sotu-2024-42000-42900", 9.717, "bm25", False, None, None, out),
        (8, "PMC193606-1500-2400", 9.597, "bm25", False, None, None, out),
        (9, "PMC212691-76500-77400", 9.473, "bm25", True, 1, 0.230216, None),
        (10, "PMC193607-3000-3900", 9.465, "bm25", True, 2, 0.213235, None),
    ]


def test_haystack_parties_and_times() -> None:
    records = records_of("haystack_03.json")
    trace_id = "1207780687057b16ea9bf4edf389006c"
    assert [(c["component_kind"], c["name"], c["version"], c.get("namespace", "")) for c in of_kind(records, "component")] == [
        ("retriever", "InMemoryBM25Retriever", "1.0", "haystack-rag"),
        ("reranker", "OverlapRanker", "1.0", "haystack-rag"),
        ("prompt", "PromptBuilder", "unstated", "haystack-rag"),
        ("model", "extractive-mock-1", "unstated", ""),
    ]  # fmt: skip
    assert [(r["run_kind"], r["key"], r["started_at"], r["ended_at"]) for r in of_kind(records, "run")] == [
        ("retrieve", f"{trace_id}:2bf429f12771f1ee", "2026-11-29T18:41:20.025541Z", "2026-11-29T18:41:20.036144Z"),
        ("rerank", f"{trace_id}:d958cf18a0ef4704", "2026-11-29T18:41:20.037497Z", "2026-11-29T18:41:20.039184Z"),
        ("generate", f"{trace_id}:979f038e9a308467", "2026-11-29T18:41:20.042126Z", "2026-11-29T18:41:20.042501Z"),
    ]  # fmt: skip
    answer = only(records, "answer")
    assert answer["key"] == f"{trace_id}:979f038e9a308467"
    assert answer["occurred_at"] == "2026-11-29T18:41:20.042501Z"
    assert answer["model"] == "extractive-mock-1"
    assert answer["attributes"] == {
        "llm.token_count.prompt": 946,
        "llm.token_count.completion": 52,
        "llm.token_count.total": 999,
    }


def test_llamaindex_outer_retriever_decides_and_outer_model_span_answers() -> None:
    records = records_of("llamaindex_01.json")
    trace_id = "7c4e41918c3331a7647fa075ca85cb11"
    assert only(records, "retrieval")["key"] == f"{trace_id}:f449b25c30dfbe9d"
    assert only(records, "retrieval")["query"] == (
        "What determines the degradation rate of β-catenin in the absence of a Wnt signal?"
    )
    assert only(records, "answer")["key"] == f"{trace_id}:cba97a23149ba394"
    assert only(records, "answer")["parameters"] == {
        "context_window": 100000,
        "model_name": "extractive-mock-1",
    }


def test_langchain_documents_have_no_score_and_keys_from_their_metadata() -> None:
    records = records_of("langchain_02.json")
    candidates = only(records, "retrieval")["candidates"]
    assert [(c["rank"], c["chunk"]["key"]) for c in candidates] == [
        (1, "PMC212690-1500-2400"),
        (2, "PMC193606-0-900"),
        (3, "PMC176548-0-900"),
        (4, "PMC193607-0-900"),
        (5, "PMC176547-0-900"),
    ]
    assert {"score", "score_kind"}.isdisjoint(candidates[0])
    assert "model" not in only(records, "answer")
    assert only(records, "answer")["provider"] == "genericfakechatmodel"
