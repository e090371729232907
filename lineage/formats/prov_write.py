"""Statements to PROV-JSON, Turtle and JSON-LD, written by the libraries `prov` and `rdflib`. Pure."""

import json
import logging
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

import rdflib
from prov.constants import PROV_RECORD_IDS_MAP
from prov.identifier import Namespace, QualifiedName
from prov.model import Literal, parse_xsd_datetime
from prov.model import ProvBundle as LibraryBundle
from prov.model import ProvDocument as LibraryDocument
from prov.serializers.provrdf import ProvRDFSerializer
from rdflib.plugins.serializers.jsonld import Converter
from rdflib.plugins.shared.jsonld.context import Context
from rdflib.term import URIRef

from lineage.formats.prov_statements import (
    NAME,
    NO_THINGS,
    PROV,
    RDFS,
    SHORT,
    TIMES,
    XSD,
    ProvDocument,
    Statement,
    expand,
    split,
)
from lineage.formats.times import read_instant, written
from lineage.types import JsonValue

# Format of an export → its media type, with and without bundles (which plain Turtle cannot say).
MEDIA_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "json": ("application/json", "application/json"),
    "turtle": ("text/turtle", "application/trig"),
    "jsonld": ("application/ld+json", "application/ld+json"),
}
# Prefixes that every document in RDF needs.
_CONTEXT: Final = {"prov": PROV, "rdfs": RDFS, "xsd": XSD}
_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
# What no IRI may hold; Turtle and N-Quads have no way to write it.
_NO_IRI: Final = re.compile(r'[\x00-\x20<>"{}|\\^`]')
# Language tags that RDF can write (BCP 47).
_TAG: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_RESERVED: Final = frozenset({"default", "prov", "xsd", "xsi", "_"})

# Its warnings quote the values of documents, and no text of a client goes into a log.
logging.getLogger("prov").setLevel(logging.CRITICAL)


def write(document: ProvDocument, form: str) -> tuple[bytes, str]:
    """The document in a format of MEDIA_TYPES, with its media type."""
    bundles = any(isinstance(one, Statement) and one.bundle for one in document.statements)
    media_type = MEDIA_TYPES[form][bundles]
    if form == "json":
        with _quiet():
            text = as_library(document).serialize(format="json")
        return str(text).encode(), media_type
    with _quiet():
        library = as_library(document, rdf=True)
        dataset = _dataset(library)
        if form == "turtle":
            graph = dataset if bundles else dataset.default_graph
            text = graph.serialize(format="trig" if bundles else "turtle")
        else:
            text = _json_ld(dataset, {} if _has_empty_among_others(dataset) else _context(library))
    return text.encode(), media_type


class _InFull(rdflib.Literal):
    """A literal that Turtle writes with its type: bare, `1` would be no boolean any more."""

    def _literal_n3(
        self, use_plain: bool = False, qname_callback: Callable[[URIRef], str | None] | None = None  # noqa: FBT001, FBT002
    ) -> str:  # fmt: skip
        return super()._literal_n3(use_plain=False, qname_callback=qname_callback)


class _Exact(Converter):
    """Writes every typed literal as it stands: as JSON's own, "1.0" and NaN would be lost."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, use_native_types=False, use_rdf_type=False)
        self.use_native_types = False


def _json_ld(dataset: rdflib.Dataset, prefixes: Mapping[str, str]) -> str:
    converted = _Exact(Context(dict(prefixes))).convert(dataset)
    document = converted if isinstance(converted, dict) else {"@graph": converted}
    return json.dumps({"@context": dict(prefixes), **document}, ensure_ascii=False, indent=1)


def _context(library: LibraryDocument) -> dict[str, str]:
    """The prefixes that the document uses."""
    spaces = [*library.namespaces, *(one for b in library.bundles for one in b.namespaces)]
    return {**_CONTEXT, **{space.prefix: space.uri for space in spaces}}


def _has_empty_among_others(dataset: rdflib.Dataset) -> bool:
    """Whether something has an empty text beside other values: with a context, rdflib loses it."""
    return any(
        isinstance(thing, rdflib.Literal)
        and not str(thing)
        and sum(1 for _ in dataset.quads((subject, predicate, None, None))) > 1
        for subject, predicate, thing, _ in dataset.quads()
    )


def as_dataset(document: ProvDocument) -> rdflib.Dataset:
    """The document as PROV-O; only the prefixes that it uses are bound."""
    with _quiet():
        return _dataset(as_library(document, rdf=True))


def _dataset(library: LibraryDocument) -> rdflib.Dataset:
    """The library's triples, with types that are texts as attributes: no class is a literal."""
    dataset = ProvRDFSerializer(library).encode_document(library)
    assert isinstance(dataset, rdflib.Dataset)
    for graph in list(dataset.graphs()):
        for subject, predicate, thing in list(graph):
            if isinstance(thing, rdflib.Literal):
                literal = predicate != rdflib.RDF.type
                graph.remove((subject, predicate, thing))
                name = predicate if literal else rdflib.URIRef(f"{PROV}type")
                graph.add((subject, name, _InFull(thing)))
    return dataset


