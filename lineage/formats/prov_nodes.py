"""Terms of RDF as values of statements; blank nodes by what is said of them."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Final

from rdflib.term import BNode, Literal, Node

from lineage.formats.prov_statements import JSON, NAME, RDF, XSD, compact
from lineage.formats.rdf_terms import written
from lineage.formats.storable import storable_string
from lineage.types import JsonValue

# How deep a blank node is described where it is referred to, and how far its label looks.
_INLINE_DEPTH: Final = 16
_LABEL_DEPTH: Final = 3
_PLAIN: Final = frozenset({f"{XSD}string", f"{RDF}langString"})

Described = Mapping[Node, Mapping[str, list[Node]]]


class Blanks:
    """The blank nodes of a graph, each with a label that is the same whenever the document is read.

    A label is made of what the node says and of who refers to it, so that parsers may name it
    as they like. Nodes of which exactly the same is said are one.
    """

    def __init__(self, described: Described, scope: str) -> None:
        self._described, self._scope = described, scope
        self._labels: dict[tuple[Node, int], str] = {}
        self._referred: Counter[Node] = Counter()
        self._from: dict[Node, list[str]] = {}
        for subject, predicates in described.items():
            for predicate, things in predicates.items():
                for thing in things:
                    if isinstance(thing, BNode):
                        self._referred[thing] += 1
                        by = "" if isinstance(subject, BNode) else str(subject)
                        self._from.setdefault(thing, []).append(f"{by} {predicate}")

    def label(self, node: Node, depth: int = _LABEL_DEPTH) -> str:
        """`_:` and a hash."""
        place = (node, depth)
        if place not in self._labels:
            said = [
                [predicate, self._term(thing, depth)]
                for predicate, things in self._described.get(node, {}).items()
                for thing in things
            ]
            parts = [self._scope, sorted(said), sorted(self._from.get(node, []))]
            digest = hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass"))
            self._labels[place] = f"_:{digest.hexdigest()[:32]}"
        return self._labels[place]

    def _term(self, thing: Node, depth: int) -> str:
        if not isinstance(thing, BNode):
            return written(thing)
        return self.label(thing, depth - 1) if depth else "_:"

    def is_inline(self, node: Node) -> bool:
        """Whether the node is referred to once, so that it can be described there."""
        return self._referred[node] == 1

    def described(self, node: Node, depth: int = _INLINE_DEPTH) -> JsonValue:
        """What is said of a blank node, as JSON: predicates to lists of values."""
        if not depth or not self.is_inline(node):
            return self.label(node)
        return {
            compact(predicate): [
                self.described(thing, depth - 1)
                if isinstance(thing, BNode)
                else value_of(thing, self)
                for thing in things
            ]
            for predicate, things in self._described.get(node, {}).items()
        }


def value_of(thing: Node, blanks: Blanks) -> JsonValue:
    """The value as PROV-JSON writes it; a blank node with all that is said of it."""
    if isinstance(thing, Literal):
        text = storable_string(str(thing), "", _quietly)
        if thing.language:
            return {"$": text, "lang": thing.language}
        datatype = str(thing.datatype) if thing.datatype else ""
        if not datatype or datatype in _PLAIN:
            return text
        return {"$": text, "type": compact(datatype)}
    if isinstance(thing, BNode):
        text = json.dumps(blanks.described(thing), sort_keys=True, ensure_ascii=False)
        return {"$": text, "type": JSON}
    return {"$": storable_string(str(thing), "", _quietly), "type": NAME}


def _quietly(_code: str, _pointer: str, _detail: str) -> None:
    """Characters that no store can keep are replaced; the value stays recognisable."""
