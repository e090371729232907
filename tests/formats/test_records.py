"""One record: what is refused, what is stored with a warning, and what it says."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lineage.formats.records import parse_record
from lineage.formats.shape import SHAPES
from lineage.types import Interval, NativeRecord, Ref, Refused
from lineage.vocabulary import APPLY_ORDER
from provexplorer import clock

pytestmark = pytest.mark.engine_free

# The smallest record of every kind.
LEAST: dict[str, dict[str, Any]] = {
    "agent": {"name": "N"},
    "component": {"component_kind": "parser", "name": "p", "version": "1"},
    "run": {"run_kind": "parse"},
    "source": {"title": "T"},
    "source_version": {"source": "s"},
    "acquisition": {"source_version": "s@1"},
    "document": {"source_version": "s@1"},
    "part": {"document": "d", "part_kind": "page"},
    "chunk": {"document": "d"},
    "fact": {"subject_of": "c", "subject": "x", "predicate": "is", "object": "y"},
    "embedding": {"chunk": "c", "model": "m"},
    "index_snapshot": {"collection": "i"},
    "retrieval": {"candidates": []},
    "context": {"items": []},
    "answer": {"text": "A."},
    "claim": {"answer": "a", "text": "A."},
    "citation": {"claim": "k", "marker": "[1]", "chunk": "c"},
}


def parsed(kind: str, **fields: Any) -> NativeRecord:
    record = parse_record(0, {"kind": kind, "key": "k", **LEAST[kind], **fields})
    assert isinstance(record, NativeRecord), record
    return record


def refused(kind: str, **fields: Any) -> tuple[str, str]:
    record = parse_record(3, {"kind": kind, "key": "k", **LEAST.get(kind, {}), **fields})
    assert isinstance(record, Refused), record
    assert record.index == 3
    assert 400 <= record.problem.status < 500
    return record.problem.slug, record.problem.pointer


def codes(record: NativeRecord) -> list[tuple[str, str]]:
    return [(warned.code, warned.pointer) for warned in record.warnings]


@pytest.mark.parametrize("record", [None, [], "agent", 3, True])
def test_what_is_no_object_is_refused(record: object) -> None:
    outcome = parse_record(0, record)
    assert isinstance(outcome, Refused)
    assert (outcome.kind, outcome.key, outcome.problem.slug) == ("", "", "not-an-object")


@pytest.mark.parametrize("kind", ["unknown_kind", "case", "Agent", "", None, 3, ["agent"]])
def test_an_unknown_kind_is_refused(kind: object) -> None:
    outcome = parse_record(0, {"kind": kind, "key": "x"})
    assert isinstance(outcome, Refused)
    assert (outcome.problem.slug, outcome.problem.pointer) == ("unknown-kind", "/kind")
    assert outcome.key == "x"


@pytest.mark.parametrize(
    ("key", "slug"),
    [
        (None, "key-missing"),
        ("", "key-missing"),
        (3, "wrong-type"),
        ("k" * 2_001, "key-too-long"),
        ("a\x00b", "characters-not-storable"),
        ("a\ud800b", "characters-not-storable"),
    ],
)
def test_a_key_that_cannot_be_kept_exactly_is_refused(key: object, slug: str) -> None:
    assert refused("source", key=key) == (slug, "/key")


@pytest.mark.parametrize("key", ["a/b%2F?#", "🤔" * 2_000, "\u202eevil\x01", " lead", "é"])
def test_any_other_key_is_kept_exactly(key: str) -> None:
    record = parsed("source", key=key, namespace=key)
    assert (record.key, record.namespace) == (key, key)


@pytest.mark.parametrize("kind", sorted(LEAST))
def test_the_smallest_record_of_each_kind_is_read(kind: str) -> None:
    record = parsed(kind)
    assert (record.kind, record.key, record.namespace, record.occurred_at) == (kind, "k", "", None)


def test_every_kind_has_a_shape() -> None:
    assert sorted(SHAPES) == sorted(APPLY_ORDER) == sorted(LEAST)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in LEAST
        for name, field in SHAPES[kind].fields.items()
        if field.required
    ],
)
def test_a_required_field_that_is_missing_or_null_is_refused(kind: str, name: str) -> None:
    assert refused(kind, **{name: None}) == ("field-missing", f"/{name}")


@pytest.mark.parametrize(
    ("kind", "fields", "slug"),
    [
        ("embedding", {"chunk": None}, "field-missing"),
        ("embedding", {"fact": "f"}, "fields-exclusive"),
        ("embedding", {"chunk": None, "fact": "f"}, "field-missing"),
        ("claim", {"text": None}, "field-missing"),
        ("citation", {"chunk": None}, "field-missing"),
        ("citation", {"fact": "f"}, "fields-exclusive"),
        ("context", {"prompt": "p", "template": {"name": "t"}}, "fields-exclusive"),
    ],
)
def test_one_of_several_fields(kind: str, fields: dict[str, Any], slug: str) -> None:
    assert refused(kind, **fields) == (slug, "")


@pytest.mark.parametrize(
    ("kind", "fields", "slug", "pointer"),
    [
        ("source", {"title": 3}, "wrong-type", "/title"),
        ("source", {"creators": {}}, "wrong-type", "/creators"),
        ("source", {"creators": ["A"]}, "wrong-type", "/creators/0"),
        ("source", {"creators": [{}]}, "field-missing", "/creators/0"),
        ("source", {"creators": [{"name": "A"}, {"name": 1}]}, "wrong-type", "/creators/1/name"),
        (
            "source",
            {"creators": [{"name": "A", "role": "author"}]},
            "value-not-allowed",
            "/creators/0/role",
        ),
        ("source", {"publisher": "P"}, "wrong-type", "/publisher"),
        ("source", {"publisher": {}}, "field-missing", "/publisher"),
        ("source", {"attributes": []}, "wrong-type", "/attributes"),
        ("source", {"namespace": 3}, "wrong-type", "/namespace"),
        ("source", {"digest": "md5:abc"}, "value-not-allowed", "/digest"),
        ("source", {"occurred_at": "yesterday"}, "time-unreadable", "/occurred_at"),
        ("source", {"occurred_at": 1767225600}, "wrong-type", "/occurred_at"),
        ("source_version", {"acl": None}, "wrong-type", "/acl"),
        ("source_version", {"acl": "staff"}, "wrong-type", "/acl"),
        ("source_version", {"acl": [3]}, "wrong-type", "/acl/0"),
        ("source_version", {"published_at": "2025-02-30"}, "time-unreadable", "/published_at"),
        ("source_version", {"published_at": "in May"}, "time-unreadable", "/published_at"),
        ("component", {"component_kind": "toaster"}, "value-not-allowed", "/component_kind"),
        ("run", {"run_kind": "jog"}, "value-not-allowed", "/run_kind"),
        ("agent", {"agent_kind": "dog"}, "value-not-allowed", "/agent_kind"),
        ("chunk", {"heading_path": "A > B"}, "wrong-type", "/heading_path"),
        ("chunk", {"interval": [0, 4]}, "wrong-type", "/interval"),
        ("chunk", {"interval": {"start": 0}}, "field-missing", "/interval/end"),
        ("chunk", {"interval": {"start": 0.5, "end": 4}}, "wrong-type", "/interval/start"),
        (
            "chunk",
            {"interval": {"start": 0, "end": 4, "unit": "byte"}},
            "value-not-allowed",
            "/interval/unit",
        ),
        (
            "chunk",
            {"interval": {"start": 0, "end": 4, "in": "page"}},
            "value-not-allowed",
            "/interval/in",
        ),
        ("retrieval", {"candidates": [{"rank": 1}]}, "field-missing", "/candidates/0"),
        (
            "retrieval",
            {"candidates": [{"chunk": "a", "fact": "f"}]},
            "fields-exclusive",
            "/candidates/0",
        ),
        (
            "retrieval",
            {"candidates": [{"chunk": "a", "score": "0.9"}]},
            "wrong-type",
            "/candidates/0/score",
        ),
        (
            "retrieval",
            {"candidates": [{"chunk": "a", "score_kind": "cosine"}]},
            "value-not-allowed",
            "/candidates/0/score_kind",
        ),
        (
            "retrieval",
            {"candidates": [{"chunk": "a", "kept": "yes"}]},
            "wrong-type",
            "/candidates/0/kept",
        ),
        ("retrieval", {"query_variants": ["a", 2]}, "wrong-type", "/query_variants/1"),
        ("context", {"items": [{"position": 1}]}, "field-missing", "/items/0"),
        ("context", {"template": {"version": "1"}}, "field-missing", "/template/name"),
        ("answer", {"text": ["A."]}, "wrong-type", "/text"),
        ("fact", {"object": {"value": "y"}}, "wrong-type", "/object"),
    ],
)
def test_each_fault_has_its_place(
    kind: str, fields: dict[str, Any], slug: str, pointer: str
) -> None:
    assert refused(kind, **fields) == (slug, pointer)


def test_depth_is_bounded_at_32_levels() -> None:
    deep: Any = "x"
    for _ in range(30):
        deep = {"a": deep}
    assert parsed("source", attributes={"d": deep}).attributes == {"d": deep}
    assert refused("source", attributes={"d": {"a": deep}}) == ("too-deep", "")


def test_a_record_of_more_than_8_mib_is_refused_and_one_of_less_is_not() -> None:
    assert refused("source", attributes={"x": "y" * (8 << 20)}) == ("record-too-large", "")
    # 7 MiB as UTF-8, three times that in the escaped form that the digest is made of.
    kept = parsed("source", attributes={"x": "é" * 3_500_000})
    assert len(kept.attributes["x"]) == 3_500_000


@pytest.mark.parametrize(
    ("sent", "instant", "warned"),
    [
        ("2026-03-01T10:00:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC), False),
        ("2026-03-01t10:00:00z", datetime(2026, 3, 1, 10, tzinfo=UTC), False),
        ("2026-03-01T10:00:00+05:30", datetime(2026, 3, 1, 4, 30, tzinfo=UTC), False),
        ("2026-03-01T10:00:00.123456789Z", datetime(2026, 3, 1, 10, 0, 0, 123456, UTC), False),
        ("2026-06-30T23:59:60Z", datetime(2026, 7, 1, tzinfo=UTC), False),
        ("2026-03-01T10:00:00", datetime(2026, 3, 1, 10, tzinfo=UTC), True),
        ("2026-03-01 10:00:00.5", datetime(2026, 3, 1, 10, 0, 0, 500000, UTC), True),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC), True),
    ],
)
def test_times(sent: str, instant: datetime, warned: bool) -> None:
    record = parsed("run", occurred_at=sent)
    assert record.occurred_at == instant
    assert codes(record) == ([("time_without_zone", "/occurred_at")] if warned else [])


@pytest.mark.parametrize(
    "sent",
    [
        "", "2026-13-01T10:00:00Z", "2026-03-01T25:00:00Z", "2026-03-01T10:00:00+24:00",
        "2026-03-01T10:00Z", "20260301T100000Z", "0000-01-01T00:00:00Z", "2026-03-01T10:00:00Z\n",
        "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:60Z", "2026-W09-1", "٢٠٢٦-03-01T10:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(sent: str) -> None:
    assert refused("run", started_at=sent) == ("time-unreadable", "/started_at")


def test_a_time_more_than_five_minutes_ahead_is_warned() -> None:
    clock.use(lambda: datetime(2026, 3, 1, 10, tzinfo=UTC))
    try:
        assert codes(parsed("run", occurred_at="2026-03-01T10:05:00Z")) == []
        assert codes(parsed("run", occurred_at="2026-03-01T10:05:01Z")) == [
            ("time_ahead", "/occurred_at")
        ]
    finally:
        clock.use(None)


@pytest.mark.parametrize("sent", ["2003", "2003-10", "2003-10-13"])
def test_a_printed_date_stays_as_printed(sent: str) -> None:
    assert parsed("source_version", published_at=sent).fields["published_at"] == sent


def test_an_instant_is_kept_in_utc() -> None:
    record = parsed("source_version", published_at="2003-10-13T01:00:00+02:00")
    assert record.fields["published_at"] == "2003-10-12T23:00:00Z"


def test_a_reference_has_three_forms() -> None:
    def source(value: object) -> Ref:
        return parsed("source_version", namespace="n", source=value).refs[0]

    def expected(**stated: Any) -> Ref:
        return Ref(relation="source", kind="source", pointer="/source", **stated)

    digest = "sha256:" + "a" * 64
    named = {"key": "s", "namespace": "m", "digest": "sha256:" + "A" * 64}
    uid = "src_" + "a" * 26
    assert source("s") == expected(key="s", namespace="n")
    assert source({"key": "s"}) == expected(key="s", namespace="n")
    assert source({"key": "s", "namespace": None}) == expected(key="s", namespace=None)
    assert source(named) == expected(key="s", namespace="m", digest=digest)
    assert source({"uid": uid}) == expected(uid=uid)


@pytest.mark.parametrize(
    ("value", "slug", "pointer"),
    [
        (3, "wrong-type", "/document"),
        ("", "key-missing", "/document"),
        ("d" * 2_001, "key-too-long", "/document"),
        ({}, "reference-malformed", "/document"),
        ({"key": "d", "uid": "doc_" + "a" * 26}, "reference-malformed", "/document"),
        ({"key": 3}, "wrong-type", "/document/key"),
        ({"key": "d", "namespace": 3}, "wrong-type", "/document/namespace"),
        ({"key": "d", "digest": "x"}, "value-not-allowed", "/document/digest"),
        ({"key": "d", "kind": "chunk"}, "reference-kind-wrong", "/document/kind"),
        ({"key": "d", "kind": "book"}, "reference-kind-wrong", "/document/kind"),
        ({"uid": "chk_" + "a" * 26}, "reference-kind-wrong", "/document/uid"),
        ({"uid": "doc_1"}, "reference-malformed", "/document/uid"),
        ({"uid": 3}, "wrong-type", "/document/uid"),
    ],
)
def test_a_reference_that_cannot_stand(value: object, slug: str, pointer: str) -> None:
    assert refused("chunk", document=value) == (slug, pointer)


def test_where_several_kinds_are_possible_the_kind_is_required() -> None:
    assert refused("chunk", parent="p") == ("reference-kind-missing", "/parent")
    assert refused("run", used=[{"key": "d"}]) == ("reference-kind-missing", "/used/0")
    assert refused("run", used=[{"kind": "agent", "key": "d"}]) == (
        "reference-kind-wrong",
        "/used/0/kind",
    )
    parent = parsed("chunk", parent={"kind": "part", "key": "p"}).refs[1]
    assert (parent.relation, parent.kind, parent.key) == ("parent", "part", "p")
    # The prefix of a uid says its kind.
    uid = "prt_" + "a" * 26
    assert parsed("chunk", parent={"uid": uid}).refs[1].kind == "part"


def test_lists_of_references_keep_their_order() -> None:
    record = parsed("context", retrieval=["r1", {"key": "r2", "namespace": None}])
    assert [(r.relation, r.key, r.namespace, r.ordinal, r.pointer) for r in record.refs] == [
        ("retrieval", "r1", "", 0, "/retrieval/0"),
        ("retrieval", "r2", None, 1, "/retrieval/1"),
    ]
    assert parsed("context", retrieval="r1").refs[0].pointer == "/retrieval"


def test_candidates_carry_the_properties_of_their_edge() -> None:
    record = parsed(
        "retrieval",
        candidates=[
            {
                "chunk": "c1",
                "embedding": "e1",
                "rank": 1,
                "score": 0,
                "score_kind": "distance",
                "rerank_rank": 2.0,
                "rerank_score": -1.5,
                "kept": False,
                "drop_reason": "below_threshold",
            },
            {
                "fact": {"key": "f", "namespace": None},
                "kept": True,
                "drop_reason": "Dr Who wrote it",
            },
        ],
    )
    first = {
        "rank": 1, "score": 0, "score_kind": "distance", "rerank_rank": 2, "rerank_score": -1.5,
        "kept": False, "drop_reason": "below_threshold",
    }  # fmt: skip
    assert [(r.relation, r.key, r.ordinal, dict(r.properties)) for r in record.refs] == [
        ("candidates.chunk", "c1", 0, first),
        ("candidates.embedding", "e1", 0, first),
        ("candidates.fact", "f", 1, {"kept": True, "drop_reason": "other"}),
    ]
    assert record.fields["candidates"] == [
        first,
        {"kept": True, "drop_reason": "Dr Who wrote it"},
    ]


def test_items_carry_position_and_interval() -> None:
    record = parsed(
        "context",
        items=[
            {"chunk": "c1", "position": 4, "interval": {"start": 0, "end": 9}, "truncated": True},
            {"chunk": "c2", "position": 8, "interval": {"start": 8, "end": 2}},
            {"fact": "f", "interval": {"start": 0, "end": 2, "unit": "utf16"}},
        ],
    )
    assert [(r.relation, r.key, r.ordinal, dict(r.properties)) for r in record.refs] == [
        ("items.chunk", "c1", 0, {"position": 4, "truncated": True, "start": 0, "end": 9}),
        ("items.chunk", "c2", 1, {"position": 8}),
        ("items.fact", "f", 2, {}),
    ]
    assert record.fields["items"][1]["interval"] == {"start": 8, "end": 2}


def test_an_embedding_is_of_a_chunk_or_of_an_entity_of_a_fact() -> None:
    assert [(r.relation, r.kind) for r in parsed("embedding").refs] == [("of", "chunk")]
    of_fact = parsed("embedding", chunk=None, fact="f", entity="Mercury")
    assert [(r.relation, r.kind) for r in of_fact.refs] == [("of", "fact")]
    assert of_fact.texts == {"entity": "Mercury"}


def test_intervals_are_kept_as_sent_even_where_they_cannot_hold() -> None:
    sent = {"start": -1, "end": 4, "unit": "utf16", "in": "chunk"}
    record = parsed("chunk", interval=sent)
    assert record.fields["interval"] == sent
    assert record.interval == Interval(-1, 4, "utf16", "chunk")
    assert parsed("chunk", interval={"start": 9, "end": 3}).interval == Interval(9, 3)
    # The support of a citation is no interval of its own place.
    citation = parsed("citation", support={"start": 0, "end": 5}, position=2)
    assert citation.interval is None
    assert citation.fields == {
        "marker": "[1]", "support": {"start": 0, "end": 5}, "position": 2,
    }  # fmt: skip


def test_texts_are_apart_from_fields() -> None:
    answer = parsed("answer", question="Why?", text="So\x00\ud800.", model="m")
    assert answer.texts == {"question": "Why?", "text": "So\x00\ud800."}
    assert answer.fields == {"model": "m"}
    retrieval = parsed("retrieval", query="q", query_variants=["q1", "q2"])
    assert retrieval.texts == {"query": "q", "query_variants": ["q1", "q2"]}
    fact = parsed("fact", object=3.5, subject=True)
    assert fact.texts == {"subject": "true", "predicate": "is", "object": "3.5"}


def test_control_and_bidi_characters_are_kept_but_what_no_database_keeps_is_replaced() -> None:
    record = parsed("source", title="a\x01\u202eb", doi="x\x00y", attributes={"k": "\udc00"})
    assert record.fields == {"title": "a\x01\u202eb", "doi": "x\u2400y"}
    assert record.attributes == {"k": "\ufffd"}
    assert [c for c in codes(record) if c[0] == "character_replaced"] == [
        ("character_replaced", "/doi"),
        ("character_replaced", "/attributes/k"),
    ]


def test_an_unknown_field_is_kept_as_attribute() -> None:
    record = parsed("run", colour="red", status=None, attributes={"colour": "blue"}, size=[1])
    assert record.attributes == {"colour": "blue", "field:colour": "red", "size": [1]}
    assert codes(record) == [("unknown_field", "/colour"), ("unknown_field", "/size")]
    assert record.fields == {"run_kind": "parse"}


def test_an_unknown_member_of_a_group_stays_in_it() -> None:
    record = parsed("retrieval", candidates=[{"chunk": {"key": "c", "x": 1}, "a/b": 2}])
    assert record.fields["candidates"] == [{"a/b": 2}]
    assert codes(record) == [
        ("unknown_field", "/candidates/0/a~1b"),
        ("unknown_field", "/candidates/0/chunk/x"),
    ]


def test_the_hundredth_warning_is_not_the_last_word() -> None:
    record = parsed(
        "retrieval", candidates=[{"chunk": "c", "score": float("nan")} for _ in range(150)]
    )
    assert len(record.warnings) == 101
    assert (record.warnings[-1].code, record.warnings[-1].detail) == (
        "warnings_left_out",
        "50 more.",
    )


A = "sha256:559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"  # of "A"


def test_the_digest_of_the_text_counts() -> None:
    assert parsed("answer", text="A").content_digest == A
    assert codes(parsed("answer", text="A", digest=A)) == []
    differing = parsed("answer", text="A", digest="sha256:" + "0" * 64)
    assert differing.content_digest == A
    assert codes(differing) == [("digest_mismatch", "/digest")]
    assert parsed("document", digest="sha256:" + "0" * 64).content_digest == "sha256:" + "0" * 64
    assert parsed("document").content_digest == ""


def test_the_digest_of_what_has_no_text() -> None:
    same = {"subject": "x", "predicate": "is", "object": "y"}
    assert parsed("fact").content_digest == parsed("fact", confidence=0.5, **same).content_digest
    assert parsed("fact").content_digest != parsed("fact", object="z").content_digest
    vector = "sha256:" + "b" * 64
    assert parsed("embedding", vector_digest=vector).content_digest == vector
    assert parsed("embedding").content_digest != parsed("embedding", dimensions=3).content_digest
    assert parsed("component").content_digest == ""
    assert parsed("component", config={"a": 1, "b": 2}).content_digest == (
        parsed("component", config={"b": 2, "a": 1}).content_digest
    )
    assert parsed("component", config_digest=vector, config={"a": 1}).content_digest == vector


def test_the_record_digest_is_of_the_record_whatever_the_order_of_its_names() -> None:
    one = parse_record(0, {"kind": "source", "key": "k", "title": "T"})
    other = parse_record(7, {"title": "T", "key": "k", "kind": "source"})
    third = parse_record(0, {"title": "U", "key": "k", "kind": "source"})
    assert isinstance(one, NativeRecord)
    assert isinstance(other, NativeRecord)
    assert isinstance(third, NativeRecord)
    assert one.canonical == other.canonical == b'{"key":"k","kind":"source","title":"T"}'
    assert one.canonical != third.canonical


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({}, "parser:p@1"),
        ({"config_digest": "abc"}, "parser:p@1#abc"),
        ({"config": {"a": 1}}, "parser:p@1"),
        ({"key": "mine"}, "mine"),
    ],
)
def test_a_component_has_a_default_key(fields: dict[str, Any], key: str) -> None:
    assert parsed("component", **{"key": None, **fields}).key == key


def test_a_default_key_that_would_be_too_long_is_refused() -> None:
    assert refused("component", key=None, name="p" * 2_000) == ("key-too-long", "/key")


@pytest.mark.parametrize(
    ("licence", "known"),
    [
        ("CC-BY-4.0", True),
        ("LicenseRef-house-rules", True),
        ("(MIT OR Apache-2.0) AND GPL-2.0+ WITH Classpath-exception-2.0", True),
        ("CC BY", False),
        ("All rights reserved", False),
        ("MIT OR", False),
        ("(MIT", False),
        ("", False),
        (None, False),
    ],
)
def test_a_licence_that_is_no_expression_is_told(licence: str | None, known: bool) -> None:
    record = parsed("source_version", license=licence)
    assert codes(record) == ([] if known else [("license_unknown", "/license")])
    assert record.fields.get("license") == licence


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"license": "CC BY 4.0"}, "/license"),
        ({"license": "https://creativecommons.org/licenses/by/4.0/"}, "/license"),
        ({"license_uri": "https://creativecommons.org/licenses/by/4.0/"}, "/license_uri"),
    ],
)
def test_a_spelling_of_a_licence_is_read_and_kept(fields: dict[str, str], pointer: str) -> None:
    record = parsed("source_version", **fields)
    assert codes(record) == [("license_normalized", pointer)]
    assert record.warnings[0].detail == "Read as CC-BY-4.0; kept as stated."
    assert record.fields.get("license") == fields.get("license")


def test_an_identifier_that_is_not_on_the_list_is_named() -> None:
    record = parsed("source_version", license="MIT OR Foo-1.0")
    assert [(each.code, each.detail) for each in record.warnings] == [
        ("license_unknown", "Not on the SPDX license list, kept as stated: Foo-1.0")
    ]


def test_a_source_without_creators_is_told() -> None:
    assert codes(parsed("source")) == [("creator_missing", "/creators")]
    assert codes(parsed("source", creators=[])) == [("creator_missing", "/creators")]
    assert codes(parsed("source", creators=[{"name": "A"}])) == []