def as_library(document: ProvDocument, *, rdf: bool = False) -> LibraryDocument:
    """The document in the model of the library `prov`; `rdf` escapes what no IRI may hold."""
    library = LibraryDocument()
    names = _Names(library, document.prefixes, rdf=rdf)
    bundles: dict[str, LibraryBundle] = {"": library}
    # In RDF a relation's identifier is a node: of two relations it would make one.
    shared = Counter(
        one.id for one in document.statements if isinstance(one, Statement) and not one.is_element
    )
    with _quiet():
        for one in document.statements:
            if not isinstance(one, Statement):
                continue
            if one.bundle not in bundles:
                bundles[one.bundle] = library.bundle(names.of(one.bundle))
            named = one.is_element or (one.id and not (rdf and shared[one.id] > 1))
            identifier = names.of(one.id) if named else None
            bundles[one.bundle].new_record(
                PROV_RECORD_IDS_MAP[one.relation], identifier, list(_attributes(one, names))
            )
    return library


class _Names:
    """IRIs as qualified names; their prefixes are those of the document, as far as it has any."""

    def __init__(self, library: LibraryDocument, prefixes: Mapping[str, str], *, rdf: bool) -> None:
        self._library, self.rdf = library, rdf
        self._spaces: dict[str, Namespace] = {
            iri: Namespace(prefix, iri) for prefix, iri in SHORT.items() if prefix in _RESERVED
        }
        self._hints = {
            iri: prefix
            for prefix, iri in {**SHORT, **dict(prefixes)}.items()
            if iri and _PREFIX.fullmatch(prefix) and prefix not in _RESERVED
        }
        self._by_length = sorted(self._hints, key=len, reverse=True)

    def of(self, iri: str) -> QualifiedName:
        if iri.startswith("_:"):
            iri = f"urn:blank:{iri[2:]}"
        if self.rdf:
            iri = _NO_IRI.sub(lambda match: quote(match.group()), iri)
        space, local = split(iri)
        hinted = next((one for one in self._by_length if iri.startswith(one) and iri != one), None)
        if hinted is not None and not any(iri.startswith(one) for one in (PROV, XSD)):
            space, local = hinted, iri[len(hinted) :]
        return QualifiedName(self._space(space or iri), local if space else "")

    def _space(self, iri: str) -> Namespace:
        found = self._spaces.get(iri)
        if found is None:
            prefix = self._hints.get(iri, f"ns{len(self._spaces)}")
            found = self._spaces[iri] = self._library.add_namespace(prefix, iri)
        return found


def _attributes(statement: Statement, names: _Names) -> Iterator[tuple[QualifiedName, object]]:
    for argument, value in statement.arguments.items():
        if argument in TIMES:
            yield names.of(PROV + argument), _time(value)
        elif argument not in NO_THINGS or not value.startswith("_:"):
            yield names.of(PROV + argument), names.of(value)
    for name, values in statement.attributes.items():
        for value in values:
            yield names.of(name), _value(value, names)


def _time(text: str) -> str:
    """A time as the library reads it: as it stands, else as this product writes it."""
    with _quiet():
        read = parse_xsd_datetime(text)
    return text if read is not None else written(read_instant(text).at)


def _value(value: JsonValue, names: _Names) -> object:
    if not isinstance(value, dict):
        return value
    text = str(value["$"])
    if "lang" in value:
        language = str(value["lang"])
        return (
            Literal(text, langtag=language) if not names.rdf or _TAG.fullmatch(language) else text
        )
    datatype = value.get("type", "")
    if datatype == NAME:
        return names.of(text)
    return Literal(text, names.of(expand(datatype))) if datatype else text


@contextmanager
def _quiet() -> Iterator[None]:
    """What a later version of the library will refuse is said already, or cannot be helped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def document_of(statements: Iterable[Statement], prefixes: Mapping[str, str]) -> ProvDocument:
    """A document of these statements, each once."""
    found: dict[str, Statement] = {}
    for one in statements:
        said = json.dumps(
            [one.relation, one.id, dict(one.arguments), dict(one.attributes), one.bundle],
            sort_keys=True,
        )
        found.setdefault(said, one)
    return ProvDocument(tuple(found.values()), prefixes)
