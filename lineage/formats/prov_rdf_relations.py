"""Relations of PROV-O: qualified forms, and what is said directly."""

from typing import Final

from rdflib.term import Literal, Node, URIRef

from lineage.formats.prov_described import Described, Predicates, is_time
from lineage.formats.prov_statements import (
    ARGUMENTS,
    PROV,
    TIMES,
    Statement,
    Unread,
    Values,
    compact,
    name_value,
)
from lineage.formats.prov_terms import (
    DIRECT,
    EVENT_TIMES,
    IN_BUNDLE,
    INFLUENCES,
    QUALIFIED,
    TYPE,
    Qualified,
)

_SUBTYPES: Final = frozenset({f"{PROV}Revision", f"{PROV}Quotation", f"{PROV}PrimarySource"})
_LITERAL: Final = "A literal is neither entity, activity nor agent."


class Relations:
    """The relations of a graph: first what is qualified, then what is only said directly.

    `qualifying` are the nodes that stand for a relation and are no elements.
    """

    def __init__(self, graph: Described) -> None:
        self._graph = graph
        self.found: list[Statement | Unread] = []
        self.qualifying: set[Node] = set()
        # (relation, end, end) that a qualified or a more precise statement makes already.
        self._said: set[tuple[str, str, str]] = set()
        # (relation, entity, time) of events.
        self._timed: set[tuple[str, str, str]] = set()
        for subject, predicates in graph.nodes.items():
            for predicate, things in predicates.items():
                if predicate in QUALIFIED:
                    for node in things:
                        self._qualified(subject, predicate, node)
        for subject, predicates in graph.nodes.items():
            self._alone(subject, predicates)
        for plain in (False, True):  # a derivation by its own name first
            self._direct(plain=plain)
        for subject, predicates in graph.nodes.items():
            self._events(graph.iri(subject), predicates)

    def _alone(self, node: Node, predicates: Predicates) -> None:
        """A node that qualifies and that nothing leads to: its statement names no first end."""
        for kind in predicates.get(TYPE, []):
            predicate = str(kind).replace(PROV, f"{PROV}qualified")
            if predicate in QUALIFIED and node not in self.qualifying:
                self._qualified(None, predicate, node)

    def _qualified(self, subject: Node | None, predicate: str, node: Node) -> None:
        row = QUALIFIED[predicate]
        place = f"{self._graph.iri(node if subject is None else subject)} {compact(predicate)}"
        if isinstance(node, Literal):
            self._unread("reference-malformed", "A literal qualifies nothing.", place, row.relation)
            return
        self.qualifying.add(node)
        arguments = {} if subject is None else {row.subject: self._graph.iri(subject)}
        attributes: dict[str, Values] = {}
        subtype = f"{PROV}{row.subtype}" if row.subtype else ""
        for name, things in self._graph.of(node).items():
            argument = row.arguments.get(name)
            if argument is not None:
                if len(things) > 1 or argument in arguments:
                    detail = f"{compact(name)} stands more than once."
                    self._unread("value-not-allowed", detail, place, row.relation)
                    return
                if isinstance(things[0], Literal) and argument not in TIMES:
                    self._unread("reference-malformed", _LITERAL, place, row.relation)
                    return
                arguments[argument] = self._argument(things[0])
            elif name == TYPE:
                kinds = {str(one) for one in things}
                subtype = next(iter(sorted(kinds & _SUBTYPES)), subtype)
                further = [one for one in things if str(one) not in INFLUENCES]
                self._graph.add_values(attributes, name, further)
            else:
                self._graph.add_values(attributes, name, things)
        if subtype:
            others = attributes.get(f"{PROV}type", ())
            attributes[f"{PROV}type"] = (name_value(subtype), *others)
        if subject is not None:
            self._fill_end(row, subject, arguments)
        if not arguments.keys() - {"time"}:
            detail = "It names nothing that it relates."
            self._unread("field-missing", detail, place, row.relation)
            return
        iri = str(node) if isinstance(node, URIRef) else ""
        self._add(Statement(row.relation, iri, arguments, attributes, self._graph.bundle, place))

    def _fill_end(self, row: Qualified, subject: Node, arguments: dict[str, str]) -> None:
        """The other end, where only the direct form names it and names one alone."""
        first, second = ARGUMENTS[row.relation][:2]
        if second in arguments or first not in arguments:
            return
        things = self._graph.of(subject).get(f"{PROV}{row.relation}", [])
        if len(things) == 1 and not isinstance(things[0], Literal):
            arguments[second] = self._graph.iri(things[0])

    def _argument(self, node: Node) -> str:
        return str(node) if isinstance(node, Literal) else self._graph.iri(node)

    def _direct(self, *, plain: bool) -> None:
        for subject, predicates in self._graph.nodes.items():
            if subject in self.qualifying:
                continue
            for predicate, things in predicates.items():
                row = DIRECT.get(predicate)
                if row is None or plain == bool(row.subtype):
                    continue
                place = f"{self._graph.iri(subject)} {compact(predicate)}"
                for thing in things:
                    if isinstance(thing, Literal):
                        self._unread("reference-malformed", _LITERAL, place, row.relation)
                        continue
                    arguments = {
                        row.subject: self._graph.iri(subject),
                        row.object: self._graph.iri(thing),
                    }
                    attributes: dict[str, Values] = {}
                    if row.subtype:
                        attributes[f"{PROV}type"] = (name_value(f"{PROV}{row.subtype}"),)
                    if row.relation == "mentionOf":
                        bundles = predicates.get(IN_BUNDLE, [])
                        if len(bundles) == 1:
                            arguments["bundle"] = self._graph.iri(bundles[0])
                    statement = Statement(
                        row.relation, "", arguments, attributes, self._graph.bundle, place
                    )
                    if (row.relation, *statement.ends()) not in self._said:
                        self._add(statement)

    def _add(self, statement: Statement) -> None:
        time = statement.arguments.get("time")
        if time is not None and not is_time(time):
            detail = f"{time[:40]!r} is not a time of xsd:dateTime."
            self._unread("time-unreadable", detail, statement.place, statement.relation)
            return
        self._said.add((statement.relation, *statement.ends()))
        self._timed.add((statement.relation, statement.arguments.get("entity", ""), time or ""))
        self.found.append(statement)

    def _unread(self, slug: str, detail: str, place: str, relation: str, iri: str = "") -> None:
        self.found.append(Unread(slug, detail, place, iri, relation))

    def _events(self, iri: str, predicates: Predicates) -> None:
        """An entity's generation and invalidation, where no qualified event states their time."""
        for name, relation in EVENT_TIMES.items():
            for thing in predicates.get(name, []):
                if (relation, iri, str(thing)) not in self._timed:
                    arguments = {"entity": iri, "time": str(thing)}
                    place = f"{iri} {compact(name)}"
                    self._add(Statement(relation, "", arguments, {}, self._graph.bundle, place))
