"""What the IRIs of a PROV document stand for: kind, key and namespace of each."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lineage.formats.prov_own import is_own, records_of
from lineage.formats.prov_statements import PROV, Statement, named
from lineage.types import JsonValue
from lineage.vocabulary import KINDS

_KIND: Final = {"entity": "source", "activity": "run", "agent": "agent"}
_REVISION: Final = f"{PROV}Revision"
_SOFTWARE: Final = f"{PROV}SoftwareAgent"
_DOI: Final = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\S+)")

Place = tuple[str, str]  # bundle, IRI


@dataclass(frozen=True, slots=True)
class Thing:
    """What an IRI stands for; `own`: a node that this product exported.

    `uid` instead of a key: a node of which the export tells the shape alone. Without a kind it
    is known to nobody, and nothing can refer to it.
    """

    kind: str
    key: str
    namespace: str
    own: bool = False
    digest: str = ""
    uid: str = ""

    def reference(self) -> dict[str, JsonValue]:
        """A reference to it, as records write it."""
        if self.uid:
            return {"uid": self.uid}
        said = {"kind": self.kind, "key": self.key, "namespace": self.namespace}
        return {**said, "digest": self.digest} if self.digest else said


@dataclass(slots=True)
class _Works:
    """Which entities are versions, and of what."""

    general: dict[Place, str] = field(default_factory=dict)
    later: set[Place] = field(default_factory=set)
    revised: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))


class Things:
    """The things of a document. Decided from all its statements, so in any order alike."""

    def __init__(
        self, statements: Sequence[Statement], taken: Mapping[str, Thing] | None = None
    ) -> None:
        # What another reader of the same document has made records of, by IRI.
        self._taken = taken or {}
        self._declared: dict[Place, set[str]] = defaultdict(set)
        self._implied: dict[Place, set[str]] = defaultdict(set)
        self._own: dict[Place, Thing] = {}
        self._software: set[Place] = set()
        self._associated: set[Place] = set()
        self._works = _Works()
        for statement in statements:
            if is_own(statement):
                self._own[statement.bundle, statement.id] = _own(statement)
            if statement.is_element:
                self._declared[statement.bundle, statement.id].add(statement.relation)
        for statement in statements:
            self._learn(statement)
        self._versions = self._general_of_each()

    def _learn(self, statement: Statement) -> None:
        for iri, element in statement.typed().items():
            self._implied[self._place(statement.bundle, iri)].add(element)
        types = named(statement.attributes.get(f"{PROV}type", ()))
        if statement.relation == "agent" and _SOFTWARE in types:
            self._software.add(self._place(statement.bundle, statement.id))
        elif statement.relation == "wasAssociatedWith" and "agent" in statement.arguments:
            self._associated.add(self._place(statement.bundle, statement.arguments["agent"]))
        elif statement.relation in ("specializationOf", "mentionOf") and all(statement.ends()):
            specific, general = statement.ends()
            place = self._place(statement.bundle, specific)
            self._works.general[place] = min(general, self._works.general.get(place, general))
        elif statement.relation == "wasDerivedFrom" and _REVISION in types:
            later, earlier = (self._place(statement.bundle, iri) for iri in statement.ends())
            if later[1] and earlier[1]:
                self._works.later.add(later)
                self._works.revised[later].append(earlier[1])
                self._works.revised[earlier].append(later[1])

    def _place(self, bundle: str, iri: str) -> Place:
        """What a bundle does not declare and the document does is the document's."""
        if bundle and (bundle, iri) not in self._declared and ("", iri) in self._declared:
            return "", iri
        return bundle, iri

    def _general_of_each(self) -> dict[Place, str]:
        """Version → the work that it is a version of.

        Revisions are of one work: that which any of them is said to specialize, else the one
        that bears the IRI of the first of them, since PROV calls them alternates of one thing.
        """
        general = {place: self._top(place) for place in self._works.general}
        seen: set[Place] = set()
        for place in sorted(self._works.revised):
            if place in seen:
                continue
            group = self._group(place)
            seen |= set(group)
            stated = sorted({general[one] for one in group if one in general})
            first = [one for one in group if one not in self._works.later] or group
            work = stated[0] if stated else first[0][1]
            for one in group:
                general.setdefault(one, work)
        return {place: work for place, work in general.items() if place not in self._own}

    def _top(self, place: Place) -> str:
        """What specializes a specialization specializes what that does (inference 21)."""
        seen = {place}
        general = self._works.general[place]
        while (above := self._place(place[0], general)) in self._works.general:
            if above in seen or above in self._own:
                break
            seen.add(above)
            general = self._works.general[above]
        return general

    def _group(self, start: Place) -> list[Place]:
        found, pending = {start}, [start]
        while pending:
            bundle, iri = pending.pop()
            for other in self._works.revised[bundle, iri]:
                place = self._place(bundle, other)
                if place not in found:
                    found.add(place)
                    pending.append(place)
        return sorted(found)

    def thing(self, bundle: str, iri: str, element: str = "") -> Thing:
        """The thing that an IRI names; `element` is what the statement takes it for."""
        place = self._place(bundle, iri)
        own = self._taken.get(iri) or self._own.get(place)
        if own is not None:
            return own
        if element not in _KIND:
            known = self._declared.get(place) or self._implied.get(place) or {"entity"}
            element = min(known)
        kind = _KIND[element]
        if element == "entity" and place in self._versions:
            kind = "source_version"
        return Thing(kind, iri, place[0])

    def component(self, bundle: str, iri: str) -> Thing | None:
        """Software that an activity was associated with, as a component."""
        place = self._place(bundle, iri)
        if place in self._own:
            own = self._own[place]
            return own if own.kind == "component" else None
        if place in self._software and place in self._associated:
            return Thing("component", iri, place[0])
        return None

    def general_of(self, thing: Thing) -> Thing | None:
        """The work of a version."""
        work = self._versions.get((thing.namespace, thing.key))
        if thing.kind != "source_version" or work is None:
            return None
        place = self._place(thing.namespace, work)
        own = self._own.get(place)
        return own if own is not None and own.kind == "source" else Thing("source", *place[::-1])

    def least(self, thing: Thing) -> dict[str, JsonValue]:
        """The least that a record of this thing must say; its own address names it."""
        record: dict[str, JsonValue] = {
            "kind": thing.kind, "key": thing.key, "namespace": thing.namespace
        }  # fmt: skip
        general = self.general_of(thing)
        if thing.kind == "source":
            record["title"] = thing.key
            if doi := doi_of(thing.key):
                record["doi"] = doi
        elif thing.kind == "source_version" and general is not None:
            record["source"] = general.reference()
        elif thing.kind == "agent":
            record["name"] = thing.key
        elif thing.kind == "component":
            record |= {"component_kind": "pipeline", "name": thing.key, "version": ""}
        elif thing.kind == "run":
            record["run_kind"] = "pipeline"
        return record


def _own(statement: Statement) -> Thing:
    records = records_of(statement)
    if not records:
        uid = statement.id.rsplit("/", 1)[-1]
        return Thing("", statement.id, "", own=True, uid=uid)
    record = records[0]
    kind = str(record["kind"])
    digest = str(record.get("digest", "")) if KINDS[kind].own_digest else ""
    return Thing(
        kind, str(record["key"]), str(record.get("namespace", "")), own=True, digest=digest
    )


def doi_of(iri: str) -> str:
    """The DOI that an IRI is the address of; "" where it is none."""
    match = _DOI.fullmatch(iri)
    return match.group(1) if match else ""
