"""The words by which nodes are found, as numbers; nothing of a question or an answer stands in clear."""

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from lineage.ingest.search_tokens import (
    Tokens,
    beginning_token,
    beginnings,
    is_term,
    near_tokens,
    token_of,
)
from lineage.ingest.search_words import (
    MOST_WORDS,
    folded_words,
    identifier_word,
    identifiers_of,
    words_of,
    write_words,
)
from lineage.models import Node, SearchWord
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

KEY, OTHER_KEY = b"k" * 32, b"o" * 32


@pytest.mark.engine_free
@pytest.mark.parametrize("text", [None, 5, "", " … — ", ["a"], "___"])
def test_no_words_in_what_has_none(text: object) -> None:
    assert folded_words(text) == []


@pytest.mark.engine_free
def test_words_are_folded_once_each_in_order() -> None:
    assert folded_words("Ação! A Straße, acao_x STRASSE ﬁne Nº5") == [
        "acao", "a", "strasse", "x", "fine", "no5",
    ]  # fmt: skip
    assert folded_words("a" * 100) == ["a" * 64]
    assert folded_words("المصدر 源") == ["المصدر", "源"]
    assert folded_words("PLAIN Text") == ["plain", "text"]


@pytest.mark.engine_free
def test_beginnings_are_of_three_to_ten_letters_and_short_words_whole() -> None:
    assert beginnings("axin") == ["axi", "axin"]
    assert beginnings("of") == ["of"]
    assert beginnings("源源") == ["源", "源源"]
    assert beginnings("photosynthesis") == [
        "pho", "phot", "photo", "photos", "photosy", "photosyn", "photosynt", "photosynth",
    ]  # fmt: skip


@pytest.mark.engine_free
def test_numbers_are_of_one_kind_and_one_workspace() -> None:
    mine = Tokens(KEY).of("answer", ["axin", "axis"])
    assert mine == {beginning_token(KEY, "answer", word) for word in ("axi", "axin", "axis")}
    assert beginning_token(KEY, "answer", "photosynthesis") in Tokens(KEY).of(
        "answer", ["photosynthetic"]
    )
    for others in (Tokens(KEY).of("source", ["axin"]), Tokens(OTHER_KEY).of("answer", ["axin"])):
        assert not others & mine
    assert all(-(2**63) <= token < 2**63 for token in mine)
    assert token_of(KEY, "index_snapshot", "\ud800") != token_of(KEY, "index_snapshot", "\ud801")


@pytest.mark.engine_free
@pytest.mark.parametrize(
    "mistyped", ["axi", "xin", "axiin", "baxin", "axinn", "axon", "bxin", "axni", "xain"]
)
def test_words_one_error_apart_share_a_number(mistyped: str) -> None:
    assert near_tokens(KEY, "axin") & near_tokens(KEY, mistyped)


@pytest.mark.engine_free
def test_words_two_errors_apart_may_not() -> None:
    assert not near_tokens(KEY, "axin") & near_tokens(KEY, "bxon")
    assert [word for word in ("axin", "ab2c", "axi", "2004", "a" * 25) if is_term(word)] == ["axin"]


@pytest.mark.engine_free
def test_source_has_words_of_title_and_people_and_its_identifiers() -> None:
    fields = {
        "title": "The Títle",
        "doi": "10.1371/Journal.pbio.0000010",
        "uri": "https://example.org/a",
        "creators": [{"name": "Ana Silva", "orcid": "0000-0001", "role": "creator"}, "broken"],
        "publisher": {"name": "PLoS"},
        "jurisdiction": "br",
    }
    assert words_of("source", fields) == ["the", "title", "ana", "silva", "plos"]
    assert identifiers_of("source", fields, KEY) == {
        identifier_word("10.1371/journal.pbio.0000010", KEY),
        identifier_word("https://example.org/a", KEY),
        identifier_word("0000-0001", KEY),
    }


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("component", {"name": "pdf parser", "version": "1.0", "component_kind": "parser"},
         ["pdf", "parser", "1", "0"]),
        ("agent", {"name": "Ana", "email": "ana@example.org"}, ["ana"]),
        ("index_snapshot", {"collection": "articles-2026"}, ["articles", "2026"]),
        ("source_version", {"version": "2", "publisher": {"name": "PLoS"}}, ["plos"]),
        ("chunk", {"heading_path": ["Results"], "text": {"$text": "x"}}, []),
        ("retrieval", {"query": {"$text": "x"}}, []),
        ("answer", {"question": {"$text": "x"}, "model": "m"}, []),
    ],
)  # fmt: skip
def test_metadata_has_its_words(kind: str, fields: dict[str, object], words: list[str]) -> None:
    assert words_of(kind, fields) == words


@pytest.mark.engine_free
@pytest.mark.parametrize(
    "value",
    [
        "10.1/AbC", "https://doi.org/10.1/abc", "http://dx.doi.org/10.1/ABC", "doi:10.1/abc",
        "DOI: 10.1/abc", " 10.1/abc/ ", "doi.org/10.1/abc", "10.1/abc).", "10.1/abc,",
    ],
)  # fmt: skip
def test_doi_is_the_same_however_it_is_written(value: str) -> None:
    assert identifier_word(value, KEY) == identifier_word("10.1/abc", KEY)


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("value", "bare"),
    [
        ("PMID: 12345", "12345"),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "12345"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/12345", "12345"),
        ("https://orcid.org/0000-0001", "0000-0001"),
        ("https://ror.org/02mhbdp94", "02mhbdp94"),
    ],
)
def test_identifier_is_the_same_with_its_scheme(value: str, bare: str) -> None:
    assert identifier_word(value, KEY) == identifier_word(bare, KEY)


@pytest.mark.engine_free
def test_identifiers_differ_between_values_and_workspaces() -> None:
    values = {identifier_word(value, KEY) for value in ("10.1/abc", "10.1/abd", "abc")}
    assert len(values | {identifier_word("10.1/abc", OTHER_KEY)}) == 4


@pytest.mark.engine_free
def test_number_of_words_is_bounded() -> None:
    words = words_of("source", {"title": " ".join(f"w{n}" for n in range(1_000))})
    assert words == [f"w{n}" for n in range(MOST_WORDS)]


def a_node(workspace: Workspace, uid: str) -> Node:
    return Node.objects.create(
        workspace=workspace, kind="source", uid=f"src_{uid * 26}", recorded_at=clock.now()
    )


@pytest.mark.django_db
def test_written_words_are_replaced_and_written_twice_stand_once(workspace: Workspace) -> None:
    one, two = a_node(workspace, "a"), a_node(workspace, "b")
    write_words(workspace, {one.pk: {"old", "kept"}, two.pk: {"kept"}})
    for _ in range(2):
        write_words(workspace, {one.pk: {"kept", "new"}})
    rows = SearchWord.objects.order_by("node_id", "word").values_list("node_id", "word")
    assert list(rows) == [(one.pk, "kept"), (one.pk, "new"), (two.pk, "kept")]


@pytest.mark.django_db
def test_writing_costs_the_same_for_many_nodes(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    nodes = [a_node(workspace, letter) for letter in "abcdefgh"]
    for some in (nodes[:1], nodes[1:]):
        with django_assert_num_queries(2):
            write_words(workspace, {node.pk: {"a", "b", "c"} for node in some})
    with django_assert_num_queries(1):
        write_words(workspace, {node.pk: {"a", "b", "c"} for node in nodes})
