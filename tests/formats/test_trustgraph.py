"""Graphs in TrustGraph's vocabulary become the records that they tell, and no more."""

import json
import random
from typing import Any

import pytest
import rdflib

from lineage.formats.records import parse_record
from lineage.formats.refusals import BodyRefused
from lineage.formats.trustgraph import to_records
from lineage.formats.trustgraph_quoted import is_wire, read_wire, without_quotes
from lineage.formats.trustgraph_terms import RDF
from lineage.types import NativeRecord
from tests.formats.trustgraph_example import ASKED, EXTRACTED

pytestmark = pytest.mark.engine_free

REPORT = "https://example.org/report"
PAGE_2 = "urn:page:2"
# "The quay is long." and a line feed stand before the second page.
SECOND_PAGE = 18


def graph(*turtle: str) -> rdflib.Graph:
    found = rdflib.Graph()
    for one in turtle:
        found.parse(data=without_quotes(one), format="turtle")
    return found


def records(*turtle: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    """By kind, key and namespace; each must be one that ingestion accepts."""
    made = to_records(graph(*turtle))
    parsed = [parse_record(index, one) for index, one in enumerate(made)]
    assert [one for one in parsed if not isinstance(one, NativeRecord)] == []
    found = {(one["kind"], one["key"], one.get("namespace", "")): one for one in made}
    assert len(found) == len(made)
    return found


def fact(subject: str, predicate: str, object_: str, chunk: str) -> tuple[str, str, str]:
    """The place of a fact of these terms (in N-Triples) and this chunk."""
    (found,) = [
        place
        for place, one in records(EXTRACTED).items()
        if place[0] == "fact"
        and (one["subject"], one["predicate"], one["object"]) == (subject, predicate, object_)
        and place[2] == chunk
    ]
    return found


def test_a_document_is_a_work_a_version_and_a_text_of_its_pages() -> None:
    found = records(EXTRACTED)
    assert found["source", REPORT, ""]["title"] == "Harbour report"
    assert found["source", REPORT, ""]["creators"] == [{"name": "Harbour office"}]
    version = found["source_version", REPORT, ""]
    assert (version["source"], version["media_type"]) == (REPORT, "application/pdf")
    assert version["published_at"] == "2025-01-15"
    document = found["document", REPORT, ""]
    assert document["text"] == "The quay is long.\nBeta left. Gamma stayed."
    assert document["attributes"] == {"tg:pageCount": "2"}


def test_a_page_has_its_place_and_its_number_from_nought() -> None:
    page = records(EXTRACTED)["part", PAGE_2, ""]
    assert (page["document"], page["part_kind"], page["page_index"]) == (REPORT, "page", 1)
    assert page["interval"] == {"start": SECOND_PAGE, "end": 42}


def test_a_chunks_offset_in_its_page_is_moved_into_the_document() -> None:
    found = records(EXTRACTED)
    first = found["chunk", "urn:chunk:1", ""]
    assert (first["document"], first["parent"]) == (REPORT, {"kind": "part", "key": PAGE_2})
    assert first["interval"] == {"start": SECOND_PAGE, "end": SECOND_PAGE + 10}
    assert (first["index"], first["text"]) == (0, "Beta left.")
    # The second's offset counts tokens; ingestion finds that out, nobody here mends it.
    second = found["chunk", "urn:chunk:2", ""]
    assert second["interval"] == {"start": SECOND_PAGE + 3, "end": SECOND_PAGE + 16}


def test_an_offset_in_a_page_of_unknown_place_claims_no_interval() -> None:
    bare = EXTRACTED.replace('tg:content "Beta left. Gamma stayed." ;', "")
    chunk = records(bare)["chunk", "urn:chunk:1", ""]
    assert "interval" not in chunk
    assert chunk["attributes"]["tg:charOffset"] == "0"
    assert "text" not in records(bare)["document", REPORT, ""]


def test_a_chunk_cut_from_the_document_itself_keeps_its_offset() -> None:
    found = records(
        """@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        <https://example.org/note> a tg:Document ; tg:content "Alpha. Beta." .
        <urn:chunk:n> a tg:Chunk ; prov:wasDerivedFrom <https://example.org/note> ;
            tg:charOffset "7" ; tg:charLength "5" ."""
    )
    chunk = found["chunk", "urn:chunk:n", ""]
    assert chunk["interval"] == {"start": 7, "end": 12}
    assert "parent" not in chunk
    assert found["source", "https://example.org/note", ""]["title"] == "https://example.org/note"


def test_sections_and_images_nest_and_a_pages_section_is_a_part_of_the_document() -> None:
    found = records(
        """@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <https://example.org/d> a tg:Document ; tg:content "Intro. Alpha is one. End." ;
            tg:contains <urn:section:s> .
        <urn:section:s> a tg:Section ; rdfs:label "Methods" ; tg:content "Alpha is one." .
        <urn:image:i> a tg:Image ; prov:wasDerivedFrom <urn:section:s> ; tg:elementTypes "figure" ."""
    )
    section, image = found["part", "urn:section:s", ""], found["part", "urn:image:i", ""]
    assert (section["document"], section["heading"]) == ("https://example.org/d", "Methods")
    assert section["interval"] == {"start": 7, "end": 20}
    assert (image["document"], image["parent"]) == ("https://example.org/d", "urn:section:s")
    assert (image["part_kind"], image["attributes"]) == ("image", {"tg:elementTypes": "figure"})


def test_what_made_things_is_a_component_of_a_version_with_its_configuration() -> None:
    found = records(EXTRACTED)
    components = {one["name"]: one for (kind, *_), one in found.items() if kind == "component"}
    kinds = {name: one["component_kind"] for name, one in components.items()}
    assert kinds == {
        "pdf-decoder": "parser", "chunker": "chunker", "kg-extract-relationships": "extractor",
    }  # fmt: skip
    assert components["chunker"]["config"] == {"chunkSize": 2000}
    extractor = components["kg-extract-relationships"]
    assert (extractor["version"], extractor["config"]) == (
        "0.25.0", {"llmModel": "m-1", "ontology": "http://example.org/onto"},
    )  # fmt: skip
    run = found["run", "https://trustgraph.ai/activity/extract", ""]
    assert (run["run_kind"], run["component"]) == ("extract", extractor["key"])
    assert run["used"] == [{"kind": "chunk", "key": "urn:chunk:1"}]


def test_a_fact_is_a_triple_of_its_immediate_chunk() -> None:
    found = records(EXTRACTED)
    left = fact("http://example.org/beta", "http://example.org/left", "2020", "urn:chunk:1")
    assert found[left]["subject_of"] == {"key": "urn:chunk:1", "namespace": ""}
    assert found[left]["attributes"]["tg:subgraph"] == "https://trustgraph.ai/subgraph/1"
    says = fact("http://example.org/beta", "http://example.org/says", "a >> b", "urn:chunk:1")
    assert found[says]["attributes"]["object"] == {"literal": "en"}
    # The same triple of another chunk is another fact under the same key.
    again = fact("http://example.org/beta", "http://example.org/left", "2020", "urn:chunk:2")
    assert again[:2] == left[:2]


def test_a_question_with_what_was_found_chosen_and_answered() -> None:
    found = records(EXTRACTED, ASKED)
    left = fact("http://example.org/beta", "http://example.org/left", "2020", "urn:chunk:1")[1]
    both = [{"key": left, "namespace": chunk} for chunk in ("urn:chunk:1", "urn:chunk:2")]
    retrieval = found["retrieval", "urn:trustgraph:prov:exploration:s", ""]
    assert retrieval["query"] == "When did Beta leave?"
    assert retrieval["query_variants"] == ["Beta", "leave"]
    assert retrieval["occurred_at"] == "2026-04-01T10:00:00Z"
    assert [(one["fact"], one.get("score")) for one in retrieval["candidates"][:2]] == [
        (both[0], 0.9), (both[1], 0.9),
    ]  # fmt: skip
    context = found["context", "urn:trustgraph:prov:focus:s", ""]
    assert context["retrieval"] == "urn:trustgraph:prov:exploration:s"
    # Selection 2 comes before selection 10; the edge nobody extracted is named whatever its chunk.
    assert [one["fact"] for one in context["items"][:2]] == both
    assert context["items"][2]["fact"]["namespace"] is None
    assert [one["position"] for one in context["items"]] == [1, 2, 3]
    answer = found["answer", "urn:trustgraph:prov:synthesis:s", ""]
    assert (answer["context"], answer["text"]) == ("urn:trustgraph:prov:focus:s", "In 2020. [1]")
    assert (answer["question"], answer["model"]) == ("When did Beta leave?", "m-1")
    (citation,) = [one for (kind, *_), one in found.items() if kind == "citation"]
    assert (citation["marker"], citation["position"]) == ("[1]", 1)


def test_words_that_repeat_passages_are_not_kept_in_the_clear() -> None:
    assert "It says when." not in json.dumps(to_records(graph(EXTRACTED, ASKED)))


def test_chunks_found_and_not_chosen_were_dropped() -> None:
    found = records(
        """@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        <urn:trustgraph:docrag:s> a tg:DocRagQuestion ; tg:query "Who?" .
        <urn:trustgraph:docrag:s/exploration> a tg:Exploration ;
            prov:wasDerivedFrom <urn:trustgraph:docrag:s> ;
            tg:selectedChunk "urn:chunk:1", "urn:chunk:2" .
        <urn:trustgraph:docrag:s/focus> a tg:Focus ;
            prov:wasDerivedFrom <urn:trustgraph:docrag:s/exploration> ;
            tg:selectedChunk <urn:trustgraph:prov:chunk:s:0> .
        <urn:trustgraph:prov:chunk:s:0> a tg:ChunkSelection ; tg:document <urn:chunk:2> ."""
    )
    candidates = found["retrieval", "urn:trustgraph:docrag:s/exploration", ""]["candidates"]
    kept = {one["chunk"]: one["kept"] for one in candidates}
    assert kept == {"urn:chunk:1": False, "urn:chunk:2": True}
    items = found["context", "urn:trustgraph:docrag:s/focus", ""]["items"]
    assert items == [{"chunk": "urn:chunk:2", "position": 1}]


def test_an_answer_without_a_focus_was_made_from_all_that_was_found() -> None:
    found = records(
        """@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        <urn:q> a tg:Question ; tg:query "Who?" .
        <urn:e> a tg:Exploration ; prov:wasDerivedFrom <urn:q> ; tg:selectedChunk <urn:chunk:1> .
        <urn:a> a tg:Synthesis ; prov:wasDerivedFrom <urn:e> ; tg:content "Beta." ."""
    )
    assert found["answer", "urn:a", ""]["context"] == "urn:e"
    assert found["context", "urn:e", ""]["items"] == [{"chunk": "urn:chunk:1", "position": 1}]


def test_an_answer_whose_words_are_elsewhere_is_refused_and_nothing_else() -> None:
    made = to_records(graph(EXTRACTED, ASKED.replace('tg:content "In 2020. [1]" ;', "")))
    parsed = [parse_record(index, one) for index, one in enumerate(made)]
    refused = [one for one in parsed if not isinstance(one, NativeRecord)]
    assert [(one.kind, one.problem.pointer) for one in refused] == [("answer", "/text")]


def test_older_graphs_without_classes_are_read_by_what_they_say() -> None:
    found = records(
        """@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        @prefix x: <http://example.org/> .
        x:doc a prov:Entity ; tg:pageCount 42 .
        x:page a prov:Entity ; prov:wasDerivedFrom x:doc ; tg:pageNumber 1 .
        x:chunk a prov:Entity ; prov:wasDerivedFrom x:page ; tg:chunkIndex 1 .
        <https://trustgraph.ai/stmt/1> tg:reifies << x:a x:b x:c >> ; prov:wasDerivedFrom x:chunk ."""
    )
    assert {(kind, key) for kind, key, _ in found if kind in ("document", "part", "chunk")} == {
        ("document", "http://example.org/doc"),
        ("part", "http://example.org/page"),
        ("chunk", "http://example.org/chunk"),
    }
    (made,) = [one for (kind, *_), one in found.items() if kind == "fact"]
    assert made["subject_of"] == {"key": "http://example.org/chunk", "namespace": ""}


@pytest.mark.parametrize(
    "circle",
    [
        "<urn:page:1> prov:wasDerivedFrom <urn:page:1> .",
        "<urn:page:1> prov:wasDerivedFrom <urn:page:2> . <urn:page:2> prov:wasDerivedFrom <urn:page:1> .",
        "<urn:q> a tg:Question . <urn:f> a tg:Focus ; prov:wasDerivedFrom <urn:f>, <urn:q> .",
    ],
)
def test_derivations_in_a_circle_end(circle: str) -> None:
    prefixes = (
        "@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> . "
    )
    assert records(prefixes + circle)


def test_numbers_and_times_that_are_none_stay_attributes() -> None:
    found = records(
        """@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        @prefix dc: <http://purl.org/dc/elements/1.1/> .
        <https://example.org/d> a tg:Document ; dc:date "spring" ; dc:source "a shelf" .
        <urn:chunk:1> a tg:Chunk ; prov:wasDerivedFrom <https://example.org/d> ;
            prov:wasGeneratedBy <https://trustgraph.ai/activity/1> ;
            tg:chunkIndex "one" ; tg:charOffset "-5" ; tg:charLength "NaN" .
        <https://trustgraph.ai/activity/1> prov:startedAtTime "yesterday" ."""
    )
    document, chunk = (
        found["document", "https://example.org/d", ""],
        found["chunk", "urn:chunk:1", ""],
    )
    assert document["attributes"] == {"dc:date": "spring", "dc:source": "a shelf"}
    assert chunk["attributes"]["tg:charLength"] == "NaN"
    assert {"index", "interval", "occurred_at"} & chunk.keys() == set()


def test_the_same_triples_in_any_order_give_the_same_records() -> None:
    first = graph(EXTRACTED, ASKED)
    triples = list(first)
    random.Random(7).shuffle(triples)
    again = rdflib.Dataset()
    for number, triple in enumerate(triples):
        again.graph(rdflib.URIRef(f"urn:graph:{number % 2}")).add(triple)
    assert to_records(again) == to_records(first)


# -- quoted triples -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turtle",
    [
        '<urn:a> <urn:b> "<< c d e >>" .',
        "<urn:a> <urn:b> '''<<\n>>''' .",
        "# << a b c >>\n<urn:a> <urn:b> <urn:c> .",
        "<urn:a> <urn:b> << <urn:c> <urn:d> .",
        "<urn:a> <urn:b> << <urn:c> >> .",
        "<urn:a> <urn:b> << <urn:c> <urn:d> <urn:e> <urn:f> >> .",
    ],
)
def test_what_is_no_quoted_triple_is_left_alone(turtle: str) -> None:
    assert without_quotes(turtle) == turtle


