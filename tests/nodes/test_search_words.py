"""The words by which nodes are found; nothing of a question stands in clear."""

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from lineage.ingest.search_words import (
    MOST_WORDS,
    folded_words,
    hashed_word,
    identifier_word,
    words_for,
    write_words,
)
from lineage.models import Node, SearchWord
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

KEY, OTHER_KEY = b"k" * 32, b"o" * 32


@pytest.mark.parametrize("text", [None, 5, "", " … — ", ["a"], "___"])
def test_no_words_in_what_has_none(text: object) -> None:
    assert folded_words(text) == []


def test_words_are_folded_once_each_in_order() -> None:
    assert folded_words("Ação! A Straße, acao_x STRASSE ﬁne Nº5") == [
        "acao", "a", "strasse", "x", "fine", "no5",
    ]  # fmt: skip
    assert folded_words("a" * 100) == ["a" * 64]
    assert folded_words("المصدر 源") == ["المصدر", "源"]


def test_question_stands_as_hashes_only() -> None:
    fields = {"question": {"$text": "sha256:00", "length": 9}, "model": "m"}
    words = words_for("answer", fields, {"question": "Why alpha?"}, KEY)
    assert words == {hashed_word("why", KEY), hashed_word("alpha", KEY)}
    assert not any("alpha" in word or "why" in word for word in words)
    assert words != words_for("answer", fields, {"question": "Why alpha?"}, OTHER_KEY)


def test_text_that_is_not_at_hand_leaves_the_words_alone() -> None:
    fields = {"question": {"$text": "sha256:00", "length": 9}}
    assert words_for("answer", fields, {"text": "Because."}, KEY) is None
    assert words_for("answer", {}, {"text": "Because."}, KEY) == set()


def test_source_has_words_of_title_and_people_and_its_identifiers() -> None:
    fields = {
        "title": "The Títle",
        "doi": "10.1371/Journal.pbio.0000010",
        "uri": "https://example.org/a",
        "creators": [{"name": "Ana Silva", "orcid": "0000-0001", "role": "creator"}, "broken"],
        "publisher": {"name": "PLoS"},
        "jurisdiction": "br",
    }
    assert words_for("source", fields, {}, KEY) == {
        "the", "title", "ana", "silva", "plos",
        identifier_word("10.1371/journal.pbio.0000010", KEY),
        identifier_word("https://example.org/a", KEY),
        identifier_word("0000-0001", KEY),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("component", {"name": "pdf parser", "version": "1.0", "component_kind": "parser"},
         {"pdf", "parser", "1", "0"}),
        ("agent", {"name": "Ana", "email": "ana@example.org"}, {"ana"}),
        ("index_snapshot", {"collection": "articles-2026"}, {"articles", "2026"}),
        ("chunk", {"heading_path": ["Results"], "text": {"$text": "x"}}, set()),
        ("retrieval", {"query": {"$text": "x"}}, set()),
    ],
)  # fmt: skip
def test_metadata_has_its_words(kind: str, fields: dict[str, object], words: set[str]) -> None:
    assert words_for(kind, fields, {}, KEY) == words


@pytest.mark.parametrize(
    "value",
    [
        "10.1/AbC", "https://doi.org/10.1/abc", "http://dx.doi.org/10.1/ABC", "doi:10.1/abc",
        "DOI: 10.1/abc", " 10.1/abc/ ",
    ],
)  # fmt: skip
def test_doi_is_the_same_however_it_is_written(value: str) -> None:
    assert identifier_word(value, KEY) == identifier_word("10.1/abc", KEY)


def test_identifiers_differ_between_values_and_workspaces() -> None:
    values = {identifier_word(value, KEY) for value in ("10.1/abc", "10.1/abd", "abc")}
    assert len(values | {identifier_word("10.1/abc", OTHER_KEY)}) == 4
    assert identifier_word("https://orcid.org/0000-0001", KEY) == identifier_word("0000-0001", KEY)


def test_number_of_words_is_bounded() -> None:
    words = words_for("source", {"title": " ".join(f"w{n}" for n in range(1_000))}, {}, KEY)
    assert words is not None
    assert len(words) == MOST_WORDS


def a_node(workspace: Workspace, uid: str) -> Node:
    return Node.objects.create(
        workspace=workspace, kind="source", uid=f"src_{uid * 26}", recorded_at=clock.now()
    )


def test_written_words_are_replaced_and_written_twice_stand_once(workspace: Workspace) -> None:
    one, two = a_node(workspace, "a"), a_node(workspace, "b")
    write_words(workspace, {one.pk: {"old", "kept"}, two.pk: {"kept"}})
    for _ in range(2):
        write_words(workspace, {one.pk: {"kept", "new"}})
    rows = SearchWord.objects.order_by("node_id", "word").values_list("node_id", "word")
    assert list(rows) == [(one.pk, "kept"), (one.pk, "new"), (two.pk, "kept")]


def test_writing_costs_the_same_for_many_nodes(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    nodes = [a_node(workspace, letter) for letter in "abcdefgh"]
    for some in (nodes[:1], nodes[1:]):
        with django_assert_num_queries(2):
            write_words(workspace, {node.pk: {"a", "b", "c"} for node in some})
    with django_assert_num_queries(1):
        write_words(workspace, {node.pk: {"a", "b", "c"} for node in nodes})
