"""PROV-O in RDF to statements: direct and qualified forms, bundles as named graphs. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import rdflib
from rdflib.term import BNode, Literal, Node, URIRef

from lineage.formats.prov_graphs import PARSERS, parse_graph
from lineage.formats.prov_nodes import Blanks, value_of
from lineage.formats.prov_statements import (
    ARGUMENTS,
    ELEMENTS,
    MOST_STATEMENTS,
    PROV,
    TG,
    ProvDocument,
    Statement,
    Unread,
    Values,
    compact,
    name_value,
)
from lineage.formats.prov_terms import (
    ACTIVITY_TIMES,
    CLASSES,
    DIRECT,
    EVENT_TIMES,
    IN_BUNDLE,
    INFLUENCES,
    PLAIN_CLASSES,
    QUALIFIED,
    RENAMED,
    TYPE,
    Qualified,
)
from lineage.formats.refusals import BodyRefused
from lineage.formats.times import read_instant
from lineage.types import JsonValue

__all__ = ["PARSERS", "parse_graph", "read_rdf", "uses_trustgraph"]

_SUBTYPES: Final = frozenset({f"{PROV}Revision", f"{PROV}Quotation", f"{PROV}PrimarySource"})

Described = Mapping[Node, Mapping[str, list[Node]]]


def read_rdf(dataset: rdflib.Dataset, scope: str = "") -> ProvDocument:
    """Every statement of the default graph and of the named ones, which are bundles.

    `scope` (a digest of the document) keeps its blank nodes apart from those of others.
    """
    prefixes = {prefix: str(iri) for prefix, iri in dataset.namespaces() if prefix}
    found: list[Statement | Unread] = []
    graphs = sorted(dataset.graphs(), key=lambda graph: str(graph.identifier))
    for graph in graphs:
        name = graph.identifier
        bundle = "" if name == rdflib.graph.DATASET_DEFAULT_GRAPH_ID else str(name)
        if isinstance(name, BNode):
            bundle = f"_:{scope}:{len(found)}"
        reader = _Graph(graph, bundle, scope)
        found += reader.statements()
        if len(found) > MOST_STATEMENTS:
            raise BodyRefused("body-too-large", f"At most {MOST_STATEMENTS:,} statements at once.")
    return ProvDocument(tuple(found), prefixes)


def uses_trustgraph(dataset: rdflib.Dataset) -> bool:
    """Whether a predicate or a class is of TrustGraph's vocabulary."""
    return any(
        str(predicate).startswith(TG) or (str(predicate) == TYPE and str(thing).startswith(TG))
        for _, predicate, thing, _ in dataset.quads()
    )


