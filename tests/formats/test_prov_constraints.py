"""PROV-CONSTRAINTS: each constraint that is checked, by an instance that violates it and one that does not."""

from typing import Any

import pytest

from tests.formats.prov_writing import EX, body, prepared, problems

pytestmark = pytest.mark.engine_free

EARLY, NOON, LATE = "2026-01-01T08:00:00Z", "2026-01-01T12:00:00Z", "2026-01-01T20:00:00Z"


def relation(name: str, key: str = "_:r", **arguments: str) -> dict[str, Any]:
    return {name: {key: {f"prov:{argument}": value for argument, value in arguments.items()}}}


def activity(start: str, end: str) -> dict[str, Any]:
    return {"activity": {"ex:a": {"prov:startTime": start, "prov:endTime": end}}}


def derived(*pairs: str) -> dict[str, Any]:
    return {
        "wasDerivedFrom": {
            f"_:d{n}": {"prov:generatedEntity": f"ex:{pair[0]}", "prov:usedEntity": f"ex:{pair[1]}"}
            for n, pair in enumerate(pairs)
        }
    }


def special(*pairs: str) -> dict[str, Any]:
    return {
        "specializationOf": {
            f"_:s{n}": {
                "prov:specificEntity": f"ex:{pair[0]}",
                "prov:generalEntity": f"ex:{pair[1]}",
            }
            for n, pair in enumerate(pairs)
        }
    }


GENERATED = relation("wasGeneratedBy", entity="ex:e", activity="ex:a", time=NOON)