@pytest.mark.parametrize(
    ("inside", "object_"),
    [
        ("<urn:s><urn:p><urn:o>", rdflib.URIRef("urn:o")),
        ('x:s x:p "one \\" >> two"', rdflib.Literal('one " >> two')),
        ('x:s x:p """a\n"b" >> c"""@pt-BR', rdflib.Literal('a\n"b" >> c', lang="pt-BR")),
        ('x:s x:p "5"^^<urn:t>', rdflib.Literal("5", datatype=rdflib.URIRef("urn:t"))),
        ("x:s # a remark >>\n x:p 5", rdflib.Literal(5)),
    ],
)
def test_a_quoted_triple_is_a_node_of_three_terms(inside: str, object_: rdflib.term.Node) -> None:
    made = rdflib.Graph()
    made.parse(
        data=without_quotes(f"@prefix x: <urn:x:> . <urn:a> <urn:b> << {inside} >> ."),
        format="turtle",
    )
    (node,) = made.objects(rdflib.URIRef("urn:a"))
    assert list(made.objects(node, rdflib.RDF.object)) == [object_]


def test_a_quoted_triple_may_be_about_another() -> None:
    made = graph("<urn:a> <urn:b> << << <urn:c> <urn:d> <urn:e> >> <urn:f> <urn:g> >> .")
    assert len(list(made.subjects(rdflib.RDF.type, rdflib.RDF.Statement))) == 2