class _Graph:
    """Reads one graph: first what is qualified, then what is said directly, then the elements."""

    def __init__(self, graph: rdflib.Graph, bundle: str, scope: str) -> None:
        self._bundle = bundle
        described: dict[Node, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        for subject, predicate, thing in sorted(graph, key=_written):
            described[subject][str(predicate)].append(thing)
        self._described = described
        self._blanks = Blanks(described, scope)
        self._found: list[Statement | Unread] = []
        # (relation, end, end) that a qualified or a more precise statement makes already.
        self._said: set[tuple[str, str, str]] = set()
        # (relation, entity, time) of events.
        self._timed: set[tuple[str, str, str]] = set()
        self._qualifying: set[Node] = set()

    def statements(self) -> list[Statement | Unread]:
        for subject, predicates in self._described.items():
            for predicate, things in predicates.items():
                if predicate in QUALIFIED:
                    for node in things:
                        self._qualified(subject, predicate, node)
        for plain in (False, True):  # a derivation by its own name first
            self._direct(plain=plain)
        typed = self._typed()
        relations = list(self._found)
        self._found = []
        for subject, predicates in self._described.items():
            if subject not in self._qualifying:
                self._element(subject, predicates, typed.get(self._iri(subject), []))
        return [*self._found, *relations]

    def _iri(self, node: Node) -> str:
        return self._blanks.label(node) if isinstance(node, BNode) else str(node)

    # -- relations --------------------------------------------------------------------

    def _qualified(self, subject: Node, predicate: str, node: Node) -> None:
        row = QUALIFIED[predicate]
        place = f"{self._iri(subject)} {compact(predicate)}"
        if isinstance(node, Literal):
            self._unread("reference-malformed", "A literal qualifies nothing.", place, row.relation)
            return
        self._qualifying.add(node)
        arguments = {row.subject: self._iri(subject)}
        attributes: dict[str, Values] = {}
        subtype = f"{PROV}{row.subtype}" if row.subtype else ""
        for name, things in self._described.get(node, {}).items():
            argument = row.arguments.get(name)
            if argument is not None:
                if len(things) > 1 or argument in arguments:
                    detail = f"{compact(name)} stands more than once."
                    self._unread("value-not-allowed", detail, place, row.relation)
                    return
                arguments[argument] = self._argument(things[0])
            elif name == TYPE:
                kinds = [str(one) for one in things]
                subtype = next((kind for kind in kinds if kind in _SUBTYPES), subtype)
                kept = tuple(name_value(kind) for kind in kinds if kind not in INFLUENCES)
                if kept:
                    attributes[f"{PROV}type"] = kept
            else:
                attributes[RENAMED.get(name, name)] = self._values(things)
        if subtype:
            others = attributes.get(f"{PROV}type", ())
            attributes[f"{PROV}type"] = (name_value(subtype), *others)
        self._fill_end(row, subject, arguments)
        iri = str(node) if isinstance(node, URIRef) else ""
        self._add(Statement(row.relation, iri, arguments, attributes, self._bundle, place))

    def _fill_end(self, row: Qualified, subject: Node, arguments: dict[str, str]) -> None:
        """The other end, where only the direct form names it and names one alone."""
        first, second = ARGUMENTS[row.relation][:2]
        if second in arguments or first not in arguments:
            return
        things = self._described[subject].get(f"{PROV}{row.relation}", [])
        if len(things) == 1 and not isinstance(things[0], Literal):
            arguments[second] = self._iri(things[0])

    def _argument(self, node: Node) -> str:
        return str(node) if isinstance(node, Literal) else self._iri(node)

    def _direct(self, *, plain: bool) -> None:
        for subject, predicates in self._described.items():
            if subject in self._qualifying:
                continue
            for predicate, things in predicates.items():
                row = DIRECT.get(predicate)
                if row is None or plain == bool(row.subtype):
                    continue
                place = f"{self._iri(subject)} {compact(predicate)}"
                for thing in things:
                    if isinstance(thing, Literal):
                        detail = "A literal is neither entity, activity nor agent."
                        self._unread("reference-malformed", detail, place, row.relation)
                        continue
                    arguments = {row.subject: self._iri(subject), row.object: self._iri(thing)}
                    attributes: dict[str, Values] = {}
                    if row.subtype:
                        attributes[f"{PROV}type"] = (name_value(f"{PROV}{row.subtype}"),)
                    if row.relation == "mentionOf":
                        bundles = predicates.get(IN_BUNDLE, [])
                        if len(bundles) == 1:
                            arguments["bundle"] = self._iri(bundles[0])
                    statement = Statement(
                        row.relation, "", arguments, attributes, self._bundle, place
                    )
                    if (row.relation, *statement.ends()) not in self._said:
                        self._add(statement)

    def _add(self, statement: Statement) -> None:
        time = statement.arguments.get("time")
        if time is not None and not _is_time(time):
            detail = f"{time[:40]!r} is not a time of xsd:dateTime."
            self._unread("time-unreadable", detail, statement.place, statement.relation)
            return
        self._said.add((statement.relation, *statement.ends()))
        self._timed.add((statement.relation, statement.arguments.get("entity", ""), time or ""))
        self._found.append(statement)

    def _unread(self, slug: str, detail: str, place: str, relation: str, iri: str = "") -> None:
        self._found.append(Unread(slug, detail, place, iri, relation))

    # -- elements ---------------------------------------------------------------------

    def _typed(self) -> dict[str, list[str]]:
        """IRI → what the relations make of it."""
        typed: dict[str, list[str]] = defaultdict(list)
        for statement in self._found:
            if isinstance(statement, Statement):
                for iri, element in statement.typed().items():
                    if element not in typed[iri]:
                        typed[iri].append(element)
        return typed

    def _element(
        self, subject: Node, predicates: Mapping[str, list[Node]], implied: list[str]
    ) -> None:
        iri = self._iri(subject)
        kinds = [str(kind) for kind in predicates.get(TYPE, [])]
        declared = {CLASSES[kind] for kind in kinds if kind in CLASSES}
        attributes: dict[str, Values] = {}
        times: dict[str, str] = {}
        for name, things in predicates.items():
            if name in QUALIFIED or name in DIRECT or name in EVENT_TIMES or name == IN_BUNDLE:
                continue
            if name in ACTIVITY_TIMES:
                if not self._times(iri, name, things, times):
                    return
            elif name == TYPE:
                others = [name_value(kind) for kind in kinds if kind not in PLAIN_CLASSES]
                if others:
                    attributes[f"{PROV}type"] = tuple(others)
            else:
                attributes[RENAMED.get(name, name)] = self._values(things)
        if times and "activity" not in implied:
            declared.add("activity")
        said = bool(attributes or times)
        elements = [one for one in ELEMENTS if one in declared or (said and one in implied)]
        if isinstance(subject, BNode) and not elements and self._blanks.is_inline(subject):
            return  # described where it is referred to
        for element in elements:
            self._found.append(
                Statement(
                    element, iri, times if element == "activity" else {}, attributes,
                    self._bundle, f"{iri} rdf:type",
                )
            )  # fmt: skip
        self._events(iri, predicates)
        if not elements and not implied and said:
            detail = "It is neither entity, activity nor agent."
            self._unread("unknown-kind", detail, iri, "", iri)

    def _times(
        self, iri: str, name: str, things: list[Node], times: dict[str, str]
    ) -> bool:  # fmt: skip
        place = f"{iri} {compact(name)}"
        if len(things) > 1:
            detail = "An activity starts once and ends once."
            self._unread("prov-constraint", detail, place, "activity", iri)
            return False
        if not _is_time(str(things[0])):
            detail = f"{str(things[0])[:40]!r} is not a time of xsd:dateTime."
            self._unread("time-unreadable", detail, place, "activity", iri)
            return False
        times[ACTIVITY_TIMES[name]] = str(things[0])
        return True

    def _events(self, iri: str, predicates: Mapping[str, list[Node]]) -> None:
        """An entity's generation and invalidation, where no qualified event states their time."""
        for name, relation in EVENT_TIMES.items():
            for thing in predicates.get(name, []):
                if (relation, iri, str(thing)) not in self._timed:
                    arguments = {"entity": iri, "time": str(thing)}
                    place = f"{iri} {compact(name)}"
                    self._add(Statement(relation, "", arguments, {}, self._bundle, place))

    def _values(self, things: list[Node]) -> Values:
        return tuple(self._value(thing) for thing in things)

    def _value(self, thing: Node) -> JsonValue:
        return value_of(thing, self._blanks)


def _is_time(text: str) -> bool:
    try:
        read_instant(text)
    except ValueError:
        return False
    return True


def _written(triple: tuple[Node, Node, Node]) -> tuple[str, ...]:
    """An order that does not depend on how the store keeps triples."""
    return tuple(f"{type(term).__name__} {term.n3()}" for term in triple)