VIOLATIONS: list[tuple[int, dict[str, Any], set[str]]] = [
    (22, {"activity": {"ex:a": [{"prov:startTime": EARLY}, {"prov:startTime": LATE}]}},
     {"/activity/ex:a/0", "/activity/ex:a/1"}),
    (28, activity(EARLY, LATE) | relation("wasStartedBy", activity="ex:a", time=NOON),
     {"/activity/ex:a", "/wasStartedBy/_:r"}),
    (29, activity(EARLY, LATE) | relation("wasEndedBy", activity="ex:a", time=NOON),
     {"/activity/ex:a", "/wasEndedBy/_:r"}),
    (30, activity(LATE, EARLY), {"/activity/ex:a"}),
    (33, activity(NOON, LATE) | relation("used", activity="ex:a", entity="ex:e", time=EARLY),
     {"/activity/ex:a", "/used/_:r"}),
    (33, activity(EARLY, NOON) | relation("used", activity="ex:a", entity="ex:e", time=LATE),
     {"/activity/ex:a", "/used/_:r"}),
    (34, activity(EARLY, EARLY) | GENERATED, {"/activity/ex:a", "/wasGeneratedBy/_:r"}),
    (36, GENERATED | relation("wasInvalidatedBy", entity="ex:e", time=EARLY),
     {"/wasGeneratedBy/_:r", "/wasInvalidatedBy/_:r"}),
    (37, GENERATED | relation("used", activity="ex:b", entity="ex:e", time=EARLY),
     {"/wasGeneratedBy/_:r", "/used/_:r"}),
    (38, relation("wasInvalidatedBy", entity="ex:e", time=NOON)
     | relation("used", activity="ex:b", entity="ex:e", time=LATE),
     {"/wasInvalidatedBy/_:r", "/used/_:r"}),
    (42, derived("aa"), {"/wasDerivedFrom/_:d0"}),
    (42, derived("ab", "bc", "ca", "cd"),
     {"/wasDerivedFrom/_:d0", "/wasDerivedFrom/_:d1", "/wasDerivedFrom/_:d2"}),
    (42, derived("ab") | special("ba"), {"/wasDerivedFrom/_:d0"}),
    (42, derived("ef") | {"wasGeneratedBy": {
        "_:1": {"prov:entity": "ex:e", "prov:time": EARLY},
        "_:2": {"prov:entity": "ex:f", "prov:time": LATE}}},
     {"/wasDerivedFrom/_:d0", "/wasGeneratedBy/_:1", "/wasGeneratedBy/_:2"}),
    (45, special("ef") | {"wasGeneratedBy": {
        "_:1": {"prov:entity": "ex:e", "prov:time": EARLY},
        "_:2": {"prov:entity": "ex:f", "prov:time": LATE}}},
     {"/specializationOf/_:s0", "/wasGeneratedBy/_:1", "/wasGeneratedBy/_:2"}),
    (46, special("ef") | {"wasInvalidatedBy": {
        "_:1": {"prov:entity": "ex:e", "prov:time": LATE},
        "_:2": {"prov:entity": "ex:f", "prov:time": EARLY}}},
     {"/specializationOf/_:s0", "/wasInvalidatedBy/_:1", "/wasInvalidatedBy/_:2"}),
    (35, relation("wasInformedBy", informed="ex:b", informant="ex:a")
     | {"activity": {"ex:a": {"prov:startTime": LATE}, "ex:b": {"prov:endTime": EARLY}}},
     {"/wasInformedBy/_:r", "/activity/ex:a", "/activity/ex:b"}),
    (41, relation("wasDerivedFrom", generatedEntity="ex:e", usedEntity="ex:f", activity="ex:a",
                  generation="ex:g", usage="ex:u")
     | relation("used", "ex:u", activity="ex:a", entity="ex:f", time=LATE)
     | relation("wasGeneratedBy", "ex:g", entity="ex:e", activity="ex:a", time=EARLY),
     {"/wasDerivedFrom/_:r", "/used/ex:u", "/wasGeneratedBy/ex:g"}),
    (43, relation("wasStartedBy", activity="ex:b", trigger="ex:e", time=EARLY) | GENERATED,
     {"/wasStartedBy/_:r", "/wasGeneratedBy/_:r"}),
    (43, relation("wasStartedBy", activity="ex:b", trigger="ex:e", time=LATE)
     | relation("wasInvalidatedBy", entity="ex:e", time=NOON),
     {"/wasStartedBy/_:r", "/wasInvalidatedBy/_:r"}),
    (44, relation("wasEndedBy", activity="ex:b", trigger="ex:e", time=EARLY) | GENERATED,
     {"/wasEndedBy/_:r", "/wasGeneratedBy/_:r"}),
    (44, relation("wasEndedBy", activity="ex:b", trigger="ex:e", time=LATE)
     | relation("wasInvalidatedBy", entity="ex:e", time=NOON),
     {"/wasEndedBy/_:r", "/wasInvalidatedBy/_:r"}),
    (47, relation("wasAssociatedWith", activity="ex:a", agent="ex:g")
     | {"activity": {"ex:a": {"prov:startTime": LATE}, "ex:g": {"prov:endTime": EARLY}}},
     {"/wasAssociatedWith/_:r", "/activity/ex:a", "/activity/ex:g"}),
    (47, relation("wasAssociatedWith", activity="ex:a", agent="ex:g")
     | {"activity": {"ex:a": {"prov:endTime": EARLY}, "ex:g": {"prov:startTime": LATE}}},
     {"/wasAssociatedWith/_:r", "/activity/ex:a", "/activity/ex:g"}),
    (47, relation("wasAssociatedWith", activity="ex:a", agent="ex:e")
     | relation("wasInvalidatedBy", entity="ex:e", time=EARLY) | activity(NOON, LATE),
     {"/wasAssociatedWith/_:r", "/wasInvalidatedBy/_:r", "/activity/ex:a"}),
    (47, relation("wasAssociatedWith", activity="ex:a", agent="ex:e")
     | relation("wasGeneratedBy", entity="ex:e", time=LATE) | activity(EARLY, NOON),
     {"/wasAssociatedWith/_:r", "/wasGeneratedBy/_:r", "/activity/ex:a"}),
    (48, relation("wasAttributedTo", entity="ex:e", agent="ex:f") | {"wasGeneratedBy": {
        "_:1": {"prov:entity": "ex:e", "prov:time": EARLY},
        "_:2": {"prov:entity": "ex:f", "prov:time": LATE}}},
     {"/wasAttributedTo/_:r", "/wasGeneratedBy/_:1", "/wasGeneratedBy/_:2"}),
    (48, relation("wasAttributedTo", entity="ex:e", agent="ex:g")
     | {"activity": {"ex:g": {"prov:startTime": LATE}}} | GENERATED,
     {"/wasAttributedTo/_:r", "/activity/ex:g", "/wasGeneratedBy/_:r"}),
    (49, relation("actedOnBehalfOf", delegate="ex:e", responsible="ex:f")
     | relation("wasInvalidatedBy", entity="ex:e", time=EARLY)
     | relation("wasGeneratedBy", entity="ex:f", time=LATE),
     {"/actedOnBehalfOf/_:r", "/wasInvalidatedBy/_:r", "/wasGeneratedBy/_:r"}),
    (49, relation("actedOnBehalfOf", delegate="ex:g", responsible="ex:h")
     | {"activity": {"ex:g": {"prov:endTime": EARLY}, "ex:h": {"prov:startTime": LATE}}},
     {"/actedOnBehalfOf/_:r", "/activity/ex:g", "/activity/ex:h"}),
    (51, relation("wasDerivedFrom", generatedEntity="ex:e", usedEntity="ex:f", generation="ex:g"),
     {"/wasDerivedFrom/_:r"}),
    (52, special("aa"), {"/specializationOf/_:s0"}),
    (52, special("ab", "ba", "bc"), {"/specializationOf/_:s0", "/specializationOf/_:s1"}),
    (53, relation("used", "ex:r", activity="ex:a", entity="ex:e")
     | relation("wasGeneratedBy", "ex:r", activity="ex:a", entity="ex:f"),
     {"/used/ex:r", "/wasGeneratedBy/ex:r"}),
    (54, {"entity": {"ex:r": {}}} | relation("used", "ex:r", activity="ex:a", entity="ex:e"),
     {"/entity/ex:r", "/used/ex:r"}),
    (55, {"entity": {"ex:x": {}}, "activity": {"ex:x": {}}}, {"/entity/ex:x", "/activity/ex:x"}),
    (55, {"activity": {"ex:x": {}}} | relation("used", activity="ex:a", entity="ex:x"),
     {"/activity/ex:x", "/used/_:r"}),
    (56, {"entity": {"ex:c": {"prov:type": {"$": "prov:EmptyCollection", "type": "xsd:QName"}}}}
     | relation("hadMember", collection="ex:c", entity="ex:e"),
     {"/entity/ex:c", "/hadMember/_:r"}),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "containers", "places"), VIOLATIONS)
