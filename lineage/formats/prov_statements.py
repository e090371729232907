"""PROV as this product reads and writes it: statements, whatever the serialisation.

Names of relations and of their arguments are those of PROV-JSON without the prefix `prov:`
(W3C PROV-DM, Recommendation of 30 April 2013). All identifiers are IRIs.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from lineage.types import JsonValue

PROV: Final = "http://www.w3.org/ns/prov#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
# The product's own words: the vocabulary that an export is written in beside PROV's.
PVX: Final = "urn:provexplorer:ns:"
TG: Final = "https://trustgraph.ai/ns/"

# Prefixes that a stored value may use for its datatype; any other IRI stands in full.
SHORT: Final[Mapping[str, str]] = {"prov": PROV, "xsd": XSD, "rdf": RDF, "rdfs": RDFS, "pvx": PVX}
# A value that is a name and not a text; what PROV-JSON calls xsd:QName as well.
NAME: Final = "prov:QUALIFIED_NAME"
JSON: Final = "pvx:json"

MOST_STATEMENTS: Final = 50_000

ELEMENTS: Final = ("entity", "activity", "agent")
TIMES: Final = frozenset({"time", "startTime", "endTime"})
# The formal arguments in the order of PROV-DM; the first two are the ends.
ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "entity": (),
    "activity": ("startTime", "endTime"),
    "agent": (),
    "wasGeneratedBy": ("entity", "activity", "time"),
    "used": ("activity", "entity", "time"),
    "wasInformedBy": ("informed", "informant"),
    "wasStartedBy": ("activity", "trigger", "starter", "time"),
    "wasEndedBy": ("activity", "trigger", "ender", "time"),
    "wasInvalidatedBy": ("entity", "activity", "time"),
    "wasDerivedFrom": ("generatedEntity", "usedEntity", "activity", "generation", "usage"),
    "wasAttributedTo": ("entity", "agent"),
    "wasAssociatedWith": ("activity", "agent", "plan"),
    "actedOnBehalfOf": ("delegate", "responsible", "activity"),
    "wasInfluencedBy": ("influencee", "influencer"),
    "specializationOf": ("specificEntity", "generalEntity"),
    "alternateOf": ("alternate1", "alternate2"),
    "mentionOf": ("specificEntity", "generalEntity", "bundle"),
    "hadMember": ("collection", "entity"),
}
# What an argument makes of the thing it names (PROV-CONSTRAINTS, constraint 50); the others say
# nothing of its type.
_TYPE_OF_ARGUMENT: Final[Mapping[str, str]] = {
    "entity": "entity", "activity": "activity", "agent": "agent", "informed": "activity",
    "informant": "activity", "trigger": "entity", "starter": "activity", "ender": "activity",
    "generatedEntity": "entity", "usedEntity": "entity", "plan": "entity", "delegate": "agent",
    "responsible": "agent", "specificEntity": "entity", "generalEntity": "entity",
    "alternate1": "entity", "alternate2": "entity", "collection": "entity",
}  # fmt: skip
# Arguments that name a statement or a bundle, not a thing.
NO_THINGS: Final = frozenset({"generation", "usage", "bundle"})

Values = tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a PROV document.

    `id` is the element's IRI, or the relation's ("" where it has none). `arguments` holds the
    formal ones that are stated: IRIs, and times as sent. `attributes` holds the others by IRI,
    each value as PROV-JSON writes it: a string, boolean or number, or `{"$", "type"}`, `{"$",
    "lang"}` with types in full or with a prefix of SHORT; a name has its IRI in `$`.
    `place` says where it stands: a JSON pointer, or subject and predicate of RDF.
    """

    relation: str
    id: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Values] = field(default_factory=dict)
    bundle: str = ""
    place: str = ""

    @property
    def is_element(self) -> bool:
        return self.relation in ELEMENTS

    def ends(self) -> tuple[str, str]:
        """The first two arguments, "" where one is not stated."""
        first, second = ARGUMENTS[self.relation][:2]
        return self.arguments.get(first, ""), self.arguments.get(second, "")

    def things(self) -> dict[str, str]:
        """The arguments that name things: name → IRI, in the order of PROV-DM."""
        return {
            name: self.arguments[name]
            for name in ARGUMENTS[self.relation]
            if name in self.arguments and name not in TIMES and name not in NO_THINGS
        }

    def typed(self) -> dict[str, str]:
        """IRI → what the statement says it is (entity, activity, agent)."""
        if self.is_element:
            return {self.id: self.relation}
        return {
            iri: _TYPE_OF_ARGUMENT[name]
            for name, iri in self.things().items()
            if name in _TYPE_OF_ARGUMENT
        }


@dataclass(frozen=True, slots=True)
class Unread:
    """A statement that cannot be read, or something in RDF that is none; the others count."""

    slug: str
    detail: str
    place: str
    id: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class ProvDocument:
    """Everything that one document says, in its order; `prefixes` as it declared them."""

    statements: tuple[Statement | Unread, ...]
    prefixes: Mapping[str, str] = field(default_factory=dict)


def compact(iri: str) -> str:
    """The IRI with a prefix of SHORT where one fits; otherwise as it is."""
    for prefix, namespace in SHORT.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri[len(namespace) :]}"
    return iri


def expand(name: str) -> str:
    """The IRI that `compact` wrote."""
    prefix, colon, local = name.partition(":")
    return SHORT[prefix] + local if colon and prefix in SHORT else name


_LOCAL: Final = re.compile(r"[^#/:]*\Z")


def split(iri: str) -> tuple[str, str]:
    """Namespace and local name: after the last `#`, `/` or `:`."""
    match = _LOCAL.search(iri)
    cut = match.start() if match else len(iri)
    return iri[:cut], iri[cut:]


def name_value(iri: str) -> dict[str, JsonValue]:
    """A name as a value."""
    return {"$": iri, "type": NAME}


def named(values: Iterable[JsonValue]) -> list[str]:
    """The IRIs among values: names, and typed literals of xsd:anyURI."""
    return [
        str(value["$"])
        for value in values
        if isinstance(value, dict) and value.get("type") in (NAME, "xsd:anyURI")
    ]


def texts(values: Iterable[JsonValue]) -> list[str]:
    """The words among values: plain strings, strings with a language, and xsd:string."""
    found: list[str] = []
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict) and ("lang" in value or value.get("type") == "xsd:string"):
            found.append(str(value["$"]))
    return found


def plain(value: JsonValue) -> JsonValue:
    """A typed value as JSON has it: booleans, integers and doubles from their texts.

    Raises ValueError where the text is not one of its type.
    """
    if not isinstance(value, dict) or "lang" in value:
        return value["$"] if isinstance(value, dict) else value
    text, datatype = str(value["$"]), value.get("type", "")
    if datatype == "xsd:boolean":
        if text not in ("true", "false", "1", "0", "True", "False"):
            raise ValueError(text)
        return text in ("true", "1", "True")
    if datatype in ("xsd:int", "xsd:long", "xsd:integer", "xsd:short"):
        return int(text)
    if datatype in ("xsd:double", "xsd:float", "xsd:decimal"):
        return float(text)
    return text
