"""Elements of PROV-O: entities, activities and agents, with what is said of them."""

from collections import defaultdict

from rdflib.term import BNode, Node

from lineage.formats.prov_described import Described, Predicates, is_time
from lineage.formats.prov_rdf_relations import Relations
from lineage.formats.prov_statements import ELEMENTS, Statement, Unread, Values, compact
from lineage.formats.prov_terms import (
    ACTIVITY_TIMES,
    CLASSES,
    DIRECT,
    EVENT_TIMES,
    IN_BUNDLE,
    PLAIN_CLASSES,
    QUALIFIED,
    TYPE,
)


class Elements:
    """The elements of a graph whose relations are read."""

    def __init__(self, graph: Described, relations: Relations) -> None:
        self._graph = graph
        self.found: list[Statement | Unread] = []
        typed = _typed(relations)
        for subject, predicates in graph.nodes.items():
            if subject not in relations.qualifying:
                self._element(subject, predicates, typed.get(graph.iri(subject), []))

    def _element(self, subject: Node, predicates: Predicates, implied: list[str]) -> None:
        iri = self._graph.iri(subject)
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
                others = [kind for kind in things if str(kind) not in PLAIN_CLASSES]
                self._graph.add_values(attributes, name, others)
            else:
                self._graph.add_values(attributes, name, things)
        if times and "activity" not in implied:
            declared.add("activity")
        said = bool(attributes or times)
        elements = [one for one in ELEMENTS if one in declared or (said and one in implied)]
        if isinstance(subject, BNode) and not elements and self._graph.blanks.is_inline(subject):
            return  # described where it is referred to
        for element in elements:
            self.found.append(
                Statement(
                    element, iri, times if element == "activity" else {}, attributes,
                    self._graph.bundle, f"{iri} rdf:type",
                )
            )  # fmt: skip
        if not elements and not implied and said:
            detail = "It is neither entity, activity nor agent."
            self.found.append(Unread("unknown-kind", detail, iri, iri))

    def _times(
        self, iri: str, name: str, things: list[Node], times: dict[str, str]
    ) -> bool:  # fmt: skip
        place = f"{iri} {compact(name)}"
        if len(things) > 1:
            detail = "An activity starts once and ends once."
            self.found.append(Unread("prov-constraint", detail, place, iri, "activity"))
            return False
        if not is_time(str(things[0])):
            detail = f"{str(things[0])[:40]!r} is not a time of xsd:dateTime."
            self.found.append(Unread("time-unreadable", detail, place, iri, "activity"))
            return False
        times[ACTIVITY_TIMES[name]] = str(things[0])
        return True


def _typed(relations: Relations) -> dict[str, list[str]]:
    """IRI → what the relations make of it."""
    typed: dict[str, list[str]] = defaultdict(list)
    for statement in relations.found:
        if isinstance(statement, Statement):
            for iri, element in statement.typed().items():
                if element not in typed[iri]:
                    typed[iri].append(element)
    return typed
