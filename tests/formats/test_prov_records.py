"""What statements of PROV become: hand-written records for each relation."""

import json
from itertools import permutations
from typing import Any

import pytest

from lineage.formats.prov_records import to_records
from lineage.formats.prov_statements import Statement, name_value
from lineage.types import NativeRecord
from tests.formats.prov_writing import EX, body, prepared, records, refs, typed

pytestmark = pytest.mark.engine_free

AT = "2026-03-01T10:00:00Z"


def one(name: str, **arguments: Any) -> dict[str, Any]:
    return {name: {"_:r": {f"prov:{argument}": value for argument, value in arguments.items()}}}


def qname(name: str) -> dict[str, str]:
    return {"$": name, "type": "xsd:QName"}


def test_elements_become_source_run_and_agent_with_what_has_a_place() -> None:
    found = records(
        body(
            entity={
                "ex:e": {
                    "prov:label": "Report",
                    "prov:location": typed("https://x/y", "xsd:anyURI"),
                }
            },
            activity={"ex:a": {"prov:startTime": "2026-03-01T11:00:00+01:00", "prov:endTime": AT}},
            agent={"ex:ana": {"prov:type": qname("prov:Person"), "prov:label": "Ana"}},
        )
    )
    source, run, agent = found["source", "e"], found["run", "a"], found["agent", "ana"]
    assert source.fields == {"title": "Report", "uri": "https://x/y"}
    assert run.fields == {"run_kind": "pipeline", "started_at": AT, "ended_at": AT}
    assert run.occurred_at is not None
    assert run.occurred_at.isoformat() == "2026-03-01T10:00:00+00:00"
    assert agent.fields == {"name": "Ana", "agent_kind": "person"}
    assert source.attributes == {
        "prov:declared": "entity",
        "prov:label": "Report",
        "prov:location": typed("https://x/y", "xsd:anyURI"),
        "prov:prefixes": {"ex": EX},
    }


def test_nothing_is_invented_for_what_is_not_stated() -> None:
    found = records(body(entity={"ex:e": {}}, agent={"ex:g": {}}, activity={"ex:a": {}}))
    assert found["source", "e"].fields == {"title": f"{EX}e"}
    assert found["agent", "g"].fields == {"name": f"{EX}g"}
    assert found["run", "a"].fields == {"run_kind": "pipeline"}
    assert all(one.occurred_at is None for one in found.values())


def test_a_doi_is_known_by_its_address() -> None:
    found = records(body(entity={"doi:10.5555/X": {}}, prefix={"doi": "https://doi.org/"}))
    assert found["source", "https://doi.org/10.5555/X"].fields["doi"] == "10.5555/X"


@pytest.mark.parametrize(
    ("containers", "holder", "edges"),
    [
        (one("wasGeneratedBy", entity="ex:e", activity="ex:a"), ("source", "e"), {("run", "run", "a")}),
        (one("used", activity="ex:a", entity="ex:e"), ("run", "a"), {("used", "source", "e")}),
        (one("wasDerivedFrom", generatedEntity="ex:e", usedEntity="ex:f"), ("source", "e"),
         {("derived_from", "source", "f")}),
        (one("wasAttributedTo", entity="ex:e", agent="ex:g"), ("source", "e"),
         {("creators.agent", "agent", "g")}),
        (one("specializationOf", specificEntity="ex:e", generalEntity="ex:f"),
         ("source_version", "e"), {("source", "source", "f")}),
        (one("mentionOf", specificEntity="ex:e", generalEntity="ex:f", bundle="ex:b"),
         ("source_version", "e"), {("source", "source", "f")}),
        (one("alternateOf", alternate1="ex:e", alternate2="ex:f"), ("source", "e"), set()),
        (one("hadMember", collection="ex:e", entity="ex:f"), ("source", "e"), set()),
        (one("wasInvalidatedBy", entity="ex:e", activity="ex:a", time=AT), ("source", "e"), set()),
        (one("wasInformedBy", informed="ex:a", informant="ex:b"), ("run", "a"), set()),
        (one("wasInfluencedBy", influencee="ex:e", influencer="ex:f"), ("source", "e"), set()),
        (one("actedOnBehalfOf", delegate="ex:g", responsible="ex:h"), ("agent", "g"), set()),
        (one("wasAssociatedWith", activity="ex:a", agent="ex:g", plan="ex:p"), ("run", "a"), set()),
        (one("wasStartedBy", activity="ex:a", trigger="ex:e", time=AT), ("run", "a"), set()),
        # What names no first end is kept with the end that it names.
        (one("wasAttributedTo", agent="ex:g"), ("agent", "g"), set()),
        (one("used", entity="ex:e"), ("source", "e"), set()),
    ],
)  # fmt: skip
def test_every_relation_is_kept_and_makes_the_edge_that_there_is(
    containers: dict[str, Any], holder: tuple[str, str], edges: set[tuple[str, str, str]]
) -> None:
    found = records(body(**containers))
    assert refs(found[holder]) == edges
    ((name, sent),) = containers.items()
    kept = {
        key: value
        for key, value in found[holder].attributes.items()
        if key.startswith("prov:" + name)
    }
    arguments = {
        argument.removeprefix("prov:"): value.replace("ex:", EX)
        for argument, value in sent["_:r"].items()
    }
    assert list(kept.values()) == [[{"arguments": arguments}]]


