"""Triples about triples: in TrustGraph's own JSON, and in Turtle with `<< … >>`, as plain RDF.

A quoted triple becomes a node with rdf:subject, rdf:predicate and rdf:object, the same for
the same triple, which every RDF syntax can carry.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

import rdflib

from lineage.formats.body import as_json
from lineage.formats.rdf_terms import written
from lineage.formats.refusals import BodyRefused
from lineage.formats.trustgraph_terms import RDF, STATEMENT
from lineage.types import JsonValue

# A quoted triple may be about another; deeper than this is a mistake.
_DEEPEST: Final = 16
TRIPLES: Final = 100_000
_STRINGS: Final = r'"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\''
_TOKEN: Final = re.compile(
    rf"(?:{_STRINGS})|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|<<|>>|<[^<>\"{{}}|^`\\\s]*>|#[^\n]*",
    re.DOTALL,
)


def read_wire(document: JsonValue) -> rdflib.Dataset:
    """The triples of TrustGraph's JSON: `{"s","p","o","g"?}` each, or a list of such under `triples`.

    Raises BodyRefused, with a pointer, for what is no such triple.
    """
    pointer = ""
    if isinstance(document, dict):
        document, pointer = document.get("triples"), "/triples"
    if not isinstance(document, list):
        raise BodyRefused("body-unreadable", "A list of triples with s, p and o.", pointer)
    if len(document) > TRIPLES:
        raise BodyRefused("body-too-large", f"At most {TRIPLES:,} triples at once.")
    dataset = rdflib.Dataset(default_union=False)
    for place, triple in enumerate(document):
        here = f"{pointer}/{place}"
        name = triple.get("g") if isinstance(triple, dict) else None
        graph = (
            dataset.graph(rdflib.URIRef(name))
            if isinstance(name, str) and name
            else dataset.default_graph
        )
        graph.add(_triple(triple, graph, here, 0))
    return dataset


def triples_of(body: bytes) -> rdflib.Dataset | None:
    """The triples of a body in TrustGraph's JSON; None for any other. Raises BodyRefused."""
    if b'"s"' not in body or b'"p"' not in body:
        return None
    document = as_json(body)
    return read_wire(document) if is_wire(document) else None


def is_wire(document: JsonValue) -> bool:
    """Whether a JSON document looks like TrustGraph's triples."""
    triples = document.get("triples") if isinstance(document, dict) else document
    return bool(
        isinstance(triples, list)
        and triples
        and isinstance(triples[0], dict)
        and {"s", "p", "o"} <= triples[0].keys()
    )


def without_quotes(turtle: str) -> str:
    """Turtle in which every `<< s p o >>` is a node with rdf:subject, rdf:predicate and rdf:object.

    Strings, addresses and comments are left alone, and so is what is not closed: the parser
    then says where it stopped.
    """
    if "<<" not in turtle:
        return turtle
    out: list[str] = []
    opened: list[int] = []
    last = 0
    for match in _TOKEN.finditer(turtle):
        found = match[0]
        if found == "<<":
            out += [turtle[last : match.start()], ""]
            opened.append(len(out) - 1)
            last = match.end()
        elif found == ">>" and opened:
            place = opened.pop()
            out.append(turtle[last : match.start()])
            parts = _three("".join(out[place:]))
            if parts is None:
                return turtle
            del out[place:]
            subject, predicate, thing = parts
            out.append(
                f"[ a <{RDF}Statement> ; <{RDF}subject> {subject} ; "
                f"<{RDF}predicate> {predicate} ; <{RDF}object> {thing} ]"
            )
            last = match.end()
    return turtle if opened else "".join([*out, turtle[last:]])


def quoted_node(graph: rdflib.Graph, *terms: rdflib.term.Node) -> rdflib.BNode:
    """A node that stands for the triple of these three terms, and its description in the graph."""
    triple = " ".join(written(term) for term in terms)
    digest = hashlib.sha256(triple.encode("utf-8", "surrogatepass")).hexdigest()
    node = rdflib.BNode(f"t{digest[:32]}")
    graph.add((node, rdflib.RDF.type, rdflib.RDF.Statement))
    for predicate, term in zip(STATEMENT, terms, strict=True):
        graph.add((node, rdflib.URIRef(predicate), term))
    return node


def _three(inside: str) -> tuple[str, str, str] | None:
    """Subject, predicate and object of a quoted triple; None where there are not three terms."""
    terms = list(_terms(inside))
    return (terms[0], terms[1], terms[2]) if len(terms) == 3 else None


def _terms(inside: str) -> Iterator[str]:
    place = 0
    while place < len(inside):
        rest = inside[place:]
        blank = re.match(r"(?:\s|#[^\n]*(?:\n|$))+", rest)
        if blank:
            place += blank.end()
        elif rest[0] == "[":
            end = _closing(rest)
            yield rest[:end]
            place += end
        else:
            literal = rf"(?:{_STRINGS}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
            suffix = r"(?:@[A-Za-z0-9-]+|\^\^(?:<[^>\s]*>|[^\s<>\[\]\"']+))?"
            found = re.match(rf"{literal}{suffix}|<[^>\s]*>|[^\s\[\]\"'<]+", rest, re.DOTALL)
            if found is None:
                yield rest
                return
            yield found[0]
            place += found.end()


def _closing(text: str) -> int:
    """The end of the bracket that the text begins with; its length where it is not closed."""
    depth = 0
    for match in re.finditer(rf"{_TOKEN.pattern}|[\[\]]", text, re.DOTALL):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if match[0] == "]" and depth == 0:
            return match.end()
    return len(text)


def _triple(
    triple: JsonValue, graph: rdflib.Graph, pointer: str, depth: int
) -> tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]:
    if not isinstance(triple, dict) or depth > _DEEPEST:
        raise BodyRefused("body-unreadable", "A triple with s, p and o.", pointer)
    subject, predicate, thing = (
        _term(triple.get(name), graph, f"{pointer}/{name}", depth) for name in "spo"
    )
    if isinstance(subject, rdflib.Literal) or not isinstance(predicate, rdflib.URIRef):
        raise BodyRefused(
            "body-unreadable", "A subject is no literal, a predicate an IRI.", pointer
        )
    return subject, predicate, thing


def _term(
    term: JsonValue, graph: rdflib.Graph, pointer: str, depth: int
) -> rdflib.URIRef | rdflib.BNode | rdflib.Literal:
    """`{"t":"i","i"}`, `{"t":"l","v","dt"?,"ln"?}`, `{"t":"b","d"}` or `{"t":"t","tr"}`."""
    kind = term.get("t") if isinstance(term, dict) else None
    if kind == "i" and isinstance(term.get("i"), str):
        return rdflib.URIRef(term["i"])
    if kind == "b" and isinstance(term.get("d"), str):
        return rdflib.BNode(term["d"])
    if kind == "l" and isinstance(term.get("v"), str):
        language, datatype = term.get("ln"), term.get("dt")
        try:
            if isinstance(language, str) and language:
                return rdflib.Literal(term["v"], lang=language)
            if isinstance(datatype, str) and datatype:
                return rdflib.Literal(term["v"], datatype=rdflib.URIRef(datatype), normalize=False)
        except ValueError as error:
            raise BodyRefused("body-unreadable", "No language tag.", f"{pointer}/ln") from error
        return rdflib.Literal(term["v"])
    if kind == "t":
        return quoted_node(graph, *_triple(term.get("tr"), graph, f"{pointer}/tr", depth + 1))
    raise BodyRefused("body-unreadable", "An IRI, a literal, a blank node or a triple.", pointer)