@pytest.mark.parametrize(
    ("triples", "pointer"),
    [
        ({"triples": 5}, "/triples"),
        ([5], "/0"),
        ([{"s": {"t": "i", "i": "urn:a"}, "p": {"t": "i", "i": "urn:b"}}], "/0/o"),
        ([{"s": {"t": "l", "v": "a"}, "p": {"t": "i", "i": "urn:b"}, "o": {"t": "b", "d": "c"}}], "/0"),
        ([{"s": {"t": "i", "i": "urn:a"}, "p": {"t": "i", "i": "urn:b"}, "o": {"t": "t", "tr": []}}], "/0/o/tr"),
    ],
)  # fmt: skip
def test_what_is_no_triple_is_refused_with_a_pointer(triples: Any, pointer: str) -> None:
    with pytest.raises(BodyRefused) as refused:
        read_wire(triples)
    assert refused.value.problem.pointer == pointer


def test_quoted_triples_do_not_nest_without_end() -> None:
    triple: Any = {name: {"t": "i", "i": "urn:a"} for name in "spo"}
    for _ in range(30):
        triple = {
            **{name: {"t": "i", "i": "urn:a"} for name in "sp"},
            "o": {"t": "t", "tr": triple},
        }
    with pytest.raises(BodyRefused):
        read_wire([triple])


