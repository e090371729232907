"""Documents, pages, sections, images, chunks and facts of TrustGraph as native records.

TrustGraph counts a chunk's characters in the text of its immediate parent, a page or the
document. Here they are counted in the document: where the place of the page in it is
known, they are moved there; where it is not, they stay an attribute and no interval is
claimed. Offsets are not believed either way: ingestion verifies every interval.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import rdflib

from lineage.formats.rdf_terms import written
from lineage.formats.times import is_printed_date, read_instant
from lineage.formats.trustgraph_doers import KIND_OF
from lineage.formats.trustgraph_graph import Described, Quoted
from lineage.formats.trustgraph_terms import (
    CONTAINS,
    DC,
    DERIVED,
    GENERATED,
    LABEL,
    PARTS,
    RDF,
    STARTED,
    TG,
    TYPE,
    WORDS,
)
from lineage.formats.writing import record
from lineage.identifiers import text_digest
from lineage.types import JsonValue

_WEB: Final = re.compile(r"https?://\S+")
_STRUCTURE: Final = frozenset({TYPE, DERIVED, GENERATED, *CONTAINS, *WORDS})
_OF_DOCUMENT: Final = _STRUCTURE | {
    f"{DC}{name}" for name in ("title", "creator", "publisher", "date", "language", "rights")
} | {f"{TG}mimeType"}  # fmt: skip
# A key that is longer is refused; a namespace, too.
_LONGEST: Final = 2_000


@dataclass(slots=True)
class _Places:
    """A document's text, and where its pages stand in it, by IRI."""

    text: str | None
    joined: bool = False
    starts: dict[str, tuple[int, int]] = field(default_factory=dict)


