"""`trace_report`: what is read from the real traces is exactly what is known of them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from demo.files import DATA
from lineage.management.trace_candidates import Candidate, candidates_in
from lineage.management.trace_files import read_traces
from lineage.management.trace_scores import FileRead, scores
from tests.formats.openinference_traces import documents, request, span
from tests.formats.otlp_bodies import protobuf

pytestmark = pytest.mark.engine_free

TRUTH = Path(__file__).parents[1] / "formats" / "openinference_truth.jsonl"


def report(*files: Path, truth: Path = TRUTH) -> tuple[int, dict[str, list[str]]]:
    """Exit status, and the figures of each line."""
    out, status = io.StringIO(), 0
    try:
        call_command("trace_report", *map(str, files), truth=truth, stdout=out)
    except SystemExit as ended:
        status = int(ended.code or 0)
    _, *lines = out.getvalue().splitlines()
    return status, {line.split()[0]: line.split()[1:] for line in lines}


def test_all_real_traces_are_read_exactly() -> None:
    status, told = report(*sorted((DATA / "traces").glob("*.json")))
    assert status == 0
    # 18 files of 4 or 5 chunks in context; of 10 candidates in 12 of them and 5 in 6.
    assert told["answers"] == ["18", "18", "1.000", "1.000"]
    assert told["claims"] == told["citations"] == ["26", "26", "1.000", "1.000"]
    assert told["context"] == ["78", "78", "1.000", "1.000"]
    assert told["candidates"] == ["150", "150", "1.000", "1.000"]
    assert told["dropped"] == ["72", "72", "1.000", "1.000"]


def test_protobuf_files_are_read_too(tmp_path: Path) -> None:
    name = "haystack_01.json"
    file = tmp_path / name
    file.write_bytes(protobuf(json.loads((DATA / "traces" / name).read_text())))
    assert report(file)[0] == 0


def test_what_differs_lowers_precision_and_recall(tmp_path: Path) -> None:
    row: dict[str, Any] = next(
        each for each in map(json.loads, TRUTH.read_text().splitlines())
        if each["file"] == "haystack_01.json"
    )  # fmt: skip
    row["claims"][0]["answer_end"] += 1
    row["claims"] = row["claims"][:2]
    truth = tmp_path / "truth.jsonl"
    truth.write_text(json.dumps(row) + "\n")
    status, told = report(DATA / "traces" / "haystack_01.json", truth=truth)
    assert status == 1
    # Three were found, two are known, one is the same.
    assert told["claims"] == ["3", "2", "0.333", "0.500"]
    assert told["answers"] == ["1", "1", "1.000", "1.000"]


def records_of(name: str) -> list[Any]:
    return list(read_traces((DATA / "traces" / name).read_bytes(), namespace=None).records)


def scored(name: str, records: list[Any]) -> dict[str, tuple[int, int, int]]:
    """Of each kind how many were found, are known and are the same."""
    truth = {row["file"]: row for row in map(json.loads, TRUTH.read_text().splitlines())}
    held = FileRead(name, records, candidates_in((DATA / "traces" / name).read_bytes()))
    return {kind: (s.found, s.known, s.same) for kind, s in scores([held], truth).items()}


def test_a_candidate_that_is_lost_lowers_recall() -> None:
    records = records_of("haystack_03.json")
    (retrieval,) = (each for each in records if each["kind"] == "retrieval")
    assert scored("haystack_03.json", records)["candidates"] == (10, 10, 10)
    # The first was not read, the ninth was.
    del retrieval["candidates"][0], retrieval["candidates"][7]
    told = scored("haystack_03.json", records)
    assert (told["candidates"], told["dropped"]) == ((8, 10, 8), (5, 6, 5))


@pytest.mark.parametrize(
    ("name", "value"),
    [("rank", 7), ("score", 19.0), ("kept", True), ("drop_reason", "not_in_prompt")],
)
def test_a_candidate_that_is_told_otherwise_is_another(name: str, value: Any) -> None:
    records = records_of("haystack_03.json")
    (retrieval,) = (each for each in records if each["kind"] == "retrieval")
    retrieval["candidates"][0][name] = value
    assert scored("haystack_03.json", records)["candidates"] == (10, 10, 9)


def test_candidates_of_the_spans_are_those_of_the_file() -> None:
    """By hand from the file, which has no scores."""
    found = candidates_in((DATA / "traces/langchain_02.json").read_bytes())
    assert found[0] == Candidate("PMC212690-1500-2400", 1, None, reranked_out=False)
    assert [each.rank for each in found] == [1, 2, 3, 4, 5]


def test_what_only_an_inner_retriever_found_was_passed_over() -> None:
    outer = span(1, "RETRIEVER", **documents("retrieval.documents", {"id": "a", "score": 0.5}))
    inner = span(2, "RETRIEVER", parent=1,
                 **documents("retrieval.documents", {"id": "b"}, {"id": "a"}))  # fmt: skip
    for data in (json.dumps(request(outer, inner)).encode(), protobuf(request(outer, inner))):
        assert candidates_in(data) == [
            Candidate("a", 1, 0.5, reranked_out=False),
            Candidate("b", None, None, reranked_out=False),
        ]


@pytest.mark.parametrize("truth", ["", "[]", "{", '{"file": "other.json"}'])
def test_a_file_of_which_nothing_is_known_is_told(tmp_path: Path, truth: str) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text(truth)
    with pytest.raises(CommandError):
        report(DATA / "traces" / "haystack_01.json", truth=path)


def test_unreadable_traces_are_told(tmp_path: Path) -> None:
    (tmp_path / "haystack_01.json").write_bytes(b"\x0a\xff\x01")
    with pytest.raises(CommandError, match="neither JSON nor OTLP"):
        report(tmp_path / "haystack_01.json")
