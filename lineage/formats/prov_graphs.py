"""RDF documents to graphs: bounded, and never with the network. Pure.

rdflib reads the documents; what keeps them within bounds is here.
"""

import hashlib
import json
import logging
import urllib.parse
import warnings
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import rdflib
from rdflib.plugins.stores.memory import Memory

from lineage.formats.body import Repeated, as_json
from lineage.formats.refusals import BodyRefused
from lineage.formats.storable import member
from lineage.formats.trustgraph_quoted import without_quotes
from lineage.types import JsonValue

RDF_BYTES: Final = 8 << 20
TRIPLES: Final = 100_000
_DEPTH: Final = 64
# Members of JSON-LD that hide all that is said with them where they hold a space.
_WITHOUT_SPACES: Final = {"@id": "An IRI", "@language": "A language tag"}

PARSERS: Final = {
    "text/turtle": "turtle",
    "application/x-turtle": "turtle",
    "application/trig": "trig",
    "application/n-triples": "nt",
    "application/n-quads": "nquads",
    "application/ld+json": "json-ld",
}
# Where PROV-JSONLD's own context is published; the copy that comes with the library is used.
_PUBLISHED: Final = (
    "https://openprovenance.org/prov-jsonld/context.jsonld",
    "https://openprovenance.org/prov-jsonld/context.json",
    "http://openprovenance.org/prov-jsonld/context.jsonld",
)

# Archive and Package URIs, in which relative addresses become those of their document alone. rdflib
# joins addresses as `urllib` does, which must know that this scheme has relative ones.
_BASE_SCHEME: Final = "arcp"
for _schemes in (urllib.parse.uses_relative, urllib.parse.uses_netloc):
    if _BASE_SCHEME not in _schemes:
        _schemes.append(_BASE_SCHEME)

# Literals are kept as they are written: "01" is not rewritten to "1", nor read at all.
rdflib.NORMALIZE_LITERALS = False
# Its warnings quote the values of documents, and no text of a client goes into a log.
logging.getLogger("rdflib").setLevel(logging.CRITICAL)


class _TooMany(Exception):
    """The document says more than a request may."""


class _Bounded(Memory):
    """A store that ends the reading of a document without end."""

    left = TRIPLES

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:  # noqa: FBT001, FBT002
        self.left -= 1
        if self.left < 0:
            raise _TooMany
        super().add(triple, context, quoted=quoted)


def parse_graph(body: bytes, media_type: str) -> rdflib.Dataset:
    """The triples of Turtle, TriG, N-Triples, N-Quads or JSON-LD, at most 100,000 of them.

    Contexts of JSON-LD are not fetched: one that is named and not known here refuses the
    document. Relative addresses are taken as relative to the document's own digest
    (`arcp://ni,sha-256;DIGEST/`). Raises BodyRefused.
    """
    parser = PARSERS.get(media_type.partition(";")[0].strip().lower())
    if parser is None:
        raise BodyRefused("media-type-unsupported", f"One of {', '.join(PARSERS)}.")
    if len(body) > RDF_BYTES:
        raise BodyRefused("body-too-large", "At most 8 MiB of RDF at once.")
    dataset = rdflib.Dataset(store=_Bounded(), default_union=False)
    digest = urlsafe_b64encode(hashlib.sha256(body).digest()).decode("ascii").rstrip("=")
    base = f"{_BASE_SCHEME}://ni,sha-256;{digest}/"
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BodyRefused("body-unreadable", f"Byte {error.start} is not UTF-8.") from error
    if parser == "json-ld":
        text = json.dumps(_with_contexts(as_json(body)))
    elif parser in ("turtle", "trig"):
        text = without_quotes(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset.parse(data=text, format=parser, publicID=base)
    except _TooMany as error:
        raise BodyRefused("body-too-large", f"At most {TRIPLES:,} triples at once.") from error
    except RecursionError as error:
        raise BodyRefused("body-unreadable", "Nested too deeply to be read.") from error
    except Exception as error:
        # The parsers raise whatever their faults are, and quote what stood there.
        raise BodyRefused("body-unreadable", f"Not {parser}: {_where(error)}.") from error
    return dataset


def _where(error: Exception) -> str:
    """Where reading stopped, if the parser tells, without what stood there."""
    line = getattr(error, "lines", None)
    if isinstance(line, int):
        return f"unreadable at line {line + 1}"
    return f"unreadable ({type(error).__name__})"


def _with_contexts(document: JsonValue) -> JsonValue:
    """The document with the contexts it names put in their place; raises BodyRefused for others."""
    if not isinstance(document, (dict, list)):
        raise BodyRefused("body-unreadable", "A JSON-LD document is an object or a list.")
    for holder, pointer in _objects(document):
        _check_nothing_is_left_out(holder, pointer)
        if "@import" in holder:
            raise BodyRefused("body-unreadable", "Contexts are not fetched.", f"{pointer}/@import")
        if "@context" in holder:
            holder["@context"] = _context(holder["@context"], f"{pointer}/@context")
    return document


def _check_nothing_is_left_out(holder: Mapping[str, JsonValue], pointer: str) -> None:
    """Refuse what the reader of JSON-LD would pass over without a word."""
    if isinstance(holder, Repeated):
        detail = f"{holder.name[:80]!r} stands twice in one object."
        raise BodyRefused("body-unreadable", detail, pointer)
    for name, what in _WITHOUT_SPACES.items():
        value = holder.get(name)
        if isinstance(value, str) and " " in value:
            raise BodyRefused("body-unreadable", f"{what} has no space.", f"{pointer}/{name}")


def _context(value: JsonValue, pointer: str) -> JsonValue:
    if isinstance(value, str):
        if value not in _PUBLISHED:
            raise BodyRefused(
                "body-unreadable",
                f"Contexts are not fetched, and {value[:120]!r} is not known here: write it out.",
                pointer,
            )
        return _prov_context()
    if isinstance(value, list):
        return [_context(one, f"{pointer}/{place}") for place, one in enumerate(value)]
    return value


@cache
def _prov_context() -> dict[str, JsonValue]:
    text = files("prov.serializers").joinpath("prov-jsonld-context.jsonld").read_text("utf-8")
    context: dict[str, JsonValue] = json.loads(text)["@context"]
    return context


def _objects(document: JsonValue) -> Iterator[tuple[dict[str, JsonValue], str]]:
    """Every object in the document, contexts within contexts too."""
    pending: list[tuple[JsonValue, str, int]] = [(document, "", 1)]
    while pending:
        value, pointer, depth = pending.pop()
        if depth > _DEPTH:
            raise BodyRefused("body-unreadable", "Nested too deeply to be read.", pointer)
        if isinstance(value, dict):
            items = [(item, member(pointer, name)) for name, item in value.items()]
            yield value, pointer
        else:
            items = [(item, f"{pointer}/{place}") for place, item in enumerate(value)]
        pending += [(item, at, depth + 1) for item, at in items if isinstance(item, (dict, list))]
