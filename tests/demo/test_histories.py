"""Version histories: each page with all its versions, authors and dates."""

from typing import Any

import pytest

from demo import histories
from lineage.identifiers import text_digest

pytestmark = pytest.mark.engine_free

NAMING = "https://github.com/OpenLineage/OpenLineage/blob/main/spec/Naming.md"


def versions_of(source: str) -> list[Any]:
    return [version for version in histories.version_records() if version["source"] == source]


def test_each_version_revises_the_one_before() -> None:
    versions = versions_of(NAMING)
    commits = ["a9d34a3b", "04158c1f", "ab26286e", "2ea1ca2f", "f9c727a0"]
    assert [version["key"].partition("@")[2][:8] for version in versions] == commits
    assert [version.get("revision_of") for version in versions] == [
        None, *(version["key"] for version in versions[:-1]),
    ]  # fmt: skip
    assert [version["version"] for version in versions] == ["1", "2", "3", "4", "5"]


def test_version_with_author_licence_and_time() -> None:
    version = versions_of(NAMING)[3]
    assert version["creators"] == [
        {"agent": "OpenLineage/OpenLineage:author:David Goss", "role": "creator"}
    ]
    assert version["license"] == "Apache-2.0"
    assert version["occurred_at"] == version["published_at"] == "2023-12-11T14:04:50+01:00"
    assert version["attributes"] == {
        "commit": "2ea1ca2f300a8dfc4657ad7564f8e45b340faf4e",
        "message": "spec: fix inconsistency with redshift authority format (#2315)",
        "line_similarity_to_previous": 0.197,
    }


def test_one_agent_for_each_author() -> None:
    agents = list(histories.agent_records())
    assert len(agents) == 16
    assert {
        "kind": "agent",
        "key": "OpenLineage/OpenLineage:author:David Goss",
        "name": "David Goss",
    } in agents


def test_pages_that_differ_in_case_only_are_two_sources() -> None:
    keys = [source["key"] for source in histories.source_records()]
    naming = [key for key in keys if key.lower().endswith("/naming.md")]
    assert naming == [
        NAMING,
        "https://github.com/OpenLineage/OpenLineage/blob/main/website/docs/spec/naming.md",
    ]
    assert len(keys) == len(set(keys)) == 18


def test_deleted_page_ended_when_it_was_deleted() -> None:
    source = "https://github.com/OpenLineage/OpenLineage/blob/main/website/docs/guides/facets.md"
    (version,) = versions_of(source)
    assert version["valid_until"] == "2026-01-13T16:26:51+01:00"
    assert version["license"] == "Apache-2.0"
    assert version["attributes"]["deleted"]["author"] == "Kacper Muda"
    assert "creators" not in version
    assert "published_at" not in version


def test_texts_are_those_of_the_digests() -> None:
    digests = {version["key"]: version["digest"] for version in histories.version_records()}
    documents = list(histories.document_records())
    assert len(documents) == 68
    assert {document["key"]: text_digest(document["text"]) for document in documents} == digests


def test_titles() -> None:
    titles = {
        source["key"].rpartition("/main/")[2]: source["title"]
        for source in histories.source_records()
    }
    assert titles["website/docs/index.md"] == "About OpenLineage"
    assert titles["spec/Naming.md"] == "Naming"
    assert titles["website/docs/integrations/flink.md"] == "Apache Flink"
    assert titles["website/docs/client/java/partials/java_circuit_breaker.md"] == (
        "website/docs/client/java/partials/java_circuit_breaker.md"
    )
