"""TrustGraph's vocabulary in: a graph of its triples to native records. Pure."""

from collections.abc import Iterable, Iterator

import rdflib

from lineage.formats.canonical import canonical_json
from lineage.formats.trustgraph_doers import doers
from lineage.formats.trustgraph_extraction import Extraction
from lineage.formats.trustgraph_graph import Described
from lineage.formats.trustgraph_queries import Queries
from lineage.formats.trustgraph_writing import to_graph
from lineage.types import JsonValue

__all__ = ["to_graph", "to_records"]


def to_records(graph: rdflib.Graph) -> list[JsonValue]:
    """The native records of a graph, or of all graphs of a dataset, that uses TrustGraph's terms.

    Keys are the IRIs; a fact's key is that of its triple in the namespace of its chunk.
    Quoted triples stand as nodes with rdf:subject, rdf:predicate and rdf:object
    (lineage.formats.trustgraph_quoted makes them). The same triples give the same records.
    """
    described = Described(graph)
    extraction = Extraction(described)
    return [
        *_once(doers(described)),
        *extraction.records(),
        *Queries(described, extraction).records(),
    ]


def _once(records: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """Each record once: many activities share a component."""
    seen: set[bytes] = set()
    for record in records:
        written = canonical_json(record)
        if written not in seen:
            seen.add(written)
            yield record
