"""Which chunk a document of a trace is, where collections share keys or one key stands for several."""

import time
from typing import Any

import pytest

from lineage.formats.openinference import records_of, to_records
from lineage.formats.otlp_protobuf import decode_protobuf
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import documents, of_kind, only, request, span
from tests.formats.otlp_bodies import protobuf

pytestmark = pytest.mark.engine_free

ALPHA, BETA, GAMMA = "Alpha is one.", "Beta is two.", "Gamma is three."
HIDDEN = "__REDACTED__"
# printf %s 'Alpha is one.' | sha256sum, and so on.
ALPHA_DIGEST = "sha256:18731fa702f5f6d202b01a4105a346e7da7db15ec334de7553035d862a1e0784"
BETA_DIGEST = "sha256:f0ea530173fc11fff928dc098e00dd949a0cca67382cafd65f8d170fa501847c"


def retriever(number: int, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return span(number, "RETRIEVER", **documents("retrieval.documents", *rows), **more)


def reranker(number: int, gave: list[Any], given: tuple[Any, ...] = (), **more: Any) -> Any:
    told: dict[str, Any] = documents("reranker.output_documents", *gave)
    told |= documents("reranker.input_documents", *given)
    return span(number, "RERANKER", at=0.6, lasts=0.1, **told, **more)


def model(number: int, prompt: str, answer: str = "Yes.", **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"llm.input_messages.0.message.content": prompt, "output.value": answer}
    return span(number, "LLM", at=1, **told, **more)


def native(*spans: Any) -> list[Any]:
    records = to_records(request(*spans))
    for index, record in enumerate(records):
        assert isinstance(parse_record(index, record), NativeRecord), record
    return records


def chunk(held: dict[str, Any]) -> tuple[str | None, str]:
    return held["chunk"]["namespace"], held["chunk"]["key"]


def candidates(records: list[Any]) -> list[Any]:
    """Of each candidate its collection and key, place after reranking, whether it was read, why not."""
    return [
        (*chunk(each), each.get("rerank_rank"), each.get("kept"), each.get("drop_reason"))
        for retrieval in of_kind(records, "retrieval")
        for each in retrieval["candidates"]
    ]


def items(records: list[Any]) -> list[Any]:
    return [(item["position"], *chunk(item)) for item in only(records, "context")["items"]]


# Two collections that share a key

IN_A = retriever(1, {"id": "1", "content": ALPHA}, gen_ai__data_source__id="kbA@1")
IN_B = retriever(2, {"id": "1", "content": BETA}, at=0.01, gen_ai__data_source__id="kbB@1")


def test_prompt_tells_which_of_two_collections_was_read() -> None:
    records = native(IN_A, IN_B, model(3, f"[1] {BETA}"))
    assert items(records) == [(1, "kbB", "1")]
    assert candidates(records) == [
        ("kbA", "1", None, False, "not_in_prompt"),
        ("kbB", "1", None, True, None),
    ]
    records = native(IN_A, IN_B, model(3, f"[1] {BETA} [2] {ALPHA}"))
    assert items(records) == [(1, "kbB", "1"), (2, "kbA", "1")]
    assert [kept for *_, kept, _ in candidates(records)] == [True, True]


def test_collection_of_each_row_counts_as_well() -> None:
    rows = [
        {"id": "1", "content": ALPHA, "collection": "kbA"},
        {"id": "1", "content": BETA, "collection": "kbB"},
    ]
    records = native(retriever(1, *rows), model(2, f"[1] {BETA}"))
    assert items(records) == [(1, "kbB", "1")]
    assert [each[:2] for each in candidates(records)] == [("kbA", "1"), ("kbB", "1")]


def test_reranker_that_says_no_collection_is_understood_by_content() -> None:
    rows = [{"id": "1", "content": ALPHA}, {"id": "1", "content": BETA, "score": 0.5}]
    records = native(IN_A, IN_B, reranker(3, rows[1:], tuple(rows)), model(4, f"[1] {BETA}"))
    assert candidates(records) == [
        ("kbA", "1", None, False, "reranked_out"),
        ("kbB", "1", 1, True, None),
    ]
    assert items(records) == [(1, "kbB", "1")]


def test_reranker_that_says_the_collection_is_believed() -> None:
    rows = [{"id": "1", "collection": "kbB", "score": 0.5}]
    records = native(IN_A, IN_B, reranker(3, rows), model(4, HIDDEN))
    assert [each[:4] for each in candidates(records)] == [
        ("kbA", "1", None, False), ("kbB", "1", 1, True),
    ]  # fmt: skip
    assert items(records) == [(1, "kbB", "1")]


def test_reranker_with_neither_has_them_in_the_order_of_the_retrievals() -> None:
    records = native(IN_A, IN_B, reranker(3, [{"id": "1"}, {"id": "1"}]), model(4, HIDDEN))
    assert [each[:3] for each in candidates(records)] == [("kbA", "1", 1), ("kbB", "1", 2)]


def test_all_is_assumed_read_of_both_collections() -> None:
    assert items(native(IN_A, IN_B, model(3, HIDDEN))) == [(1, "kbA", "1"), (2, "kbB", "1")]


def test_retrievers_inside_another_tell_their_collections() -> None:
    outer = retriever(9, {"id": "1", "content": BETA}, lasts=0.9)
    records = native(IN_A | {"parentSpanId": outer["spanId"]},
                     IN_B | {"parentSpanId": outer["spanId"]}, outer, model(3, BETA))  # fmt: skip
    assert candidates(records) == [
        ("kbB", "1", None, True, None),
        ("kbA", "1", None, False, "passed_over"),
    ]


@pytest.mark.parametrize("told", [{"collection": "kbB"}, {"digest": BETA_DIGEST}])
def test_what_is_stated_names_the_collection_or_the_text(told: dict[str, str]) -> None:
    """A statement about what was read or cited is about one of both."""
    stated: dict[str, Any] = {"rag.context.documents": [{"id": "1", **told}]}
    records = native(IN_A, IN_B, model(3, "p", **stated))
    assert items(records) == [(1, "kbB", "1")]
    assert [kept for *_, kept, _ in candidates(records)] == [False, True]
    stated = {"rag.citations": [{"marker": "[k]", "id": "1", **told}]}
    records = native(IN_A, IN_B, model(3, f"{ALPHA} {BETA}", "So it is [k].", **stated))
    assert chunk(only(records, "citation")) == ("kbB", "1")


def test_rows_of_the_context_that_say_neither_are_taken_in_order() -> None:
    stated: dict[str, Any] = {"rag.context.documents": [{"id": "1"}, {"id": "1"}]}
    records = native(IN_A, IN_B, model(3, "p", **stated))
    assert items(records) == [(1, "kbA", "1"), (2, "kbB", "1")]


def test_reranked_documents_without_ids_are_known_by_content_in_their_collection() -> None:
    records = native(IN_A, IN_B, reranker(3, [{"content": BETA}]), model(4, HIDDEN))
    assert [each[:3] for each in candidates(records)] == [("kbA", "1", None), ("kbB", "1", 1)]


# One key for several chunks


def test_repeated_row_is_one_candidate_and_keeps_its_places() -> None:
    rows = [{"id": "a", "content": ALPHA}, {"id": "a", "content": ALPHA}, {"id": "b"}]
    records = native(retriever(1, *rows), model(2, HIDDEN, "So. [2] And so. [3]"))
    assert [each["rank"] for each in only(records, "retrieval")["candidates"]] == [1, 3]
    assert items(records) == [(1, None, "a"), (2, None, "a"), (3, None, "b")]


def test_passage_that_a_prompt_repeats_stands_at_both_numbers() -> None:
    rows = [
        {"id": "a", "content": ALPHA},
        {"id": "a", "content": ALPHA},
        {"id": "b", "content": BETA},
    ]
    records = native(retriever(1, *rows), model(2, f"[1] {ALPHA}\n[2] {ALPHA}\n[3] {BETA}"))
    assert items(records) == [(1, None, "a"), (2, None, "a"), (3, None, "b")]


def test_places_that_nothing_names_stay_empty() -> None:
    records = native(retriever(1, {"score": 2.0}, {"id": "a"}), model(2, HIDDEN))
    assert items(records) == [(2, None, "a")]


def test_chunks_under_the_key_of_their_file_are_told_apart_by_their_text() -> None:
    rows = [{"id": "file-1", "content": ALPHA}, {"id": "file-1", "content": BETA},
            {"id": "file-2", "content": GAMMA}]  # fmt: skip
    for prompt in (HIDDEN, f"[1] {ALPHA} [2] {BETA} [3] {GAMMA}"):
        assert items(native(retriever(1, *rows), model(2, prompt))) == [
            (1, None, ALPHA_DIGEST), (2, None, BETA_DIGEST), (3, None, "file-2"),
        ]  # fmt: skip
    records = native(retriever(1, *rows), reranker(2, rows[1:2]), model(3, f"[1] {BETA}"))
    assert candidates(records) == [
        (None, ALPHA_DIGEST, None, False, "not_in_prompt"),
        (None, BETA_DIGEST, 1, True, None),
        (None, "file-2", None, False, "not_in_prompt"),
    ]


@pytest.mark.parametrize("content", [{}, {"content": HIDDEN}])
@pytest.mark.parametrize("texts", [(ALPHA, BETA), None])
def test_numbers_within_files_are_put_behind_their_file(
    texts: tuple[str, str] | None, content: dict[str, str]
) -> None:
    metadata = ['{"chunk_id": 0, "source": "a.pdf"}', '{"chunk_id": 0, "source": "b.pdf"}']
    rows = [
        {"metadata": each} | ({"content": texts[place]} if texts else content)
        for place, each in enumerate(metadata)
    ]
    assert items(native(retriever(1, *rows), model(2, HIDDEN))) == [
        (1, None, "a.pdf-0"), (2, None, "b.pdf-0"),
    ]  # fmt: skip
    # Alone it is no file's.
    assert items(native(retriever(1, rows[1]), model(2, HIDDEN))) == [(1, None, "0")]


def test_number_that_stands_twice_in_a_file_too_gives_way_to_the_text() -> None:
    rows = [{"content": text, "metadata": f'{{"chunk_id": 0, "source": "{source}"}}'}
            for text, source in ((ALPHA, "a.pdf"), (BETA, "a.pdf"), (GAMMA, "b.pdf"))]  # fmt: skip
    assert [key for *_, key in items(native(retriever(1, *rows), model(2, HIDDEN)))] == [
        ALPHA_DIGEST, BETA_DIGEST, "b.pdf-0",
    ]  # fmt: skip


def test_text_that_a_reranker_words_otherwise_is_still_of_its_key() -> None:
    rows = [{"id": "a", "content": f"Title\n{ALPHA}"}]
    records = native(
        retriever(1, {"id": "a", "content": ALPHA}), reranker(2, rows), model(3, ALPHA)
    )
    assert candidates(records) == [(None, "a", 1, True, None)]


def test_chunks_of_one_key_are_the_same_by_protobuf_and_by_json() -> None:
    rows = [{"id": "f", "content": ALPHA}, {"id": "f", "content": BETA}]
    body = request(IN_A, IN_B, retriever(4, *rows), model(5, f"[1] {BETA} [0] {ALPHA}"))
    assert records_of(decode_protobuf(protobuf(body)).spans) == to_records(body)


@pytest.mark.parametrize("distinct", [False, True])
def test_many_rows_of_one_key_take_one_pass(distinct: bool) -> None:
    rows = [{"id": "f", "content": f"Row {n if distinct else 0}"} for n in range(2_000)]
    started = time.process_time()
    records = native(retriever(1, *rows), reranker(2, list(reversed(rows))), model(3, HIDDEN))
    assert len(candidates(records)) == (2_000 if distinct else 1)
    assert time.process_time() - started < 5
