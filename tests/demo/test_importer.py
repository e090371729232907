"""The demo's records: all accepted, complete, and with the flagship's chain in them."""

import json
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from demo.articles import DemoDataError, articles, chunk_records, collection_of
from demo.files import DATA, FOLDER, read_json
from demo.importer import records
from lineage.formats.records import parse_record
from lineage.types import NativeRecord

pytestmark = pytest.mark.engine_free

COLLECTION = "bm25-dev-900-150"
# The traces' answers: the trace id that each file holds.
ANSWERS = {
    "1207780687057b16ea9bf4edf389006c": "haystack_03",
    "f007fcb28d9c2dccb174192c9d244756": "haystack_04",
    "fd9f9c80b29adc4af9c8e4ff904b0fba": "haystack_05",
    "7c4e41918c3331a7647fa075ca85cb11": "llamaindex_01",
    "c68f312e5ad5c0242ba08feb4cd7c2d1": "llamaindex_05",
}


@pytest.fixture(scope="module")
def every() -> list[Any]:
    return [record for batch in records() for record in batch]


def of_kind(every: list[Any], kind: str) -> dict[str, Any]:
    return {record["key"]: record for record in every if record["kind"] == kind}


def test_counts_by_kind(every: list[Any]) -> None:
    assert (
        Counter(record["kind"] for record in every)
        == {
            "component": 13,  # 4 of the articles; 4 of Haystack, 3 of LlamaIndex, 3 of LangChain, one shared
            "run": 47,  # 4 of the articles, 1 of the histories, 2 an answer, 1 more an answer of Haystack
            "agent": 16,
            "source": 30,  # 11 articles, 13 pages, 5 deleted pages, 1 notice
            "source_version": 79,  # 11 + 63 + 5
            "acquisition": 10,
            "document": 79,
            "chunk": 547,
            "index_snapshot": 1,
            "retrieval": 18,
            "context": 18,
            "answer": 18,
            "claim": 26,
            "citation": 26,
        }
    )


def test_batches_are_of_at_most_500() -> None:
    assert [len(batch) for batch in records()] == [500, 428]


def test_every_record_is_accepted_and_every_warning_is_meant(every: list[Any]) -> None:
    warned: Counter[str] = Counter()
    for index, record in enumerate(every):
        parsed = parse_record(index, record)
        assert isinstance(parsed, NativeRecord), parsed
        warned.update(warning.code for warning in parsed.warnings)
    # Four synopses, 18 pages (their versions name the authors) and the notice state no creator;
    # ten articles state when they were updated, but not in which zone.
    assert warned == {"creator_missing": 23, "time_without_zone": 10}


def test_every_key_is_sent_once(every: list[Any]) -> None:
    keys = Counter((record["kind"], record.get("namespace", ""), record["key"]) for record in every)
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_reference_is_to_a_record_of_the_demo(every: list[Any]) -> None:
    known = {(record["kind"], record.get("namespace", ""), record["key"]) for record in every}
    implied = {"agent"}  # credits by name make their agents
    for index, record in enumerate(every):
        parsed = parse_record(index, record)
        assert isinstance(parsed, NativeRecord)
        for ref in parsed.refs:
            assert ref.kind in implied or (ref.kind, ref.namespace, ref.key) in known, (
                record["key"],
                ref,
            )


def test_digests_of_references_are_those_of_the_chunks(every: list[Any]) -> None:
    chunks = of_kind(every, "chunk")
    named = [c["chunk"] for r in of_kind(every, "retrieval").values() for c in r["candidates"]]
    named += [item["chunk"] for c in of_kind(every, "context").values() for item in c["items"]]
    assert len(named) == 12 * 10 + 6 * 5 + 12 * 4 + 6 * 5
    for ref in named:
        assert ref["namespace"] == COLLECTION == chunks[ref["key"]]["namespace"]
        assert ref["digest"] == chunks[ref["key"]]["digest"]


def test_flagship_article_reaches_five_answers_and_no_other(every: list[Any]) -> None:
    """Walk from the article to the answers, on the records alone."""
    (source,) = [
        s
        for s in of_kind(every, "source").values()
        if s.get("doi") == "10.1371/journal.pbio.0000010"
    ]
    assert source["key"] == "PMC212691"
    versions = {
        k for k, v in of_kind(every, "source_version").items() if v["source"] == source["key"]
    }
    texts = {k for k, d in of_kind(every, "document").items() if d["source_version"] in versions}
    chunks = {k for k, c in of_kind(every, "chunk").items() if c["document"]["key"] in texts}
    assert len(chunks) == 128

    contexts, answers = of_kind(every, "context"), of_kind(every, "answer")
    retrievals, claims = of_kind(every, "retrieval"), of_kind(every, "claim")
    grades: dict[str, set[str]] = {"cited": set(), "in_context": set(), "retrieved": set()}
    for answer in answers.values():
        context = contexts[answer["context"]]
        items = {item["position"]: item["chunk"]["key"] for item in context["items"]}
        cited = {
            items.get(citation["position"])
            for citation in of_kind(every, "citation").values()
            if claims[citation["claim"]]["answer"] == answer["key"]
        }
        found = {
            c["chunk"]["key"] for r in context["retrieval"] for c in retrievals[r]["candidates"]
        }
        trace = answer["key"].split(":")[0]
        if chunks & cited:
            grades["cited"].add(ANSWERS[trace])
        elif chunks & set(items.values()):
            grades["in_context"].add(ANSWERS[trace])
        elif chunks & found:
            grades["retrieved"].add(ANSWERS[trace])
    assert grades == {
        "cited": {"llamaindex_01"},
        "in_context": {"haystack_03", "haystack_04", "haystack_05"},
        "retrieved": {"llamaindex_05"},
    }