def test_a_relation_keeps_identifier_and_attributes() -> None:
    found = records(
        body(used={"ex:u": {"prov:activity": "ex:a", "prov:entity": "ex:e", "prov:role": "input",
                            "ex:n": [1, {"$": "oi", "lang": "pt"}]}})
    )  # fmt: skip
    assert found["run", "a"].attributes[f"prov:used {EX}e"] == [
        {
            "id": f"{EX}u",
            "arguments": {"activity": f"{EX}a", "entity": f"{EX}e"},
            "attributes": {"prov:role": ["input"], f"{EX}n": [1, {"$": "oi", "lang": "pt"}]},
        }
    ]


def test_a_derivation_that_names_its_activity_says_what_that_used_and_made() -> None:
    found = records(
        body(**one("wasDerivedFrom", generatedEntity="ex:e", usedEntity="ex:f", activity="ex:a"))
    )
    assert refs(found["source", "e"]) == {("derived_from", "source", "f"), ("run", "run", "a")}
    assert refs(found["run", "a"]) == {("used", "source", "f")}


def test_revisions_are_versions_of_one_work_named_by_the_first() -> None:
    def revised(later: str, earlier: str) -> dict[str, Any]:
        return {"prov:generatedEntity": later, "prov:usedEntity": earlier,
                "prov:type": qname("prov:Revision")}  # fmt: skip

    found = records(
        body(
            entity={"ex:z": {"prov:label": "Handbook"}},
            wasDerivedFrom={"_:1": revised("ex:b", "ex:z"), "_:2": revised("ex:a", "ex:b")},
        )
    )
    assert set(found) == {("source", "z"), ("source_version", "z"), ("source_version", "b"),
                          ("source_version", "a")}  # fmt: skip
    assert found["source", "z"].fields == {"title": "Handbook"}
    assert refs(found["source_version", "a"]) == {
        ("source", "source", "z"), ("revision_of", "source_version", "b"),
    }  # fmt: skip
    assert refs(found["source_version", "z"]) == {("source", "source", "z")}


def test_versions_of_versions_are_versions_of_the_work() -> None:
    found = records(
        body(
            specializationOf={
                "_:1": {"prov:specificEntity": "ex:c", "prov:generalEntity": "ex:b"},
                "_:2": {"prov:specificEntity": "ex:b", "prov:generalEntity": "ex:a"},
            },
            **one("used", activity="ex:run", entity="ex:c"),
        )
    )
    assert refs(found["source_version", "c"]) == {("source", "source", "a")}
    assert refs(found["source_version", "b"]) == {("source", "source", "a")}
    assert refs(found["run", "run"]) == {("used", "source_version", "c")}


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ({}, "creator"),
        ({"prov:role": "Editor"}, "editor"),
        ({"prov:role": qname("ex:translator")}, "translator"),
        ({"prov:type": qname("ex:authorship")}, "creator"),
    ],
)
def test_agents_are_credited_in_the_role_that_is_stated(said: dict[str, Any], role: str) -> None:
    sent = {"prov:entity": "ex:e", "prov:agent": "ex:g", **said}
    found = records(body(wasAttributedTo={"_:t": sent}))
    assert found["source", "e"].fields["creators"] == [{"role": role}]