def test_violation_names_the_constraint_at_every_statement_that_takes_part(
    constraint: int, containers: dict[str, Any], places: set[str]
) -> None:
    found = problems(body(**containers))
    assert set(found) == places
    for place, detail in found.items():
        assert detail.startswith(f"Constraint {constraint}: ")
        others = places - {place}
        assert all(other in detail for other in others)


@pytest.mark.parametrize(
    "containers",
    [
        # An agent may be an entity or an activity; what is stated twice alike is one.
        {"entity": {"ex:x": {}}, "agent": {"ex:x": {}}},
        {"activity": {"ex:x": [{"prov:startTime": NOON}, {"prov:endTime": NOON}]},
         "agent": {"ex:x": {}}},
        # The same instant in two zones.
        activity(EARLY, LATE)
        | relation("wasStartedBy", activity="ex:a", time="2026-01-01T10:00:00+02:00"),
        # At the same moment: clocks are coarse.
        GENERATED | relation("used", activity="ex:a", entity="ex:e", time=NOON),
        derived("ab", "ac", "bd", "cd"),
        special("ab", "bc", "ac"),
        # An influence may bear the identifier of the relation that it generalises.
        relation("wasInfluencedBy", "ex:r", influencee="ex:e", influencer="ex:f")
        | relation("wasDerivedFrom", "ex:r", generatedEntity="ex:e", usedEntity="ex:f"),
        # Nothing is compared with what is not stated.
        relation("wasGeneratedBy", entity="ex:e", time=LATE)
        | relation("used", activity="ex:a", time=EARLY),
        # Bundles are instances of their own.
        {"entity": {"ex:x": {}}, "bundle": {"ex:b": {"activity": {"ex:x": {}}}}},
    ],
)  # fmt: skip
def test_what_can_stand_together_is_taken(containers: dict[str, Any]) -> None:
    assert problems(body(**containers)) == {}


