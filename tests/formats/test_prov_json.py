"""PROV-JSON: what is malformed is refused with its place, everything else is read as it stands."""

import json

import pytest

from lineage.formats.prov_json import read_prov_json
from lineage.formats.prov_statements import MOST_STATEMENTS, Statement, Unread
from lineage.formats.refusals import BodyRefused
from tests.formats.prov_writing import EX, body, typed

pytestmark = pytest.mark.engine_free


def statements(document: bytes) -> list[Statement]:
    found = read_prov_json(document).statements
    assert all(isinstance(one, Statement) for one in found), found
    return [one for one in found if isinstance(one, Statement)]


@pytest.mark.parametrize(
    ("document", "pointer", "words"),
    [
        (b"{not json", "", "line 1, column 2"),
        (b"[1, 2]", "", "PROV-JSON document"),
        (b'{"prefix": "x"}', "/prefix", "prefix"),
        (b'{"prefix": {"ex": 1}}', "/prefix/ex", "'ex'"),
        (b'{"bundle": "x"}', "/bundle", "bundle"),
        (b'{"bundle": {"b": 1}}', "/bundle/b", "'b'"),
        (b'{"entity": []}', "/entity", "entity"),
        (b'{"notarealtype": {}}', "/notarealtype", "'notarealtype'"),
        (b'{"entity": {"a": {}}}', "/entity/a", "'a' has no prefix"),
        (b'{"entity": {"q:a": {}}}', "/entity/q:a", "'q' is not declared"),
        (b'{"entity": {"prov:a": {}, "prov:a": {}}}', "/entity", "'prov:a' stands twice"),
        (body(entity={"_:b": {}}), "/entity/_:b", "qualified name of its own"),
        (body(entity={"ex:a": 3}), "/entity/ex:a", "entity 'ex:a'"),
        (body(entity={"ex:a": {"ex:b": {"type": "xsd:int"}}}), "/entity/ex:a/ex:b", '"$"'),
        (body(entity={"ex:a": {"ex:b": {"$": "1", "unit": "m"}}}), "/entity/ex:a/ex:b", "'unit'"),
        (body(entity={"ex:a": {"ex:b": [1, None]}}), "/entity/ex:a/ex:b/1", "no value"),
        (body(entity={"ex:a": {"ex:b": [[1]]}}), "/entity/ex:a/ex:b/0", "no value"),
        (body(entity={"ex:a": {"ex:b": {"$": "1", "type": "q:t"}}}), "/entity/ex:a/ex:b/type", "'q'"),
        (body(used={"_:u": {"prov:entity": 4}}), "/used/_:u/prov:entity", "qualified name"),
        (body(used={"_:u": {"prov:time": [1]}}), "/used/_:u/prov:time", "xsd:dateTime"),
        (body(used={"_:u": {"ex:note": "x"}}), "/used/_:u", "names nothing"),
        (body(bundle={"ex:b": {"bundle": {}}}), "/bundle/ex:b/bundle", "'bundle'"),
        (b"[" * 100_000, "", "too deeply"),
        (b'{"a":' + b'{"a":' * 40 + b"1" + b"}" * 41, "/a" * 11, "nested"),
    ],
)  # fmt: skip
def test_malformed_is_refused_with_its_place(document: bytes, pointer: str, words: str) -> None:
    with pytest.raises(BodyRefused) as refused:
        read_prov_json(document)
    problem = refused.value.problem
    assert (problem.slug, problem.pointer) == ("body-unreadable", pointer)
    assert words in problem.detail


def test_too_many_statements_are_refused() -> None:
    many = body(hadMember={"_:m": {"prov:collection": "ex:c", "prov:entity": ["ex:e"] * 50_001}})
    with pytest.raises(BodyRefused) as refused:
        read_prov_json(many)
    assert refused.value.problem.slug == "body-too-large"
    assert MOST_STATEMENTS == 50_000


def test_a_time_that_is_none_refuses_its_statement_alone() -> None:
    document = body(
        activity={"ex:a": {"prov:startTime": "yesterday"}, "ex:b": {}},
        used={"ex:u": {"prov:activity": "ex:b", "prov:time": "2026-13-01T00:00:00"}},
    )
    first, second, third = read_prov_json(document).statements
    assert isinstance(first, Unread)
    assert (first.slug, first.place) == ("time-unreadable", "/activity/ex:a/prov:startTime")
    assert isinstance(second, Statement)
    assert isinstance(third, Unread)
    assert (third.id, third.relation) == (f"{EX}u", "used")


