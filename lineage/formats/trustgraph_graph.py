"""What a graph in TrustGraph's vocabulary says of each thing, in an order that no parser decides."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import rdflib

from lineage.formats.rdf_terms import written
from lineage.formats.times import read_instant
from lineage.formats.trustgraph_terms import (
    BEGINNINGS,
    CLASSES,
    CONTAINS,
    DERIVED,
    EXTRACTED,
    STATEMENT,
    TELLING,
    TG,
    TYPE,
    UNKEPT,
    WORDS,
    compact,
)
from lineage.types import JsonValue

# A derivation that is longer is a mistake or a circle.
_DEEPEST: Final = 100

Term: TypeAlias = rdflib.URIRef | rdflib.BNode | rdflib.Literal


class Quoted(NamedTuple):
    """A triple that another one is about."""

    subject: Term
    predicate: Term
    object: Term


class Described:
    """The triples of a graph, or of all graphs of a dataset, by subject and predicate."""

    def __init__(self, graph: rdflib.Graph) -> None:
        self._said: dict[str, dict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
        self._contained_in: dict[str, str] = {}
        for subject, predicate, thing in sorted(set(_triples(graph)), key=_order):
            self._said[str(subject)][str(predicate)].append(thing)
            if str(predicate) in CONTAINS and isinstance(thing, rdflib.URIRef):
                self._contained_in.setdefault(str(thing), str(subject))

    def things(self, *sorts: str) -> Iterator[str]:
        """The IRIs that are of one of these sorts, by name."""
        yield from sorted(thing for sort in set(sorts) for thing in self._by_sort.get(sort, ()))

    @cached_property
    def _by_sort(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for thing, sort in self.sorts.items():
            found.setdefault(sort, []).append(thing)
        return found

    @cached_property
    def sorts(self) -> Mapping[str, str]:
        """What each thing that is described is: page, chunk, question … Others are left out."""
        found: dict[str, str] = {}
        for thing, said in self._said.items():
            if thing.startswith("_:"):
                continue
            classes = [CLASSES[str(one)] for one in said.get(TYPE, ()) if str(one) in CLASSES]
            telling = [sort for predicate, sort in TELLING.items() if predicate in said]
            if any(self.quoted(one) for name in CONTAINS for one in said.get(name, ())):
                telling.append("subgraph")
            for sort in (*classes, *telling, beginning_of(thing)):
                if sort:
                    found[thing] = sort
                    break
        # What pages and chunks come from, and comes from nothing itself, is the document.
        for thing in [one for one, sort in found.items() if sort in EXTRACTED]:
            top = self.top(thing)
            if top != thing and top not in found and not beginning_of(top):
                found[top] = "document"
        return found

    def sort(self, thing: str) -> str:
        """What a thing is, described or only named; empty where nothing tells."""
        return self.sorts.get(thing) or beginning_of(thing)

    def is_described(self, thing: str) -> bool:
        """Whether the graph says anything of it."""
        return thing in self._said

    def terms(self, thing: str, predicate: str) -> list[Term]:
        return list(self._said.get(thing, {}).get(predicate, ()))

    def iris(self, thing: str, predicate: str) -> list[str]:
        return [str(one) for one in self.terms(thing, predicate) if isinstance(one, rdflib.URIRef)]

    def literals(self, thing: str, predicate: str) -> list[str]:
        return [str(one) for one in self.terms(thing, predicate) if isinstance(one, rdflib.Literal)]

    def literal(self, thing: str, *predicates: str) -> str | None:
        """The first literal of the first of these predicates that has one."""
        return next((one for name in predicates for one in self.literals(thing, name)), None)

    def words(self, thing: str) -> str | None:
        """The thing's own text."""
        return self.literal(thing, *WORDS)

    def integer(self, thing: str, predicate: str) -> int | None:
        """A number as written, also as a plain string; None for anything else."""
        text = (self.literal(thing, predicate) or "").strip()
        digits = text.removeprefix("-")
        return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None

    def instant(self, thing: str, predicate: str) -> str | None:
        """An instant as written, if it is one."""
        return next((one for one in self.literals(thing, predicate) if _is_instant(one)), None)

    def parent(self, thing: str) -> str | None:
        """What a thing was derived from or is contained in."""
        derived = self.iris(thing, DERIVED)
        return derived[0] if derived else self._contained_in.get(thing)

    def top(self, thing: str) -> str:
        """The document, else the end of the chain of parents; of a circle, the least of its things."""
        seen = [thing]
        for _ in range(_DEEPEST):
            parent = self.parent(seen[-1])
            if parent is None or f"{TG}Document" in self.iris(seen[-1], TYPE):
                return seen[-1]
            if parent in seen:
                return min(seen[seen.index(parent) :])
            seen.append(parent)
        return seen[-1]

    def before(self, thing: str, predicates: Collection[str]) -> Iterator[str]:
        """What a thing follows from by these predicates, the nearest first; each once."""
        seen, frontier = {thing}, [thing]
        while frontier:
            frontier = [
                one
                for later in frontier
                for predicate in predicates
                for one in self.iris(later, predicate)
                if one not in seen
            ]
            frontier = list(dict.fromkeys(frontier))
            seen.update(frontier)
            yield from frontier

    def quoted(self, term: Term) -> Quoted | None:
        """The triple that a term stands for; None for any other term."""
        parts = [self.terms(str(term), predicate) for predicate in STATEMENT]
        if isinstance(term, rdflib.Literal) or not all(len(one) == 1 for one in parts):
            return None
        return Quoted(*(one[0] for one in parts))

    def rest(self, thing: str, told: Collection[str]) -> dict[str, JsonValue]:
        """What is said beside the predicates that fields tell, by compact name; lists where several."""
        found: dict[str, JsonValue] = {}
        for predicate, terms in sorted(self._said.get(thing, {}).items()):
            if predicate in told or predicate in UNKEPT:
                continue
            values = [str(one) for one in terms if not isinstance(one, rdflib.BNode)]
            if values:
                found[compact(predicate)] = values[0] if len(values) == 1 else values
        return found


def beginning_of(iri: str) -> str:
    """What the beginning of an IRI tells of it; empty where it tells nothing."""
    return next((sort for start, sort in BEGINNINGS.items() if iri.startswith(start)), "")


def _triples(graph: rdflib.Graph) -> Iterator[tuple[Term, Term, Term]]:
    quads: Iterable[tuple[object, ...]]
    quads = graph.quads() if isinstance(graph, rdflib.Dataset) else graph
    for subject, predicate, thing, *_ in quads:
        if isinstance(subject, (rdflib.URIRef, rdflib.BNode)) and isinstance(
            thing, (rdflib.URIRef, rdflib.BNode, rdflib.Literal)
        ):
            yield _named(subject), rdflib.URIRef(str(predicate)), _named(thing)


def _named(term: Term) -> Term:
    """A blank node by a name that no IRI has."""
    return rdflib.BNode(f"_:{term}") if isinstance(term, rdflib.BNode) else term


def _order(triple: tuple[Term, Term, Term]) -> tuple[str, ...]:
    return tuple(part for term in triple for part in (written(term), ""))


def _is_instant(text: str) -> bool:
    try:
        read_instant(text)
    except ValueError:
        return False
    return True