def test_iris_that_rdf_does_not_allow_are_kept_as_they_came() -> None:
    def iri(value: str) -> dict[str, str]:
        return {"t": "i", "i": value}

    tg, prov = "https://trustgraph.ai/ns/", "http://www.w3.org/ns/prov#"
    said = [iri("urn:a <b>"), iri("urn:p|"), iri("urn:\ud800")]
    edge = {"t": "t", "tr": dict(zip("spo", said, strict=True))}
    chunk, subgraph, focus = iri("urn:chunk:c {1}"), iri(f"{tg}subgraph/1"), iri("urn:focus")
    found = to_records(
        read_wire(
            [
                {"s": iri("urn:d d"), "p": iri(f"{RDF}type"), "o": iri(f"{tg}Document")},
                {"s": chunk, "p": iri(f"{prov}wasDerivedFrom"), "o": iri("urn:d d")},
                {"s": subgraph, "p": iri(f"{prov}wasDerivedFrom"), "o": chunk},
                {"s": subgraph, "p": iri(f"{tg}contains"), "o": edge},
                {"s": focus, "p": iri(f"{tg}selectedEdge"), "o": iri("urn:edge:0")},
                {"s": iri("urn:edge:0"), "p": iri(f"{tg}edge"), "o": edge},
            ]
        )
    )
    (document,) = [one for one in found if one["kind"] == "document"]
    (fact_,) = [one for one in found if one["kind"] == "fact"]
    (context,) = [one for one in found if one["kind"] == "context"]
    assert (document["key"], fact_["namespace"]) == ("urn:d d", chunk["i"])
    assert [fact_[name] for name in ("subject", "predicate", "object")] == [i["i"] for i in said]
    assert [item["fact"]["key"] for item in context["items"]] == [fact_["key"]]


def test_trustgraphs_own_json_is_read_as_the_same_graph() -> None:
    def iri(name: str) -> dict[str, str]:
        return {"t": "i", "i": name}

    subgraph = "https://trustgraph.ai/subgraph/2"
    triple = {
        "s": iri("http://example.org/beta"),
        "p": iri("http://example.org/left"),
        "o": {"t": "l", "v": "2020"},
    }
    wire = [
        {"s": iri(subgraph), "p": iri("https://trustgraph.ai/ns/contains"),
         "o": {"t": "t", "tr": triple}, "g": "urn:graph:source"},
        {"s": iri(subgraph), "p": iri("http://www.w3.org/ns/prov#wasDerivedFrom"),
         "o": iri("urn:chunk:2"), "g": "urn:graph:source"},
    ]  # fmt: skip
    assert is_wire(wire)
    assert is_wire({"triples": wire})
    assert not is_wire({"entity": {}})
    place = fact("http://example.org/beta", "http://example.org/left", "2020", "urn:chunk:2")
    assert to_records(read_wire(wire)) == [records(EXTRACTED)[place]]