def test_values_keep_type_and_language() -> None:
    document = body(
        entity={
            "ex:a": {
                "ex:v": [
                    "plain", True, 3, 2.5, typed("010", "xsd:int"), typed("x", "ex:own"),
                    typed("ex:n", "xsd:QName"), typed("ex:n", "prov:QUALIFIED_NAME"),
                    typed("no:where", "xsd:QName"), typed("http://x/", "xsd:anyURI"),
                    {"$": "oi", "lang": "pt"},
                    {"$": "oi", "lang": "pt", "type": "prov:InternationalizedString"},
                    {"$": 7, "type": "xsd:int"}, {"$": False}, typed("AAEC", "xsd:base64Binary"),
                ]
            }
        }
    )  # fmt: skip
    (entity,) = statements(document)
    assert entity.attributes[f"{EX}v"] == (
        "plain", True, 3, 2.5, typed("010", "xsd:int"), typed("x", f"{EX}own"),
        typed(f"{EX}n", "prov:QUALIFIED_NAME"), typed(f"{EX}n", "prov:QUALIFIED_NAME"),
        typed("no:where", "xsd:QName"), typed("http://x/", "xsd:anyURI"),
        {"$": "oi", "lang": "pt"}, {"$": "oi", "lang": "pt"},
        typed("7", "xsd:int"), "false", typed("AAEC", "xsd:base64Binary"),
    )  # fmt: skip


def test_numbers_that_json_cannot_write_and_characters_that_no_store_keeps() -> None:
    sent = rb'{"prefix": {"ex": "http://example.org/"}, "entity": {"ex:a": {"ex:v": [NaN, -Infinity, {"$": NaN, "type": "xsd:double"}, "a\u0000b\ud800"]}}}'
    (entity,) = statements(sent)
    assert entity.attributes[f"{EX}v"] == (
        typed("NaN", "xsd:double"),
        typed("-INF", "xsd:double"),
        typed("NaN", "xsd:double"),
        "a\u2400b\ufffd",
    )


def test_one_identifier_may_stand_several_times() -> None:
    document = body(
        wasGeneratedBy={
            "ex:g": [
                {"prov:entity": "ex:e", "prov:time": "2026-01-01T00:00:00Z"},
                {"prov:entity": "ex:e", "prov:time": ["2026-01-02T00:00:00Z"]},
            ]
        }
    )
    assert [(one.id, one.place, one.arguments["time"]) for one in statements(document)] == [
        (f"{EX}g", "/wasGeneratedBy/ex:g/0", "2026-01-01T00:00:00Z"),
        (f"{EX}g", "/wasGeneratedBy/ex:g/1", "2026-01-02T00:00:00Z"),
    ]


def test_members_in_a_list_are_statements_of_their_own() -> None:
    document = body(hadMember={"_:m": {"prov:collection": "ex:c", "prov:entity": ["ex:a", "ex:b"]}})
    assert [one.ends() for one in statements(document)] == [
        (f"{EX}c", f"{EX}a"), (f"{EX}c", f"{EX}b"),
    ]  # fmt: skip


def test_a_bundle_may_bind_prefixes_anew_and_inherits_the_others() -> None:
    document = body(
        bundle={
            "b:one": {
                "prefix": {"b": "http://b/", "ex": "http://other/"},
                "entity": {"ex:e": {}, "prov:x": {}},
            },
            "ex:two": {"entity": {"ex:e": {}}},
        }
    )
    assert [(one.bundle, one.id) for one in statements(document)] == [
        ("http://b/one", "http://other/e"),
        ("http://b/one", "http://www.w3.org/ns/prov#x"),
        (f"{EX}two", f"{EX}e"),
    ]


def test_default_namespace_and_names_in_full() -> None:
    document = json.dumps(
        {"prefix": {"default": EX}, "entity": {"a": {}, f"{EX}b:c": {}, "default:d": {}}}
    ).encode()
    assert [one.id for one in statements(document)] == [f"{EX}a", f"{EX}b:c", f"{EX}d"]
