"""Only words of the vocabulary become part of a statement."""

import pytest

from lineage.graph.labels import for_label
from lineage.graph.terms import EDGE_WORDS, KIND_WORDS
from lineage.vocabulary import KINDS, Edge

pytestmark = pytest.mark.engine_free

EVIL = "Source {uid: 1}) DETACH DELETE n //"


def test_a_word_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind"):
        for_label("MATCH (n:Kind) RETURN n", kind=EVIL)
    with pytest.raises(ValueError, match="no kind"):
        # A label is not the name of a kind: only names are taken.
        for_label("MATCH (n:Kind) RETURN n", kind="SourceVersion")
    with pytest.raises(ValueError, match="is not a valid Edge"):
        for_label("MATCH ()-[r:EDGE]->() RETURN r", edges=[EVIL])  # type: ignore[list-item]


def test_an_open_slot_and_a_word_without_slot_are_refused() -> None:
    with pytest.raises(ValueError, match=":ToKind"):
        for_label("MATCH (:FromKind)-->(:ToKind) RETURN 1", from_kind="chunk")
    with pytest.raises(ValueError, match="no slot :Kind"):
        for_label("MATCH (n) RETURN n", kind="chunk")
    with pytest.raises(ValueError, match="no slot :EDGES"):
        for_label("MATCH ()-[r:EDGE]->() RETURN r", edges=[Edge.USED, Edge.CITES])


def test_slots_are_filled_each_with_its_own() -> None:
    statement = for_label(
        "MATCH (:FromKind)-[:EDGE]->(:ToKind)",
        from_kind="source_version",
        to_kind="source",
        edges=[Edge.SPECIALIZATION_OF],
    )
    assert statement == "MATCH (:SourceVersion)-[:SPECIALIZATION_OF]->(:Source)"
    assert for_label("(:Kind)-[r:EDGES]->()", kind="run", edges=[Edge.USED, Edge.CITES]) == (
        "(:Run)-[r:CITES|USED]->()"
    )


def test_every_kind_and_edge_has_words_in_both_languages() -> None:
    assert KIND_WORDS.keys() == KINDS.keys()
    assert EDGE_WORDS.keys() == set(Edge)
    assert all(en and pt for en, pt in [*KIND_WORDS.values(), *EDGE_WORDS.values()])
