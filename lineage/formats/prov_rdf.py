"""PROV-O in RDF to statements; named graphs are bundles. Pure."""

import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import BNode

from lineage.formats.prov_described import Described
from lineage.formats.prov_graphs import PARSERS, parse_graph
from lineage.formats.prov_rdf_elements import Elements
from lineage.formats.prov_rdf_relations import Relations
from lineage.formats.prov_statements import (
    MOST_STATEMENTS,
    PVX,
    TG,
    ProvDocument,
    Statement,
    Unread,
)
from lineage.formats.prov_terms import TYPE
from lineage.formats.refusals import BodyRefused

__all__ = ["PARSERS", "parse_graph", "read_rdf", "uses_trustgraph"]


def read_rdf(dataset: rdflib.Dataset, scope: str = "") -> ProvDocument:
    """Every statement of the default graph and of the named ones, elements before relations.

    `scope` (a digest of the document) keeps its blank nodes apart from those of others.
    """
    prefixes = {prefix: str(iri) for prefix, iri in dataset.namespaces() if prefix}
    found: list[Statement | Unread] = []
    for graph in sorted(dataset.graphs(), key=_bundle):
        bundle = _bundle(graph)
        if isinstance(graph.identifier, BNode):
            bundle = f"_:{scope}:{len(found)}"
        described = Described(graph, bundle, scope)
        relations = Relations(described)
        found += [*Elements(described, relations).found, *relations.found]
        if len(found) > MOST_STATEMENTS:
            raise BodyRefused("body-too-large", f"At most {MOST_STATEMENTS:,} statements at once.")
    return ProvDocument(tuple(found), prefixes)


def _bundle(graph: rdflib.Graph) -> str:
    """The IRI of a named graph; "" for the default one, which comes first."""
    name = graph.identifier
    return "" if name == DATASET_DEFAULT_GRAPH_ID else str(name)


def uses_trustgraph(dataset: rdflib.Dataset) -> bool:
    """Whether a predicate or a class is of TrustGraph's vocabulary; an export of ours is not meant."""
    if any(True for _ in dataset.quads((None, rdflib.URIRef(f"{PVX}kind"), None, None))):
        return False
    return any(
        str(predicate).startswith(TG) or (str(predicate) == TYPE and str(thing).startswith(TG))
        for _, predicate, thing, _ in dataset.quads()
    )