@pytest.mark.parametrize(
    ("name", "constraint", "arguments"),
    [
        ("wasGeneratedBy", 23, {"prov:entity": "ex:e", "prov:activity": "ex:a"}),
        ("used", 23, {"prov:activity": "ex:a", "prov:entity": "ex:e"}),
        ("wasStartedBy", 23, {"prov:activity": "ex:a", "prov:starter": "ex:b"}),
    ],
)
def test_one_relation_with_two_times_is_kept_and_told(
    name: str, constraint: int, arguments: dict[str, str]
) -> None:
    twice = [arguments | {"prov:time": EARLY}, arguments | {"prov:time": NOON}]
    items = prepared(body(**{name: {"ex:r": twice}})).items
    assert [item.problem for item in items] == [None, None]
    assert [(w.code, w.pointer) for item in items for w in item.warnings] == [
        ("prov_constraint", f"/{name}/ex:r/0"), ("prov_constraint", f"/{name}/ex:r/1"),
    ]  # fmt: skip
    assert f"Constraint {constraint}" in items[0].warnings[0].detail


def test_one_event_under_two_identifiers_is_kept_and_told() -> None:
    event = {"prov:entity": "ex:e", "prov:activity": "ex:a"}
    items = prepared(body(wasGeneratedBy={"ex:1": event, "ex:2": event})).items
    assert [item.problem for item in items] == [None, None]
    assert all("Constraint 24" in item.warnings[0].detail for item in items)


@pytest.mark.parametrize(
    ("constraint", "name", "end", "other"),
    [
        (31, "wasStartedBy", "activity", "starter"),
        (32, "wasEndedBy", "activity", "ender"),
        (39, "wasGeneratedBy", "entity", "activity"),
        (40, "wasInvalidatedBy", "entity", "activity"),
    ],
)
def test_what_begins_or_ends_at_two_times_is_kept_and_told(
    constraint: int, name: str, end: str, other: str
) -> None:
    twice = {
        f"_:{time}": {f"prov:{end}": "ex:x", f"prov:{other}": f"ex:{number}", "prov:time": time}
        for number, time in enumerate((EARLY, NOON))
    }
    items = prepared(body(**{name: twice})).items
    assert [item.problem for item in items] == [None, None]
    assert all(f"Constraint {constraint}:" in item.warnings[0].detail for item in items)


def test_a_chain_of_any_length_is_no_cycle_and_a_cycle_of_any_length_is_one() -> None:
    def ring(count: int, last: int) -> bytes:
        pairs = [(n, n + 1) for n in range(count - 1)] + [(count - 1, last)]
        derivations = {
            f"_:{a}": {"prov:generatedEntity": f"ex:{a}", "prov:usedEntity": f"ex:{b}"}
            for a, b in pairs
        }
        return body(wasDerivedFrom=derivations)

    assert problems(ring(1_000, 1_000)) == {}
    cycle = problems(ring(1_000, 0))
    assert len(cycle) == 1_000
    assert set(cycle) > {"/wasDerivedFrom/_:0", "/wasDerivedFrom/_:999"}
    assert "over 1000 statements, derived from itself" in cycle["/wasDerivedFrom/_:7"]


def test_the_rest_of_a_violating_document_is_mapped() -> None:
    document = body(
        entity={"ex:x": {}, "ex:y": {}}, activity={"ex:x": {}},
        **relation("wasDerivedFrom", generatedEntity="ex:y", usedEntity="ex:z"),
    )  # fmt: skip
    found = prepared(document)
    assert [(item.relation, item.record is not None) for item in found.items] == [
        ("entity", False), ("entity", True), ("activity", False), ("wasDerivedFrom", True),
    ]  # fmt: skip
    assert [record.key for record in found.records] == [f"{EX}y"]
