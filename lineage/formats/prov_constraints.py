"""PROV-CONSTRAINTS (W3C Recommendation, 30 April 2013): which statements cannot stand together.

Each bundle, and the document outside them, is an instance of its own. A violation names every
statement that takes part in it; the number is that of the constraint in the Recommendation.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lineage.formats.prov_cycles import within_cycles
from lineage.formats.prov_order import out_of_order
from lineage.formats.prov_statements import ARGUMENTS, PROV, TIMES, Statement, named
from lineage.formats.times import read_instant

# One statement of a relation is said to be two, or two events to be one.
_HARMLESS: Final = frozenset({23, 24, 25, 26, 27, 31, 32, 39, 40})
# Statements that a violation names beside its own.
_TOLD: Final = 5
# Relations that have an identifier of their own (constraint 23).
_IDENTIFIED: Final = frozenset(
    {
        "wasGeneratedBy", "used", "wasInformedBy", "wasStartedBy", "wasEndedBy",
        "wasInvalidatedBy", "wasDerivedFrom", "wasAttributedTo", "wasAssociatedWith",
        "actedOnBehalfOf", "wasInfluencedBy",
    }
)  # fmt: skip
# An influence may bear the identifier of what it generalises, a derivation that of its events (53).
_APART: Final = _IDENTIFIED - {"wasInfluencedBy", "wasDerivedFrom"}
# Events that happen once between two things, which these arguments name, and the constraint.
_ONCE: Final = {
    "wasGeneratedBy": ("entity", "activity"),
    "wasInvalidatedBy": ("entity", "activity"),
    "wasStartedBy": ("activity", "starter"),
    "wasEndedBy": ("activity", "ender"),
}
_ONCE_NUMBER: Final = {
    "wasGeneratedBy": 24, "wasInvalidatedBy": 25, "wasStartedBy": 26, "wasEndedBy": 27,
}  # fmt: skip

_EVENT_OF: Final = {"wasStartedBy": ("startTime", 28), "wasEndedBy": ("endTime", 29)}


@dataclass(frozen=True, slots=True)
class Violation:
    """`constraint` as numbered in the Recommendation, `others` the places it clashes with.

    `harmless`: the statements can be kept all the same. Documents repeat an event with another
    time or under the same identifier; what is related to what is not in doubt then.
    """

    constraint: int
    detail: str
    others: tuple[str, ...]

    @property
    def harmless(self) -> bool:
        return self.constraint in _HARMLESS


@dataclass(slots=True)
class _Instance:
    """The statements of one bundle with their numbers in the document."""

    statements: list[tuple[int, Statement]] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)
    found: dict[int, Violation] = field(default_factory=dict)

    def clash(self, constraint: int, detail: str, numbers: Iterable[int]) -> None:
        """Note a violation at each of the statements; the gravest, then the first, counts."""
        involved = sorted(set(numbers))
        told = [self.places[number] for number in involved[: _TOLD + 1]]
        for number in involved:
            before = self.found.get(number)
            if before is None or (before.harmless and constraint not in _HARMLESS):
                others = [place for place in told if place != self.places[number]]
                self.found[number] = Violation(constraint, detail, tuple(others[:_TOLD]))


def violations(statements: Sequence[tuple[int, Statement]]) -> dict[int, Violation]:
    """Number of a statement → the first constraint that it violates, alone or with others."""
    instances: dict[str, _Instance] = defaultdict(_Instance)
    for number, statement in statements:
        instances[statement.bundle].statements.append((number, statement))
        instances[statement.bundle].places[number] = statement.place
    found: dict[int, Violation] = {}
    for instance in instances.values():
        _types(instance)
        _identifiers(instance)
        _once(instance)
        _impossible(instance)
        _unspecified(instance)
        _activity_times(instance)
        _order(instance)
        found |= instance.found
    return found


def _types(instance: _Instance) -> None:
    """55: nothing is an entity and an activity. 56: an empty collection has no member."""
    typed: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    empty: dict[str, list[int]] = defaultdict(list)
    for number, statement in instance.statements:
        for iri, element in statement.typed().items():
            typed[iri][element].append(number)
        if f"{PROV}EmptyCollection" in named(statement.attributes.get(f"{PROV}type", ())):
            empty[statement.id].append(number)
    for iri, by_element in typed.items():
        if "entity" in by_element and "activity" in by_element:
            instance.clash(
                55, f"{iri} is said to be an entity and an activity.",
                [*by_element["entity"], *by_element["activity"]],
            )  # fmt: skip
    for number, statement in instance.statements:
        collection = statement.arguments.get("collection", "")
        if statement.relation == "hadMember" and collection in empty:
            detail = f"{collection} is an empty collection and has a member."
            instance.clash(56, detail, [number, *empty[collection]])


def _identifiers(instance: _Instance) -> None:
    """22, 23: what bears one identifier says one thing. 53, 54: identifiers are not shared."""
    by_id: dict[str, dict[str, list[tuple[int, Statement]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for number, statement in instance.statements:
        if statement.id and (statement.is_element or statement.relation in _IDENTIFIED):
            by_id[statement.id][statement.relation].append((number, statement))
    for iri, by_relation in by_id.items():
        numbers = [number for some in by_relation.values() for number, _ in some]
        relations = by_relation.keys() - {"entity", "activity", "agent"}
        if relations and len(relations) < len(by_relation):
            instance.clash(54, f"{iri} names a thing and a relation.", numbers)
        if len(apart := sorted(relations & _APART)) > 1:
            instance.clash(53, f"{iri} names relations of two kinds: {', '.join(apart)}.", numbers)
        for relation, some in by_relation.items():
            constraint = 22 if relation in ("entity", "activity", "agent") else 23
            _agree(instance, constraint, f"{relation} {iri}", some)


def _agree(
    instance: _Instance, constraint: int, what: str, some: Sequence[tuple[int, Statement]]
) -> None:
    """Statements that are one must not state different arguments."""
    if len(some) < 2:
        return
    for argument in ARGUMENTS[some[0][1].relation]:
        values: dict[object, list[int]] = defaultdict(list)
        for number, statement in some:
            if argument in statement.arguments:
                values[_comparable(argument, statement.arguments[argument])].append(number)
        if len(values) > 1:
            detail = f"{what} is stated with different values of {argument}."
            instance.clash(constraint, detail, [one for each in values.values() for one in each])


def _comparable(argument: str, value: str) -> object:
    return read_instant(value).at if argument in TIMES else value


def _once(instance: _Instance) -> None:
    """24 to 27: between an entity and an activity, or two activities, there is one such event."""
    events: dict[tuple[str, str, str], list[tuple[int, Statement]]] = defaultdict(list)
    for number, statement in instance.statements:
        relation, arguments = statement.relation, statement.arguments
        if relation in _ONCE:
            ends = [arguments.get(argument, "") for argument in _ONCE[relation]]
            if all(ends):
                events[relation, ends[0], ends[1]].append((number, statement))
    for (relation, first, second), some in events.items():
        constraint = _ONCE_NUMBER[relation]
        what = f"{relation} of {first} and {second}"
        if len({statement.id for _, statement in some if statement.id}) > 1:
            detail = f"{what} is stated under different identifiers."
            instance.clash(constraint, detail, [number for number, _ in some])
        _agree(instance, constraint, what, some)


def _impossible(instance: _Instance) -> None:
    """42, 52: nothing is derived from itself or a specialization of itself, over several steps either.

    A derivation's entity is generated strictly after the one it is derived from, a
    specialization's not before (45): a cycle that holds a derivation cannot be.
    """
    special: dict[int, tuple[str, str]] = {}
    derived: dict[int, tuple[str, str]] = {}
    for number, statement in instance.statements:
        if statement.is_element or not all(statement.ends()):
            continue
        if statement.relation in ("specializationOf", "mentionOf"):
            special[number] = statement.ends()
        elif statement.relation == "wasDerivedFrom":
            derived[number] = statement.ends()
    for cycle in within_cycles(special):
        iri = special[cycle[0]][0]
        instance.clash(
            52, f"{iri} is, over {len(cycle)} statements, a specialization of itself.", cycle
        )
    for cycle in within_cycles(special | derived):
        strict = [number for number in cycle if number in derived]
        if strict:
            iri = derived[strict[0]][0]
            detail = f"{iri} is, over {len(cycle)} statements, derived from itself."
            instance.clash(42, detail, strict)


def _unspecified(instance: _Instance) -> None:
    """51: a derivation that names no activity names no generation and no usage of one either."""
    for number, statement in instance.statements:
        arguments = statement.arguments
        if statement.relation == "wasDerivedFrom" and "activity" not in arguments:
            for event in {"generation", "usage"} & arguments.keys():
                detail = f"A derivation names its {event}, and no activity that it belongs to."
                instance.clash(51, detail, [number])


def _activity_times(instance: _Instance) -> None:
    """28, 29: start and end are those of the events. 30: no activity ends before it starts."""
    stated: dict[tuple[str, str], tuple[int, str]] = {}
    for number, statement in instance.statements:
        if statement.relation == "activity":
            for argument, time in statement.arguments.items():
                stated.setdefault((statement.id, argument), (number, time))
    for number, statement in instance.statements:
        activity = statement.arguments.get("activity", "")
        happened = statement.arguments.get("time")
        if happened is None or statement.relation not in _EVENT_OF:
            continue
        argument, constraint = _EVENT_OF[statement.relation]
        said = stated.get((activity, argument))
        if said and read_instant(said[1]).at != read_instant(happened).at:
            detail = f"{activity} has another {argument} than its {statement.relation}."
            instance.clash(constraint, detail, [number, said[0]])
    for (activity, argument), start in stated.items():
        end = stated.get((activity, "endTime"), start)
        if argument == "startTime" and read_instant(end[1]).at < read_instant(start[1]).at:
            detail = f"{activity} ends at {end[1]}, before it starts at {start[1]}."
            instance.clash(30, detail, [start[0], end[0]])


def _order(instance: _Instance) -> None:
    """31 to 49: events whose times contradict the order that they must have."""
    for constraint, detail, numbers in out_of_order(instance.statements):
        instance.clash(constraint, detail, numbers)
