"""Histories of documents: versions, renames and deletions, in any order of the rows."""

import json
import random
from collections import Counter
from typing import Any

import pytest

from demo.files import DATA
from lineage.formats.history import to_records
from lineage.formats.history_rows import RowRefused
from lineage.identifiers import text_digest

pytestmark = pytest.mark.engine_free

BASE = "https://example.org/"


def version(path: str, at: str, text: str, **more: Any) -> dict[str, Any]:
    return {"source": BASE + path, "path": path, "committed": at, "text": text, **more}


def deleted(path: str, at: str, **more: Any) -> dict[str, Any]:
    return {"type": "deleted", "path": path, "at": at, "commit": "c", **more}


def renamed(old: str, new: str, at: str) -> dict[str, Any]:
    return {"type": "renamed", "from_path": old, "to_path": new, "at": at, "commit": "c"}


def of(records: Any, kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["kind"] == kind]


def test_rows_that_cannot_be_read_are_told_and_the_others_are_read() -> None:
    rows: list[Any] = [
        None, [], {"type": "moved"}, {"path": "a"}, version("a", "soon", "t"), version("", "2026-01-01", "t"),
        version("a", "2026-01-01T00:00:00Z", 1),  # type: ignore[arg-type]
        version("a", "2026-01-01T00:00:00Z", "t", sha256="0" * 64),
        {"type": "renamed", "from_path": "a", "at": "2026-01-01T00:00:00Z"},
        version("a", "2026-01-01T00:00:00Z", "t"),
    ]  # fmt: skip
    read = to_records(rows)
    assert [refused.place for refused in read.refused] == list(range(9))
    assert read.refused[7] == RowRefused(7, "sha256 is not that of the text.")
    assert read.versions == 1


def test_each_version_revises_the_one_before_under_the_key_of_its_path() -> None:
    read = to_records([
        version("a.md", "2026-02-01T00:00:00Z", "two", author="B", commit="c2", license="MIT"),
        version("a.md", "2026-01-01T00:00:00Z", "one", author="A", commit="c1"),
    ])  # fmt: skip
    first, second = of(read.records, "source_version")
    assert (first["key"], second["key"]) == (f"{BASE}a.md", f"{BASE}a.md")
    assert (first["digest"], first.get("revision_of")) == (text_digest("one"), None)
    assert second["revision_of"] == {"key": f"{BASE}a.md", "digest": text_digest("one")}
    assert (first["version"], first["creators"]) == ("c1", [{"name": "A", "role": "creator"}])
    assert "valid_until" not in first | second
    assert [each["source_version"]["digest"] for each in of(read.records, "document")] == [
        text_digest("one"),
        text_digest("two"),
    ]


def test_a_rename_keeps_the_source_and_names_where_it_is_now() -> None:
    read = to_records([
        version("old.md", "2026-01-01T00:00:00Z", "# Title\n"),
        renamed("old.md", "new.md", "2026-02-01T00:00:00Z"),
        version("new.md", "2026-02-01T00:00:00Z", "# Title\nmore"),
        renamed("new.md", "newer.md", "2026-03-01T00:00:00Z"),
    ])  # fmt: skip
    (source,) = of(read.records, "source")
    assert (source["key"], source["uri"], source["title"]) == (
        f"{BASE}old.md",
        f"{BASE}newer.md",
        "Title",
    )
    assert source["attributes"] == {"paths": ["old.md", "new.md", "newer.md"]}
    one, two = of(read.records, "source_version")
    assert (one["key"], two["key"]) == (f"{BASE}old.md", f"{BASE}new.md")
    assert one["source"] == two["source"] == f"{BASE}old.md"
    assert two["revision_of"] == {"key": f"{BASE}old.md", "digest": one["digest"]}


def test_a_deletion_ends_the_last_version_and_what_follows_is_another_document() -> None:
    read = to_records([
        version("a.md", "2026-01-01T00:00:00Z", "one"),
        version("a.md", "2026-02-01T00:00:00Z", "two"),
        deleted("a.md", "2026-03-01T00:00:00Z", last_text="two"),
        version("a.md", "2026-04-01T00:00:00Z", "three"),
    ])  # fmt: skip
    assert [each["key"] for each in of(read.records, "source")] == [f"{BASE}a.md", f"{BASE}a.md#2"]
    versions = of(read.records, "source_version")
    assert [each.get("valid_until") for each in versions] == [
        None, "2026-03-01T00:00:00+00:00", None,
    ]  # fmt: skip
    assert [each["source"] for each in versions] == [f"{BASE}a.md", f"{BASE}a.md", f"{BASE}a.md#2"]
    assert versions[2].get("revision_of") is None


def test_a_text_that_only_the_deletion_knows_is_a_version_of_that_moment() -> None:
    read = to_records([deleted("a.md", "2026-03-01T00:00:00Z", last_text="gone", author="A")])
    (only,) = of(read.records, "source_version")
    assert (only["occurred_at"], only["valid_until"]) == ("2026-03-01T00:00:00+00:00",) * 2
    assert "published_at" not in only
    assert only["attributes"]["deleted"]["author"] == "A"
    assert (read.versions, read.deletions) == (0, 1)


def test_paths_are_told_apart_by_case_and_keys_may_be_paths() -> None:
    read = to_records(
        [
            version("A.md", "2026-01-01T00:00:00Z", "x"),
            version("a.md", "2026-01-01T00:00:00Z", "x"),
        ],
        keys="path",
    )
    assert [each["key"] for each in of(read.records, "source")] == [f"{BASE}A.md", f"{BASE}a.md"]
    assert [each["key"] for each in of(read.records, "document")] == ["A.md", "a.md"]


def test_renames_in_a_circle_end() -> None:
    rows = [
        version("a", "2026-01-01T00:00:00Z", "x"),
        renamed("a", "b", "2026-02-01T00:00:00Z"),
        renamed("b", "a", "2026-03-01T00:00:00Z"),
        renamed("a", "a", "2026-04-01T00:00:00Z"),
        version("a", "2026-05-01T00:00:00Z", "y"),
    ]
    read = to_records(rows)
    assert {each["source"] for each in of(read.records, "source_version")} <= {
        each["key"] for each in of(read.records, "source")
    }
    assert read.renames == 3


def published() -> list[Any]:
    folder = DATA / "histories"
    return [
        json.loads(line)
        for name in ("versions.jsonl", "events.jsonl")
        for line in (folder / name).read_text(encoding="utf-8").splitlines()
    ]


def test_a_published_history_is_read_whole() -> None:
    read = to_records(published())
    assert (read.versions, read.deletions, read.renames, read.refused) == (63, 5, 4, ())
    # 13 documents with versions, 5 that were deleted and 4 that were renamed.
    assert Counter(record["kind"] for record in read.records) == {
        "source": 22, "source_version": 68, "document": 68,
    }  # fmt: skip
    keys = [each["key"] for each in of(read.records, "source")]
    assert len(set(keys)) == 22
    assert sum(key.lower().endswith("/naming.md") for key in keys) == 2
    assert sum("valid_until" in each for each in of(read.records, "source_version")) == 5
    moved = [each for each in of(read.records, "source") if "attributes" in each]
    assert [each["uri"].rpartition("/")[2] for each in moved] == [
        "adding_metrics.md", "logging.md", "setup.md", "1_42_1.md",
    ]  # fmt: skip
    assert moved[-1]["key"].endswith("/1_42_0.md")


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = published()
    expected = {json.dumps(record, sort_keys=True) for record in to_records(rows).records}
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        assert {json.dumps(each, sort_keys=True) for each in to_records(rows).records} == expected
