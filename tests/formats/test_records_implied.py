"""What records imply beside themselves: agents of credits, prompts of templates."""

from typing import Any

import pytest

from lineage.formats.records import implied_records, parse_record
from lineage.types import NativeRecord

pytestmark = pytest.mark.engine_free


def parsed(kind: str, **fields: Any) -> NativeRecord:
    record = parse_record(4, {"kind": kind, "key": "k", "namespace": "n", **fields})
    assert isinstance(record, NativeRecord), record
    return record


def agents(record: NativeRecord) -> list[tuple[str, str, int, str]]:
    return [
        (ref.relation, ref.key, ref.ordinal, ref.properties["role"])
        for ref in record.refs
        if ref.kind == "agent"
    ]


CREATORS = [
    {"name": "Ada", "orcid": "https://orcid.org/0000-0002-1825-009x"},
    {"name": "Eve", "role": "editor"},
    {"name": "Institute", "ror": "https://ror.org/05A28RW58"},
    {"agent": {"key": "mine", "namespace": None}, "name": "Me", "role": "translator"},
]


def test_credits_name_agents_by_orcid_by_ror_or_by_a_name_within_the_source() -> None:
    record = parsed("source", title="T", creators=CREATORS, publisher={"name": "House"})
    assert sorted(agents(record)) == [
        ("creators.agent", "mine", 3, "translator"),
        ("creators.agent", "name:Eve@k", 1, "editor"),
        ("creators.agent", "orcid:0000-0002-1825-009X", 0, "creator"),
        ("creators.agent", "ror:05a28rw58", 2, "creator"),
        ("publisher.agent", "name:House@k", 0, "publisher"),
    ]
    assert {ref.namespace for ref in record.refs} == {"n", None}


def test_a_version_names_people_within_its_source() -> None:
    record = parsed("source_version", source="s", creators=[{"name": "Eve"}])
    assert agents(record) == [("creators.agent", "name:Eve@s", 0, "creator")]
    uid = "src_" + "a" * 26
    record = parsed("source_version", source={"uid": uid}, publisher={"ror": "05a28rw58"})
    assert agents(record) == [("publisher.agent", "ror:05a28rw58", 0, "publisher")]


def test_a_malformed_orcid_gives_way_to_the_name() -> None:
    record = parsed(
        "source", title="T", creators=[{"name": "Ada", "orcid": "12"}, {"orcid": "0000"}]
    )
    assert agents(record) == [
        ("creators.agent", "name:Ada@k", 0, "creator"),
        ("creators.agent", "orcid:0000", 1, "creator"),
    ]
    assert [(w.code, w.pointer) for w in record.warnings] == [
        ("identifier_malformed", "/creators/0/orcid"),
        ("identifier_malformed", "/creators/1/orcid"),
    ]


def test_implied_agents_are_records_of_their_own() -> None:
    twice = [*CREATORS, {"name": "Eve", "role": "creator"}]
    at = "2026-03-01T10:00:00Z"
    record = parsed("source", title="T", creators=twice, occurred_at=at)
    implied = implied_records(record)
    assert [(r.kind, r.key, r.namespace, dict(r.fields)) for r in implied] == [
        (
            "agent",
            "orcid:0000-0002-1825-009X",
            "n",
            {"name": "Ada", "orcid": "https://orcid.org/0000-0002-1825-009x"},
        ),
        ("agent", "name:Eve@k", "n", {"name": "Eve"}),
        ("agent", "ror:05a28rw58", "n", {"name": "Institute", "ror": "https://ror.org/05A28RW58"}),
    ]
    assert {r.index for r in implied} == {-1}
    assert {r.occurred_at for r in implied} == {record.occurred_at}


def test_the_same_credit_implies_the_same_record_whatever_else_the_source_says() -> None:
    one = parsed("source", title="T", creators=[{"name": "Eve"}])
    other = parsed("source", title="U", creators=[{"name": "Eve", "role": "editor"}])
    assert implied_records(one) == implied_records(other)


@pytest.mark.parametrize(
    ("template", "key"),
    [
        ({"name": "qa"}, "prompt:qa"),
        ({"name": "qa", "version": "3"}, "prompt:qa@3"),
        (
            {"name": "qa", "version": "3", "digest": "sha256:" + "c" * 64},
            "prompt:qa@3#sha256:" + "c" * 64,
        ),
    ],
)
def test_a_template_implies_its_prompt(template: dict[str, str], key: str) -> None:
    record = parsed("context", items=[], template=template)
    (ref,) = record.refs
    assert (ref.relation, ref.kind, ref.key, ref.namespace) == ("prompt", "component", key, "n")
    (prompt,) = implied_records(record)
    assert (prompt.kind, prompt.key, prompt.namespace) == ("component", key, "n")
    assert prompt.fields["component_kind"] == "prompt"
    assert prompt.fields["name"] == "qa"
    # The reference names the revision that the component record makes.
    assert ref.digest == prompt.content_digest


def test_a_prompt_sent_on_its_own_is_the_one_that_a_template_implies() -> None:
    digest = "sha256:" + "c" * 64
    sent = parsed(
        "component",
        key=None,
        component_kind="prompt",
        name="qa",
        version="3",
        config_digest=digest,
    )
    (implied,) = implied_records(
        parsed("context", items=[], template={"name": "qa", "version": "3", "digest": digest})
    )
    assert (sent.key, sent.content_digest) == (implied.key, implied.content_digest)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("source", {"title": "T"}),
        ("context", {"items": [], "prompt": "p"}),
        ("agent", {"name": "A"}),
    ],
)
def test_other_records_imply_nothing(kind: str, fields: dict[str, Any]) -> None:
    assert implied_records(parsed(kind, **fields)) == []