def test_version_of_an_article_as_it_states_itself(every: list[Any]) -> None:
    version = json.loads(
        json.dumps(of_kind(every, "source_version")["PMC212691@2021-01-05 08:21:03"])
    )
    stated_at = version.pop("attributes")["stated_at"]
    assert version == {
        "kind": "source_version",
        "key": "PMC212691@2021-01-05 08:21:03",
        "source": "PMC212691",
        "digest": "sha256:2c095ff3579df585805423f536293f6bd7404b79026fb8259d0a905d2ec2a1e7",
        "version": "2021-01-05 08:21:03",
        "published_at": "2003-10-13",
        "modified_at": "2021-01-05T08:21:03",
        "license": "LicenseRef-CC-BY",
        "rights": "CC BY",
    }
    assert stated_at["license"] == {"start": 48, "end": 53}
    acquisition = of_kind(every, "acquisition")["PMC212691@2021-01-05 08:21:03"]
    assert acquisition["rights_signals"] == {"license": "CC BY", "retracted": "no"}
    assert acquisition["uri"] == "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC212691/"


def test_licence_is_spdx_only_where_its_version_is_stated(every: list[Any]) -> None:
    licenses = {
        version["source"]: (version["license"], version["rights"], version.get("license_uri"))
        for version in of_kind(every, "source_version").values()
        if "rights" in version
    }
    assert licenses.pop("PMC212319") == (
        "CC-BY-4.0",
        "Creative Commons Attribution 4.0 International License",
        "https://creativecommons.org/licenses/by/4.0/",
    )
    assert licenses.pop("sotu-2024") == (
        "LicenseRef-public-domain-US-federal-government-work",
        "public domain (US federal government work)",
        None,
    )
    assert len(licenses) == 9
    assert set(licenses.values()) == {("LicenseRef-CC-BY", "CC BY", None)}


def test_what_an_article_does_not_state_is_absent(every: list[Any]) -> None:
    synopsis = of_kind(every, "source")["PMC176547"]
    assert "creators" not in synopsis
    assert "pmid" not in synopsis
    assert "version" not in of_kind(every, "source_version")["sotu-2024@6fc21d560d31"]


def test_index_snapshot_holds_every_chunk(every: list[Any]) -> None:
    (snapshot,) = of_kind(every, "index_snapshot").values()
    assert (snapshot["key"], snapshot["namespace"]) == ("bm25-dev-900-150-dcb0ec333d23", COLLECTION)
    assert sorted(snapshot["chunks"]) == sorted(of_kind(every, "chunk"))
    chunker = of_kind(every, "component")[snapshot["chunker"]["key"]]
    assert chunker["attributes"] == {
        "chunk_size": 900, "overlap": 150, "unit": "unicode code points",
    }  # fmt: skip
    indexer = of_kind(every, "component")[snapshot["indexer"]["key"]]
    assert (indexer["name"], indexer["version"]) == ("haystack InMemoryBM25Retriever", "3.4.1")


def test_changed_data_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for file in (DATA / "articles").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr("demo.articles.ARTICLES", tmp_path)
    snapshot = read_json(tmp_path / "index_snapshot.json")
    snapshot["chunks"][0]["end"] += 1
    (tmp_path / "index_snapshot.json").write_text(json.dumps(snapshot))
    with pytest.raises(DemoDataError, match="PMC176545-0-900 is not the text of its digest"):
        list(chunk_records())
    with (tmp_path / "PMC212691.txt").open("a") as article:
        article.write(" ")
    with pytest.raises(DemoDataError, match="PMC212691"):
        articles()


def test_collection_is_the_name_without_the_build() -> None:
    assert collection_of("bm25-dev-900-150-dcb0ec333d23") == COLLECTION


def test_command_writes_the_same_records_as_lines(every: list[Any]) -> None:
    written = subprocess.run(
        [sys.executable, "-m", "demo.importer"], check=True, capture_output=True, cwd=FOLDER.parent
    ).stdout
    assert [json.loads(line) for line in written.splitlines()] == every


def test_data_are_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 6_000_000


def test_every_folder_of_data_names_origin_and_licence() -> None:
    for folder in DATA.iterdir():
        readme = (folder / "README.md").read_text(encoding="utf-8")
        assert "**Origin.**" in readme
        assert "**Licence.**" in readme
