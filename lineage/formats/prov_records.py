"""Statements of PROV to native records: what has a place takes it, and all is kept verbatim.

An entity is a `source`, or a `source_version` where the document says of what; an activity a
`run`, an agent an `agent`. Keys are IRIs; a bundle is the namespace of what only it declares.
The mapping, statement by statement, is in docs/guide/prov.md.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.formats.canonical import canonical_json
from lineage.formats.prov_own import EDGE, is_own, records_of
from lineage.formats.prov_statements import PROV, Statement, named
from lineage.formats.prov_things import Thing, Things
from lineage.formats.prov_verbatim import (
    IMPLIED,
    Attributes,
    keep_element,
    keep_prefixes,
    keep_relation,
)
from lineage.formats.prov_words import agent_fields, component_fields, role_of, work_fields
from lineage.formats.times import read_instant, written
from lineage.types import JsonValue
from lineage.vocabulary import KINDS

_REVISION: Final = f"{PROV}Revision"
_NODE_WITHOUT_ATTRIBUTES: Final = frozenset({"specializationOf", "hadMember"})


@dataclass(frozen=True, slots=True)
class Mapped:
    """The records, and for each statement the number of the one that keeps it.

    None: the statement restates what the records of an export say, or tells only a shape.
    """

    records: tuple[JsonValue, ...]
    record_of: tuple[int | None, ...]


def to_records(
    statements: Sequence[Statement],
    prefixes: Mapping[str, str],
    taken: Mapping[str, Thing] | None = None,
) -> Mapped:
    """The native records of statements that can stand together. Pure; the same in any order.

    `taken`: things, by IRI, of which another reader makes the records.
    """
    return _Mapping(statements, prefixes, Things(statements, taken)).mapped()


class _Mapping:
    def __init__(
        self, statements: Sequence[Statement], prefixes: Mapping[str, str], things: Things
    ) -> None:  # fmt: skip
        self._statements, self._prefixes, self._things = statements, prefixes, things
        self._records: dict[Thing, dict[str, JsonValue]] = {}
        self._kept: dict[Thing, Attributes] = defaultdict(dict)
        self._times: dict[Thing, list[str]] = defaultdict(list)
        # Records of nodes whose references one record cannot all state.
        self._further: list[dict[str, JsonValue]] = []
        self._referred: set[tuple[Thing, str, Thing]] = set()

    def mapped(self) -> Mapped:
        # Elements first: what an export says of a node counts before what relations imply.
        holders: list[Thing | None] = [None] * len(self._statements)
        for wanted in (True, False):
            for number, statement in enumerate(self._statements):
                if statement.is_element == wanted:
                    holders[number] = self._statement(statement)
        order = {thing: number for number, thing in enumerate(self._records)}
        for thing, record in self._records.items():
            self._finish(thing, record)
        return Mapped(
            (*self._records.values(), *self._further),
            tuple(None if thing is None else order[thing] for thing in holders),
        )

    def _finish(self, thing: Thing, record: dict[str, JsonValue]) -> None:
        kept = self._kept[thing]
        if not thing.own:
            if not kept:
                kept[IMPLIED] = KINDS[thing.kind].prov
            keep_prefixes(kept, thing.key, self._prefixes)
        if kept:
            record["attributes"] = {**record.get("attributes", {}), **kept}
        if self._times[thing] and not thing.own:
            record["occurred_at"] = min(self._times[thing])
        for name in ("used", "derived_from"):
            if isinstance(record.get(name), list):
                record[name] = sorted(record[name], key=canonical_json)

    def _statement(self, statement: Statement) -> Thing | None:
        if is_own(statement):
            return self._own(statement)
        if statement.is_element:
            return self._element(statement)
        return self._relation(statement)

    def _own(self, statement: Statement) -> Thing | None:
        records = records_of(statement)
        if not records:
            return None
        thing = self._things.thing(statement.bundle, statement.id)
        self._records[thing], *further = records
        self._further += further
        return thing

    def _element(self, statement: Statement) -> Thing | None:
        thing = self._things.thing(statement.bundle, statement.id, statement.relation)
        if thing.own and thing not in self._records:
            return None
        self._record(thing)
        keep_element(self._kept[thing], statement)
        said = {name: [*values] for name, values in statement.attributes.items()}
        if thing.kind == "run":
            for argument, field in (("startTime", "started_at"), ("endTime", "ended_at")):
                if argument in statement.arguments:
                    self._records[thing][field] = _instant(statement.arguments[argument])
            ended = statement.arguments.get("endTime", statement.arguments.get("startTime"))
            if ended:
                self._times[thing].append(_instant(ended))
        elif thing.kind == "agent":
            self._records[thing] |= agent_fields(said)
            component = self._things.component(statement.bundle, statement.id)
            if component is not None:
                self._record(component)
                self._records[component] |= component_fields(said)
                keep_element(self._kept[component], statement)
        else:
            self._records[thing] |= work_fields(thing.kind, said)
            work = self._things.general_of(thing)
            if work is not None and work.key == thing.key:
                # The first of a row of revisions gives the work its title, too.
                self._record(work).update(work_fields("source", said))
        return thing

    def _relation(self, statement: Statement) -> Thing | None:
        ends = statement.things()
        typed = statement.typed()
        things = {
            argument: self._things.thing(statement.bundle, iri, typed.get(iri, ""))
            for argument, iri in ends.items()
        }
        first = next(iter(things.values()))
        restates = EDGE in statement.attributes or statement.relation in _NODE_WITHOUT_ATTRIBUTES
        if restates and all(thing.own for thing in things.values()):
            return first if first in self._records else None
        if first.own and first not in self._records:
            return None  # only its shape is told: there is no record to keep anything with
        self._record(first)
        keep_relation(self._kept[first], statement)
        self._edges(statement, things)
        return first

    def _record(self, thing: Thing) -> dict[str, JsonValue]:
        """The record of a thing, made where there is none: what a relation names first exists."""
        record = self._records.get(thing)
        if record is None:
            record = self._records[thing] = self._things.least(thing)
            general = self._things.general_of(thing)
            if general is not None and not general.own:
                self._record(general)
        return record

    # -- edges ------------------------------------------------------------------------

    def _edges(self, statement: Statement, things: Mapping[str, Thing]) -> None:
        """What the relation makes of the graph; nothing where it has no edge for it."""
        match statement.relation:
            case "wasGeneratedBy":
                self._generated(things.get("entity"), things.get("activity"))
                time = statement.arguments.get("time")
                if time and "entity" in things:
                    self._times[things["entity"]].append(_instant(time))
            case "used":
                self._used(things.get("activity"), things.get("entity"))
            case "wasDerivedFrom":
                self._derived(statement, things)
            case "wasAttributedTo":
                self._attributed(statement, things)
            case "wasAssociatedWith":
                self._associated(statement, things)
            case "wasStartedBy" | "wasEndedBy":
                started = statement.relation == "wasStartedBy"
                time = statement.arguments.get("time")
                if time and "activity" in things and not things["activity"].own:
                    run = self._record(things["activity"])
                    run.setdefault("started_at" if started else "ended_at", _instant(time))
            case _:
                pass

    def _generated(self, entity: Thing | None, run: Thing | None) -> None:
        if entity is not None and run is not None and run.kind == "run" and not entity.own:
            self._record(entity).setdefault("run", run.reference())

    def _used(self, run: Thing | None, entity: Thing | None) -> None:
        if run is not None and entity is not None and run.kind == "run":
            self._add(run, "used", entity)

    def _derived(self, statement: Statement, things: Mapping[str, Thing]) -> None:
        made, source = things.get("generatedEntity"), things.get("usedEntity")
        if made is None or source is None:
            return
        revision = _REVISION in named(statement.attributes.get(f"{PROV}type", ()))
        if revision and made.kind == source.kind == "source_version":
            self._record(made).setdefault("revision_of", source.reference())
        elif made.kind in ("source", "source_version"):
            self._add(made, "derived_from", source)
        # Inference 11: an activity that a derivation names used the one and generated the other.
        activity = things.get("activity")
        self._generated(made, activity)
        self._used(activity, source)

    def _attributed(self, statement: Statement, things: Mapping[str, Thing]) -> None:
        work, agent = things.get("entity"), things.get("agent")
        if work is None or agent is None or agent.kind != "agent":
            return
        if work.kind not in ("source", "source_version") or work.own:
            return
        record, role = self._record(work), role_of(statement)
        if role == "publisher":
            record.setdefault("publisher", {"agent": agent.reference()})
            return
        credit = {"agent": agent.reference(), "role": role}
        if credit not in record.setdefault("creators", []):
            record["creators"].append(credit)

    def _associated(self, statement: Statement, things: Mapping[str, Thing]) -> None:
        run = things.get("activity")
        agent = statement.arguments.get("agent", "")
        component = self._things.component(statement.bundle, agent) if agent else None
        if run is not None and component is not None and not run.own:
            self._record(run).setdefault("component", component.reference())

    def _add(self, holder: Thing, field: str, thing: Thing) -> None:
        if field == "derived_from" and thing.kind not in _MATERIAL:
            return
        if not thing.kind and not thing.uid:
            return
        references = self._record(holder).setdefault(field, [])
        # A file may be used by thousands of statements: a list is no place to look in.
        place = (holder, field, thing)
        if place not in self._referred:
            self._referred.add(place)
            references.append(thing.reference())


# What a work can be made from; of anything else the statement is kept, without an edge.
_MATERIAL: Final = frozenset({"source", "source_version", "document"})


def _instant(time: str) -> str:
    return written(read_instant(time).at)
