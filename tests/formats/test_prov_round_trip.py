"""What comes as PROV goes out again as it came: by the library's own equality, in every format."""

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.formats import prov
from lineage.formats.prov_write import as_library, write
from tests.formats.prov_writing import body, exported, library, prepared, typed

pytestmark = pytest.mark.engine_free

FORMS = ("json", "turtle", "jsonld")
VALUES = [
    "plain", "", True, False, 3, typed("2.50", "xsd:decimal"), typed("1.0", "xsd:double"),
    typed("2002", "xsd:gYear"), typed("---30", "xsd:gDay"),
    typed("P1Y", "xsd:duration"), typed("AAEC", "xsd:base64Binary"), typed("0a1b", "xsd:hexBinary"),
    typed("ex:n", "xsd:QName"), typed("http://x/y?z=1", "xsd:anyURI"), typed("x", "ex:own"),
    typed("2014-06-23T12:28:53+01:00", "xsd:dateTime"), {"$": "oi \"você\"\n\\", "lang": "pt"},
    typed("<b>x</b>", "rdf:XMLLiteral"),
]  # fmt: skip
AT = "2026-03-01T10:00:00.125+01:00"
RDF = {"rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "ex": "http://example.org/"}


def both(relation: str, **arguments: str) -> dict[str, Any]:
    """A relation twice: anonymous and bare, and with an identifier and attributes."""
    bare = {f"prov:{name}": value for name, value in arguments.items()}
    plain = {name: f"{value}2" if name != "prov:time" else value for name, value in bare.items()}
    rich = bare | {"prov:type": ["text", typed("ex:T", "xsd:QName")], "ex:v": VALUES,
                   "prov:label": "l"}  # fmt: skip
    if relation in ("used", "wasGeneratedBy", "wasAssociatedWith", "wasStartedBy"):
        rich["prov:role"] = ["r", typed("ex:R", "xsd:QName")]
    return {relation: {"_:r": plain, "ex:r": rich}}


DOCUMENTS: list[dict[str, Any]] = [
    {"entity": {"ex:e": {"ex:v": VALUES, "prov:value": "v", "prov:label": ["a", {"$": "b", "lang": "fr"}],
                         "prov:location": VALUES, "prov:type": [typed("prov:Plan", "xsd:QName")]}}},
    {"activity": {"ex:a": {"prov:startTime": AT, "prov:endTime": AT, "ex:v": VALUES}}},
    {"agent": {"ex:g": {"prov:type": typed("prov:Person", "xsd:QName"), "ex:v": VALUES},
               "ex:s": {"prov:type": typed("prov:SoftwareAgent", "xsd:QName")}},
     "wasAssociatedWith": {"_:1": {"prov:activity": "ex:a", "prov:agent": "ex:s"}}},
    {"entity": {"ex:x": {}}, "agent": {"ex:x": {}}},
    both("wasGeneratedBy", entity="ex:e", activity="ex:a", time=AT),
    both("used", activity="ex:a", entity="ex:e", time=AT),
    both("wasInformedBy", informed="ex:a", informant="ex:b"),
    both("wasStartedBy", activity="ex:a", trigger="ex:e", starter="ex:b", time=AT),
    both("wasEndedBy", activity="ex:a", trigger="ex:e", ender="ex:b", time=AT),
    both("wasInvalidatedBy", entity="ex:e", activity="ex:a", time=AT),
    both("wasDerivedFrom", generatedEntity="ex:e", usedEntity="ex:f", activity="ex:a"),
    {"wasDerivedFrom": {"ex:d": {"prov:generatedEntity": "ex:e", "prov:usedEntity": "ex:f",
                                 "prov:activity": "ex:a", "prov:generation": "ex:g", "prov:usage": "ex:u"}},
     "wasGeneratedBy": {"ex:g": {"prov:entity": "ex:e", "prov:activity": "ex:a"}},
     "used": {"ex:u": {"prov:entity": "ex:f", "prov:activity": "ex:a"}}},
    *({"wasDerivedFrom": {"_:d": {"prov:generatedEntity": "ex:e", "prov:usedEntity": "ex:f",
                                  "prov:type": typed(f"prov:{kind}", "xsd:QName")}}}
      for kind in ("Revision", "Quotation", "PrimarySource")),
    both("wasAttributedTo", entity="ex:e", agent="ex:g"),
    both("wasAssociatedWith", activity="ex:a", agent="ex:g", plan="ex:p"),
    both("actedOnBehalfOf", delegate="ex:g", responsible="ex:h", activity="ex:a"),
    both("wasInfluencedBy", influencee="ex:e", influencer="ex:f"),
    {"specializationOf": {"_:s": {"prov:specificEntity": "ex:e", "prov:generalEntity": "ex:f"}},
     "alternateOf": {"_:a": {"prov:alternate1": "ex:e", "prov:alternate2": "ex:f"}},
     "hadMember": {"_:m": {"prov:collection": "ex:e", "prov:entity": "ex:f"}}},
    {"mentionOf": {"_:m": {"prov:specificEntity": "ex:e", "prov:generalEntity": "ex:f",
                           "prov:bundle": "ex:b"}}},
    {"wasAttributedTo": {"ex:t": {"prov:agent": "ex:g"}}, "used": {"ex:u": {"prov:entity": "ex:e"}}},
    {"entity": {"ex:b": {"prov:type": typed("prov:Bundle", "xsd:QName")}, "ex:e": {"ex:n": 1}},
     "bundle": {"ex:b": {"prefix": {"ex": "http://other/"}, "entity": {"ex:e": {"ex:n": 2}},
                         "used": {"_:u": {"prov:activity": "ex:a", "prov:entity": "ex:e"}}},
                "ex:c": {"wasDerivedFrom": {"_:d": {"prov:generatedEntity": "ex:e",
                                                    "prov:usedEntity": "ex:f"}}}}},
]  # fmt: skip


@pytest.mark.parametrize("containers", DOCUMENTS)
@pytest.mark.parametrize("form", FORMS)
def test_statements_survive_storing_and_writing(containers: dict[str, Any], form: str) -> None:
    sent = body(**{"prefix": RDF, **containers})
    expected = library(sent)
    content, media_type = write(exported(sent), form)
    returned = as_library(prov.read_document(content, media_type))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert returned == expected, content.decode()


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)


@given(TEXT, TEXT)
@pytest.mark.parametrize("form", FORMS)
def test_any_text_survives(form: str, first: str, second: str) -> None:
    sent = body(entity={"ex:e": {"ex:v": sorted({first, second}), "prov:label": first}})
    content, media_type = write(exported(sent), form)
    (entity,) = prov.read_document(content, media_type).statements
    assert prepared(content, media_type).items[0].problem is None
    assert {str(v) for v in entity.attributes["http://example.org/v"]} == {first, second}  # type: ignore[union-attr]
