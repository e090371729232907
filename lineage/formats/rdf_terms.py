"""Terms of RDF written out, to be compared and hashed."""

from rdflib.term import Node, URIRef


def written(term: Node) -> str:
    """The term as N-Triples writes it; an IRI as it came, be it none that RDF allows.

    Readers let IRIs with a space or a bracket through; rdflib's own `n3` raises at them.
    """
    return f"<{term}>" if isinstance(term, URIRef) else term.n3()