def test_a_publisher_is_no_creator() -> None:
    sent = {"prov:entity": "ex:e", "prov:agent": "ex:g", "prov:type": qname("ex:publisher")}
    found = records(body(wasAttributedTo={"_:t": sent}))
    assert refs(found["source", "e"]) == {("publisher.agent", "agent", "g")}


def test_software_that_an_activity_was_associated_with_is_a_component_too() -> None:
    found = records(
        body(
            prefix={"ex": EX, "s": "https://schema.org/"},
            agent={
                "ex:parser": {"prov:type": qname("prov:SoftwareAgent"), "s:softwareVersion": "2.1"},
                "ex:ana": {"prov:type": qname("prov:Person")},
            },
            wasAssociatedWith={
                "_:1": {"prov:activity": "ex:a", "prov:agent": "ex:parser"},
                "_:2": {"prov:activity": "ex:a", "prov:agent": "ex:ana"},
            },
        )
    )
    assert found["component", "parser"].fields == {
        "component_kind": "pipeline", "name": f"{EX}parser", "version": "2.1",
    }  # fmt: skip
    assert refs(found["run", "a"]) == {("component", "component", "parser")}
    assert {kind for kind, key in found if key in ("parser", "ana")} == {"agent", "component"}


def test_bundles_are_namespaces_of_what_they_declare_themselves() -> None:
    found = records(
        body(
            entity={"ex:shared": {}},
            bundle={
                "ex:b": {
                    "entity": {"ex:own": {}},
                    "used": {"_:1": {"prov:activity": "ex:a", "prov:entity": "ex:own"},
                             "_:2": {"prov:activity": "ex:a", "prov:entity": "ex:shared"}},
                }
            },
        )
    )  # fmt: skip
    assert found["source", "own"].namespace == f"{EX}b"
    assert found["source", "shared"].namespace == ""
    assert {(ref.key, ref.namespace) for ref in found["run", "a"].refs} == {
        (f"{EX}own", f"{EX}b"), (f"{EX}shared", ""),
    }  # fmt: skip


def test_the_same_statements_in_any_order_make_the_same_records() -> None:
    sent = [
        Statement("entity", f"{EX}e", {}, {f"{EX}n": (1,)}),
        Statement("entity", f"{EX}f"),
        Statement("wasDerivedFrom", "", {"generatedEntity": f"{EX}e", "usedEntity": f"{EX}f"},
                  {"http://www.w3.org/ns/prov#type": (
                      name_value("http://www.w3.org/ns/prov#Revision"),)}),
        Statement("used", "", {"activity": f"{EX}a", "entity": f"{EX}f"}),
        Statement("wasGeneratedBy", "", {"entity": f"{EX}e", "activity": f"{EX}a", "time": AT}),
    ]  # fmt: skip
    made = {
        json.dumps(sorted(to_records(order, {}).records, key=lambda r: (r["kind"], r["key"])),
                   sort_keys=True)
        for order in permutations(sent)
    }  # fmt: skip
    assert len(made) == 1


def test_a_job_of_thousands_of_inputs_is_one_run() -> None:
    inputs = {f"_:{n}": {"prov:activity": "ex:a", "prov:entity": f"ex:{n}"} for n in range(5_000)}
    (run,) = prepared(body(used=inputs)).records
    assert isinstance(run, NativeRecord)
    assert len(run.refs) == 5_000


def test_a_key_longer_than_a_key_can_be_refuses_its_statement() -> None:
    (record,) = prepared(body(entity={f"ex:{'x' * 2_000}": {}})).records
    assert not isinstance(record, NativeRecord)
    assert record.problem.slug == "key-too-long"