class Extraction:
    """Reads what was extracted from documents."""

    def __init__(self, described: Described) -> None:
        self._described = described

    def records(self) -> Iterator[JsonValue]:
        """Sources, versions and documents, parts, chunks, then facts."""
        for thing in self._described.things("document"):
            if self._described.is_described(thing):
                yield from self._document(thing)
        for thing in self._described.things(*PARTS):
            yield self._part(thing)
        for thing in self._described.things("chunk"):
            yield self._chunk(thing)
        for (fact, place), record_ in sorted(self._facts.items()):
            yield record_ | {"key": fact, "namespace": place}

    def references_to(self, triple: Quoted) -> list[JsonValue]:
        """The facts of a triple: of each chunk it was extracted from; of any, if no chunk is told."""
        key = fact_key(triple)
        told: list[str | None] = [*self._chunks_of_fact.get(key, ())]
        return [{"key": key, "namespace": place} for place in told or [None]]

    @cached_property
    def _chunks_of_fact(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for fact, place in sorted(self._facts):
            found.setdefault(fact, []).append(place)
        return found

    def _document(self, thing: str) -> Iterator[JsonValue]:
        said = self._described
        title = said.literal(thing, f"{DC}title", LABEL)
        source = next(
            (str(one) for one in said.terms(thing, f"{DC}source") if _WEB.fullmatch(str(one))), None
        )
        creators = [{"name": name} for name in said.literals(thing, f"{DC}creator") if name]
        publisher = said.literal(thing, f"{DC}publisher")
        yield record(
            "source",
            thing,
            title=title or thing,
            uri=source or (thing if _WEB.fullmatch(thing) else None),
            creators=creators or None,
            publisher={"name": publisher} if publisher else None,
            language=said.literal(thing, f"{DC}language"),
        )
        published = said.literal(thing, f"{DC}date")
        yield record(
            "source_version",
            thing,
            source=thing,
            published_at=published if published and _is_date(published) else None,
            rights=said.literal(thing, f"{DC}rights"),
            media_type=said.literal(thing, f"{TG}mimeType"),
        )
        places = self._places(thing)
        attributes = said.rest(thing, _OF_DOCUMENT)
        if published and not _is_date(published):
            attributes["dc:date"] = published
        yield record(
            "document",
            thing,
            source_version=thing,
            text=places.text,
            language=said.literal(thing, f"{DC}language"),
            normalization={"joined": "pages"} if places.joined else None,
            **self._made(thing),
            attributes=attributes or None,
        )

    def _part(self, thing: str) -> JsonValue:
        said = self._described
        document, sort = said.top(thing), said.sort(thing)
        number = said.integer(thing, f"{TG}pageNumber")
        place = self._places(document).starts.get(thing)
        parent = said.parent(thing)
        return record(
            "part",
            thing,
            document=document,
            parent=parent if parent and said.sort(parent) in PARTS else None,
            part_kind=sort,
            page_index=number - 1 if number is not None and number > 0 else None,
            heading=said.literal(thing, LABEL) if sort == "section" else None,
            interval=_interval(*place) if place else None,
            **self._made(thing),
            attributes=said.rest(thing, _STRUCTURE) or None,
        )

    def _chunk(self, thing: str) -> JsonValue:
        said = self._described
        document, parent = said.top(thing), said.parent(thing)
        parent_kind = KIND_OF.get(said.sort(parent)) if parent else None
        number = said.integer(thing, f"{TG}chunkIndex")
        return record(
            "chunk",
            thing,
            document=document,
            parent={"kind": parent_kind, "key": parent}
            if parent_kind in ("part", "chunk")
            else None,
            interval=self._interval(thing, document, parent),
            text=said.words(thing),
            index=number - 1 if number is not None and number > 0 else None,
            **self._made(thing),
            attributes=said.rest(thing, _STRUCTURE) or None,
        )

    def _interval(self, thing: str, document: str, parent: str | None) -> JsonValue:
        """The chunk's characters in the document; None where the place of its page is unknown."""
        start = self._described.integer(thing, f"{TG}charOffset")
        length = self._described.integer(thing, f"{TG}charLength")
        if start is None or length is None:
            return None
        if parent == document:
            return _interval(start, start + length)
        place = self._places(document).starts.get(parent or "")
        return _interval(place[0] + start, place[0] + start + length) if place else None

    def _made(self, thing: str) -> dict[str, JsonValue]:
        """The run that made a thing, and when it began."""
        made_by = self._described.iris(thing, GENERATED)
        if not made_by:
            return {}
        at = self._described.instant(made_by[0], STARTED)
        return {"run": {"key": made_by[0], "namespace": ""}} | ({"occurred_at": at} if at else {})

    @cached_property
    def _known_places(self) -> dict[str, _Places]:
        return {}

    def _places(self, document: str) -> _Places:
        if document not in self._known_places:
            self._known_places[document] = self._find_places(document)
        return self._known_places[document]

    @cached_property
    def _parts(self) -> Mapping[str, list[str]]:
        """The pages, sections and images of each document, those of other parts aside."""
        found: dict[str, list[str]] = {}
        for one in self._described.things(*PARTS):
            if (parent := self._described.parent(one)) is not None:
                found.setdefault(parent, []).append(one)
        return found

    def _find_places(self, document: str) -> _Places:
        """Of a document that has no text of its own, the texts of its pages make one, a line feed between."""
        said = self._described
        text = said.words(document)
        parts = self._parts.get(document, [])
        pages = [one for one in parts if said.sort(one) == "page"]
        words = {one: said.words(one) for one in parts}
        places = _Places(text)
        if text is not None:
            for one, found in words.items():
                if found and text.count(found) == 1:
                    start = text.index(found)
                    places.starts[one] = (start, start + len(found))
        elif pages and all(words[one] is not None for one in pages):
            pages.sort(key=lambda one: (said.integer(one, f"{TG}pageNumber") or 0, one))
            joined = ""
            for one in pages:
                joined += "\n" if joined else ""
                places.starts[one] = (len(joined), len(joined) + len(words[one] or ""))
                joined += words[one] or ""
            places.text, places.joined = joined, True
        return places

    @cached_property
    def _facts(self) -> Mapping[tuple[str, str], dict[str, JsonValue]]:
        """The record of each fact by key and namespace: a triple, and the chunk it was extracted from."""
        said = self._described
        found: dict[tuple[str, str], dict[str, JsonValue]] = {}
        for subgraph in said.things("subgraph"):
            triples = [
                triple
                for name in CONTAINS
                for term in said.terms(subgraph, name)
                if (triple := said.quoted(term)) is not None
            ]
            chunks = said.iris(subgraph, DERIVED) or said.iris(subgraph, f"{TG}subjectOf")
            for triple in triples:
                for chunk in chunks or [subgraph]:
                    place = chunk if len(chunk) <= _LONGEST else text_digest(chunk)
                    found.setdefault((fact_key(triple), place), self._fact(subgraph, triple, chunk))
        return found

    def _fact(self, subgraph: str, triple: Quoted, chunk: str) -> dict[str, JsonValue]:
        attributes = self._described.rest(subgraph, _STRUCTURE | {f"{TG}subjectOf"})
        attributes["tg:subgraph"] = subgraph
        if isinstance(triple.object, rdflib.Literal):
            attributes["object"] = _kind_of_literal(triple.object)
        made: dict[str, JsonValue] = record(
            "fact",
            "",
            subject_of={"key": chunk, "namespace": ""},
            subject=str(triple.subject),
            predicate=str(triple.predicate),
            object=str(triple.object),
            **self._made(subgraph),
            attributes=attributes,
        )
        return made


def fact_key(triple: Quoted) -> str:
    """The key of a triple, the same wherever it was extracted; its namespace is the chunk."""
    terms = " ".join(written(term) for term in triple)
    return f"urn:trustgraph:triple:{text_digest(terms).removeprefix('sha256:')}"


def _kind_of_literal(literal: rdflib.Literal) -> JsonValue:
    """What tells a literal from an IRI: its datatype, or its language."""
    if literal.language:
        return {"literal": str(literal.language)}
    return {"literal": str(literal.datatype or f"{RDF}PlainLiteral")}


def _interval(start: int, end: int) -> JsonValue:
    return {"start": start, "end": end}


def _is_date(text: str) -> bool:
    if is_printed_date(text):
        return True
    try:
        read_instant(text)
    except ValueError:
        return False
    return True
