"""PROV-O: what RDF says in direct and qualified forms, read as the same statements; never the network."""

import json
from typing import Any

import pytest

from lineage.formats import prov_graphs
from lineage.formats.prov import is_rdf, read_document
from lineage.formats.prov_rdf import parse_graph, uses_trustgraph
from lineage.formats.prov_statements import PROV, Statement, Unread
from lineage.formats.refusals import BodyRefused
from tests.formats.prov_writing import EX, typed

pytestmark = pytest.mark.engine_free

PREFIXES = f"""
@prefix prov: <{PROV}> . @prefix ex: <{EX}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
AT = "2026-03-01T10:00:00Z"


def read(turtle: str, media_type: str = "text/turtle") -> tuple[Statement | Unread, ...]:
    return read_document((PREFIXES + turtle).encode(), media_type).statements


def said(turtle: str, media_type: str = "text/turtle") -> list[tuple[str, dict[str, str]]]:
    """Relation and arguments, IRIs without `ex`, of the statements that are relations."""
    found = read(turtle, media_type)
    assert all(isinstance(one, Statement) for one in found), found
    return [
        (one.relation, {name: value.removeprefix(EX) for name, value in one.arguments.items()})
        for one in found
        if isinstance(one, Statement) and not one.is_element
    ]


@pytest.mark.parametrize(
    ("body", "media_type", "slug"),
    [
        (b"<a> <b> .", "text/turtle", "body-unreadable"),
        (b"\xff", "text/turtle", "body-unreadable"),
        (b"<a> <b> " + b"[<c> " * 20_000, "text/turtle", "body-unreadable"),
        (b"{", "application/ld+json", "body-unreadable"),
        (b"3", "application/ld+json", "body-unreadable"),
        (b'{"a":' * 100 + b"1" + b"}" * 100, "application/ld+json", "body-unreadable"),
        (b"<x/>", "application/rdf+xml", "media-type-unsupported"),
        (b"", "text/turtle; charset=latin-1", "media-type-unsupported"),
    ],
)
def test_unreadable_is_refused(body: bytes, media_type: str, slug: str) -> None:
    with pytest.raises(BodyRefused) as refused:
        read_document(body, media_type)
    assert refused.value.problem.slug == slug


def test_where_turtle_ends_is_told_without_what_stood_there() -> None:
    with pytest.raises(BodyRefused) as refused:
        parse_graph(b"<a:b> <a:c> 1 .\n<a:secret> oops", "text/turtle")
    assert "line 2" in refused.value.problem.detail
    assert "secret" not in refused.value.problem.detail


def test_too_many_triples_are_refused_while_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert prov_graphs.TRIPLES == 100_000
    monkeypatch.setattr(prov_graphs._Bounded, "left", 50)
    few = b"<a:b> <a:c> " + b",".join(b"%d" % n for n in range(50)) + b" ."
    assert len(parse_graph(few, "text/turtle")) == 50
    # What comes after the limit is not even read: it would be a fault.
    with pytest.raises(BodyRefused) as refused:
        parse_graph(few + b" <a:b> <a:c> -1 . oops", "text/turtle")
    assert refused.value.problem.slug == "body-too-large"


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({"@context": "http://127.0.0.1:9/context"}, "/@context"),
        ({"@context": ["http://127.0.0.1:9/c", {}]}, "/@context/0"),
        ({"@graph": [{"@context": {"a": {"@id": "ex:a", "@context": "file:///etc/hosts"}}}]},
         "/@graph/0/@context/a/@context"),
        ({"@context": {"@import": "http://127.0.0.1:9/c"}}, "/@context/@import"),
    ],
)  # fmt: skip
def test_contexts_are_never_fetched(document: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BodyRefused) as refused:
        parse_graph(json.dumps(document).encode(), "application/ld+json")
    assert refused.value.problem.pointer == pointer
    assert "not fetched" in refused.value.problem.detail


@pytest.mark.parametrize(
    ("members", "pointer"),
    [
        ('"@id": "ex:a", "@id": "ex:b"', None),
        ('"@id": "ex:a", "prov:used": [{"@id": "ex:b"}, {"@id": "ex:c", "@id": "ex:d"}]',
         "/prov:used/1"),
        ('"@id": "ex:a b"', "/@id"),
        ('"@id": "ex:a", "prov:used": {"@id": "ex:b c"}', "/prov:used/@id"),
        ('"@id": "ex:a", "prov:value": {"@value": "x", "@language": "en us"}',
         "/prov:value/@language"),
    ],
)  # fmt: skip
def test_what_json_ld_would_leave_out_without_a_word_is_refused(
    members: str, pointer: str | None
) -> None:
    body = (
        f'{{"@context": {{"prov": "{PROV}", "ex": "{EX}"}}, "@type": "prov:Activity", {members}}}'
    )
    with pytest.raises(BodyRefused) as refused:
        parse_graph(body.encode(), "application/ld+json")
    assert refused.value.problem.slug == "body-unreadable"
    assert refused.value.problem.pointer == (pointer or "")


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (f"{PREFIXES} <{EX}a\\u003Cb\\u003E> a prov:Entity ; prov:wasDerivedFrom [ rdfs:seeAlso <{EX}\\u007B> ] .",
         "text/turtle"),
        (f'{{"@id": "{EX}a<b>", "{PROV}wasDerivedFrom": {{"{EX}in": {{"@id": "{EX}^"}}}}, "{EX}n": 1}}',
         "application/ld+json"),
    ],
)  # fmt: skip
def test_iris_that_rdf_does_not_allow_are_kept_as_they_came(body: str, media_type: str) -> None:
    # The blank node is named by what is said of it: by an IRI of this sort, too.
    found = read_document(body.encode(), media_type).statements
    assert f"{EX}a<b>" in [one.id for one in found if one.relation == "entity"]
    derived = [one for one in found if isinstance(one, Statement) and not one.is_element]
    assert [one.arguments["generatedEntity"] for one in derived] == [f"{EX}a<b>"]


def test_prov_s_own_context_is_known_here() -> None:
    document = {
        "@context": [{"ex": EX}, "https://openprovenance.org/prov-jsonld/context.jsonld"],
        "@graph": [
            {"@type": "Entity", "@id": "ex:e", "label": [{"@value": "l", "@language": "en"}]},
            {
                "@type": "Generation",
                "@id": "ex:g",
                "entity": "ex:e",
                "activity": "ex:a",
                "time": AT,
            },
        ],
    }
    found = read_document(json.dumps(document).encode(), "application/ld+json").statements
    assert [(one.relation, one.id) for one in found] == [
        ("entity", f"{EX}e"), ("wasGeneratedBy", f"{EX}g"),
    ]  # fmt: skip
    assert isinstance(found[1], Statement)
    assert found[1].arguments == {"entity": f"{EX}e", "activity": f"{EX}a", "time": AT}


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        ("ex:e prov:wasGeneratedBy ex:a .", ("wasGeneratedBy", {"entity": "e", "activity": "a"})),
        ("ex:a prov:generated ex:e .", ("wasGeneratedBy", {"activity": "a", "entity": "e"})),
        ("ex:a prov:used ex:e .", ("used", {"activity": "a", "entity": "e"})),
        ("ex:a prov:wasInformedBy ex:b .", ("wasInformedBy", {"informed": "a", "informant": "b"})),
        ("ex:a prov:wasStartedBy ex:e .", ("wasStartedBy", {"activity": "a", "trigger": "e"})),
        ("ex:a prov:wasEndedBy ex:e .", ("wasEndedBy", {"activity": "a", "trigger": "e"})),
        ("ex:e prov:wasInvalidatedBy ex:a .", ("wasInvalidatedBy", {"entity": "e", "activity": "a"})),
        ("ex:e prov:wasAttributedTo ex:g .", ("wasAttributedTo", {"entity": "e", "agent": "g"})),
        ("ex:a prov:wasAssociatedWith ex:g .", ("wasAssociatedWith", {"activity": "a", "agent": "g"})),
        ("ex:g prov:actedOnBehalfOf ex:h .", ("actedOnBehalfOf", {"delegate": "g", "responsible": "h"})),
        ("ex:e prov:wasInfluencedBy ex:f .", ("wasInfluencedBy", {"influencee": "e", "influencer": "f"})),
        ("ex:e prov:specializationOf ex:f .",
         ("specializationOf", {"specificEntity": "e", "generalEntity": "f"})),
        ("ex:e prov:alternateOf ex:f .", ("alternateOf", {"alternate1": "e", "alternate2": "f"})),
        ("ex:e prov:hadMember ex:f .", ("hadMember", {"collection": "e", "entity": "f"})),
        ("ex:e prov:mentionOf ex:f ; prov:asInBundle ex:b .",
         ("mentionOf", {"specificEntity": "e", "generalEntity": "f", "bundle": "b"})),
        (f'ex:e prov:generatedAtTime "{AT}"^^xsd:dateTime .', ("wasGeneratedBy", {"entity": "e", "time": AT})),
        (f'ex:e prov:invalidatedAtTime "{AT}"^^xsd:dateTime .',
         ("wasInvalidatedBy", {"entity": "e", "time": AT})),
        (f'ex:e prov:qualifiedGeneration [ prov:activity ex:a ; prov:atTime "{AT}"^^xsd:dateTime ] .',
         ("wasGeneratedBy", {"entity": "e", "activity": "a", "time": AT})),
        ("ex:a prov:qualifiedUsage [ prov:entity ex:e ] .", ("used", {"activity": "a", "entity": "e"})),
        ("ex:a prov:qualifiedAssociation [ prov:agent ex:g ; prov:hadPlan ex:p ] .",
         ("wasAssociatedWith", {"activity": "a", "agent": "g", "plan": "p"})),
        ("ex:g prov:qualifiedDelegation [ prov:agent ex:h ; prov:hadActivity ex:a ] .",
         ("actedOnBehalfOf", {"delegate": "g", "responsible": "h", "activity": "a"})),
        ("ex:a prov:qualifiedStart [ prov:entity ex:e ; prov:hadActivity ex:b ] .",
         ("wasStartedBy", {"activity": "a", "trigger": "e", "starter": "b"})),
        ("ex:e prov:qualifiedDerivation [ prov:entity ex:f ; prov:hadGeneration ex:g ; prov:hadUsage ex:u ] .",
         ("wasDerivedFrom", {"generatedEntity": "e", "usedEntity": "f", "generation": "g", "usage": "u"})),
        # What is said directly and qualified is one statement.
        ("ex:a prov:used ex:e ; prov:qualifiedUsage [ prov:entity ex:e ; ex:n 1 ] .",
         ("used", {"activity": "a", "entity": "e"})),
        ("ex:a prov:used ex:e ; prov:qualifiedUsage [ ex:n 1 ] .", ("used", {"activity": "a", "entity": "e"})),
        ("ex:e prov:wasDerivedFrom ex:f ; prov:wasRevisionOf ex:f .",
         ("wasDerivedFrom", {"generatedEntity": "e", "usedEntity": "f"})),
    ],
)  # fmt: skip
def test_forms_of_relations(turtle: str, expected: tuple[str, dict[str, str]]) -> None:
    assert [one for one in said(turtle) if one[0] != "entity"] == [expected]


@pytest.mark.parametrize(
    ("predicate", "subtype"),
    [("wasRevisionOf", "Revision"), ("wasQuotedFrom", "Quotation"), ("hadPrimarySource", "PrimarySource")],
)  # fmt: skip
def test_derivations_by_their_own_names(predicate: str, subtype: str) -> None:
    qualified = f"ex:e prov:qualified{subtype} [ prov:entity ex:f ] ."
    for turtle in (f"ex:e prov:{predicate} ex:f .", qualified):
        (derivation,) = read(turtle)
        assert isinstance(derivation, Statement)
        assert derivation.attributes == {
            f"{PROV}type": (typed(f"{PROV}{subtype}", "prov:QUALIFIED_NAME"),)
        }


def test_elements_with_their_attributes() -> None:
    person, entity = read(
        """ex:ana a prov:Person ; rdfs:label "Ana"@pt .
        ex:e a prov:Entity, ex:Report ; prov:value "v" ; prov:atLocation <http://x/> ;
          ex:n "010"^^xsd:integer, 2.50, true ; ex:address [ ex:city "Olinda" ; ex:zip [ ex:of 3 ] ] ."""
    )
    assert isinstance(person, Statement)
    assert (person.relation, person.id) == ("agent", f"{EX}ana")
    assert person.attributes == {
        f"{PROV}label": ({"$": "Ana", "lang": "pt"},),
        f"{PROV}type": (typed(f"{PROV}Person", "prov:QUALIFIED_NAME"),),
    }
    assert isinstance(entity, Statement)
    address = entity.attributes.pop(f"{EX}address")  # type: ignore[attr-defined]
    assert json.loads(address[0]["$"]) == {
        f"{EX}city": ["Olinda"], f"{EX}zip": [{f"{EX}of": [{"$": "3", "type": "xsd:integer"}]}],
    }  # fmt: skip
    assert {name: set(map(str, values)) for name, values in entity.attributes.items()} == {
        f"{PROV}type": {str(typed(f"{EX}Report", "prov:QUALIFIED_NAME"))},
        f"{PROV}value": {"v"},
        f"{PROV}location": {str(typed("http://x/", "prov:QUALIFIED_NAME"))},
        f"{EX}n": {str(typed("010", "xsd:integer")), str(typed("2.50", "xsd:decimal")),
                   str(typed("true", "xsd:boolean"))},
    }  # fmt: skip


def test_what_a_relation_makes_of_a_thing_types_it() -> None:
    found = read(
        'ex:a prov:used ex:e ; prov:startedAtTime "2026-03-01T10:00:00"^^xsd:dateTime . ex:e ex:n 1 .'
    )
    assert [(one.relation, one.id) for one in found] == [
        ("activity", f"{EX}a"), ("entity", f"{EX}e"), ("used", ""),
    ]  # fmt: skip


def test_named_graphs_are_bundles() -> None:
    found = read(
        "ex:b a prov:Bundle . GRAPH ex:b { ex:e prov:wasDerivedFrom ex:f . }", "application/trig"
    )
    assert [(one.relation, getattr(one, "bundle", None)) for one in found] == [
        ("entity", ""), ("wasDerivedFrom", f"{EX}b"),
    ]  # fmt: skip


def test_blank_nodes_keep_their_names_between_readings_and_are_apart_between_documents() -> None:
    turtle = "ex:e prov:wasGeneratedBy [ a prov:Activity ] . ex:f prov:wasGeneratedBy [ a prov:Activity ] ."
    first, again, other = read(turtle), read(turtle), read(turtle + " ex:g a prov:Entity .")
    names = [one.id for one in first if one.relation == "activity"]
    assert len(set(names)) == 2
    assert all(name.startswith("_:") for name in names)
    assert names == [one.id for one in again if one.relation == "activity"]
    assert not {one.id for one in other} & set(names)


@pytest.mark.parametrize(
    ("turtle", "slug", "place"),
    [
        ('ex:a prov:used "e" .', "reference-malformed", f"{EX}a prov:used"),
        ('ex:a prov:qualifiedUsage "e" .', "reference-malformed", f"{EX}a prov:qualifiedUsage"),
        ('ex:a prov:qualifiedUsage [ prov:entity "e" ] .', "reference-malformed",
         f"{EX}a prov:qualifiedUsage"),
        ("ex:a prov:qualifiedUsage [ prov:entity ex:e, ex:f ] .", "value-not-allowed",
         f"{EX}a prov:qualifiedUsage"),
        ('ex:a prov:qualifiedUsage [ prov:entity ex:e ; prov:atTime "soon" ] .', "time-unreadable",
         f"{EX}a prov:qualifiedUsage"),
        ('ex:a a prov:Activity ; prov:startedAtTime "soon" .', "time-unreadable",
         f"{EX}a prov:startedAtTime"),
        ('ex:a a prov:Activity ; prov:endedAtTime "2026-01-01", "2026-01-02" .', "prov-constraint",
         f"{EX}a prov:endedAtTime"),
        ("ex:x ex:n 1 .", "unknown-kind", f"{EX}x"),
        ('ex:g a prov:Generation ; prov:atTime "2026-01-01T00:00:00Z" .', "field-missing",
         f"{EX}g prov:qualifiedGeneration"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_by_subject_and_predicate(
    turtle: str, slug: str, place: str
) -> None:
    unread = [one for one in read(turtle + " ex:ok a prov:Entity .") if isinstance(one, Unread)]
    assert [(one.slug, one.place) for one in unread] == [(slug, place)]


@pytest.mark.parametrize("name", ["#e", "e", "a/e", "../e", "/e", "?e", ""])
def test_relative_names_are_of_their_document_alone(name: str) -> None:
    (first,), (other,) = (
        read(f"<{name}> a prov:Entity . {more}") for more in ("", "# another document")
    )
    assert first.id.startswith("arcp://ni,sha-256;")
    assert first.id != other.id
    assert first.id.endswith(name.removeprefix(".."))


@pytest.mark.parametrize("name", ["#e", "e", "../e", "/e"])
def test_relative_names_in_json_ld_are_of_their_document_alone(name: str) -> None:
    context = {"prov": "http://www.w3.org/ns/prov#", "n": None}
    first, other = (
        json.dumps({"@context": context, "@id": name, "@type": "prov:Entity", "n": number}).encode()
        for number in (1, 2)
    )
    found = [
        str(subject)
        for body in (first, other)
        for subject, *_ in parse_graph(body, "application/ld+json").quads()
    ]
    assert all(each.startswith("arcp://ni,sha-256;") for each in found)
    assert len(set(found)) == 2


def test_trustgraph_s_terms_are_noticed_but_not_in_an_export() -> None:
    tg = "@prefix tg: <https://trustgraph.ai/ns/> . "
    assert uses_trustgraph(parse_graph(f"{tg}<urn:c> a tg:Chunk .".encode(), "text/turtle"))
    assert uses_trustgraph(parse_graph(f"{tg}<urn:c> tg:chunkIndex 1 .".encode(), "text/turtle"))
    assert not uses_trustgraph(parse_graph(b"<urn:c> a <urn:d> .", "text/turtle"))
    export = "<urn:c> <urn:provexplorer:ns:kind> 'source' ; tg:chunkIndex 1 ."
    assert not uses_trustgraph(parse_graph(f"{tg}{export}".encode(), "text/turtle"))


def test_types_of_documents() -> None:
    assert is_rdf("Text/Turtle; charset=utf-8")
    assert is_rdf('text/turtle; charset="UTF8"')
    assert not is_rdf("")
    assert not is_rdf("application/json")
