"""One graph of RDF, and what its terms are in statements of PROV."""

from collections import defaultdict
from collections.abc import Mapping

import rdflib
from rdflib.term import BNode, Node

from lineage.formats.prov_nodes import Blanks, value_of
from lineage.formats.prov_statements import Values
from lineage.formats.prov_terms import RENAMED
from lineage.formats.rdf_terms import written
from lineage.formats.times import read_instant

Predicates = Mapping[str, list[Node]]


class Described:
    """What a graph says of each of its nodes, in an order that no store decides.

    `scope` (a digest of the document) keeps its blank nodes apart from those of others.
    """

    def __init__(self, graph: rdflib.Graph, bundle: str, scope: str) -> None:
        self.bundle = bundle
        described: dict[Node, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        for subject, predicate, thing in sorted(graph, key=_written):
            described[subject][str(predicate)].append(thing)
        self.nodes: Mapping[Node, Predicates] = dict(described)
        self.blanks = Blanks(self.nodes, scope)

    def of(self, node: Node) -> Predicates:
        """What is said of a node: predicate → things."""
        return self.nodes.get(node, {})

    def iri(self, node: Node) -> str:
        """The IRI of a node, the label of a blank one."""
        return self.blanks.label(node) if isinstance(node, BNode) else str(node)

    def add_values(
        self, attributes: dict[str, Values], predicate: str, things: list[Node]
    ) -> None:  # fmt: skip
        """Add what a predicate says under its name in PROV-DM; two predicates may have one."""
        name = RENAMED.get(predicate, predicate)
        values = tuple(value_of(thing, self.blanks) for thing in things)
        if values := (*attributes.get(name, ()), *values):
            attributes[name] = values


def is_time(text: str) -> bool:
    """Whether a literal is a time as this product reads them."""
    try:
        read_instant(text)
    except ValueError:
        return False
    return True


def _written(triple: tuple[Node, Node, Node]) -> tuple[str, ...]:
    """An order that does not depend on how the store keeps triples."""
    return tuple(f"{type(term).__name__} {written(term)}" for term in triple)
