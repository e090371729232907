"""How what a trace holds is named in records: keys of spans, collections of chunks, pseudonyms."""

import hashlib

from lineage.formats.openinference_documents import FoundDocument
from lineage.formats.openinference_spans import said, shortened
from lineage.formats.otlp import Span
from lineage.formats.otlp_rag import collection_of, snapshot_of
from lineage.types import JsonValue


class Naming:
    """Names chunks and snapshots; `namespace` is theirs where a trace does not say its collection."""

    def __init__(self, namespace: str | None) -> None:
        self._namespace = namespace
        self._collections: dict[str, str | None] = {}

    def collection(self, span: Span | None) -> str | None:
        """Where the chunks of a span live: stated, else of its data source, else the caller's."""
        if span is None:
            return self._namespace
        # Asked for each of the documents that a span found.
        if span.key not in self._collections:
            self._collections[span.key] = self._collection(span)
        return self._collections[span.key]

    def _collection(self, span: Span) -> str | None:
        return collection_said(span) or self._namespace

    def snapshot(self, span: Span) -> JsonValue:
        """A reference to the index snapshot that a span asked; None where it names none."""
        name = snapshot_of(span) or _data_source(span)
        name = (
            name or said(span.attributes, "index.snapshot") or said(span.resource, "index.snapshot")
        )
        return {"key": shortened(name), "namespace": self.collection(span)} if name else None

    def chunk(self, document: FoundDocument, span: Span | None) -> dict[str, JsonValue]:
        """A reference to the document's chunk, in the collection of the span that found it."""
        collection = document.collection or self.collection(span)
        ref: dict[str, JsonValue] = {"key": document.key, "namespace": collection}
        return ref | ({"digest": document.digest} if document.digest else {})


def collection_said(span: Span) -> str | None:
    """In which collection the span itself says that its chunks live."""
    stated = collection_of(span)
    if stated is not None:
        return stated
    source = _data_source(span)
    return (source.partition("@")[0] or None) if source else None


def pseudonym(word: str, value: str | None) -> str | None:
    """A name for a person or session that is the same in every trace and is not theirs."""
    if value is None:
        return None
    digest = hashlib.sha256(f"{word}:{value}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{word}-{digest[:16]}"


def _data_source(span: Span) -> str | None:
    name = said(span.attributes, "gen_ai.data_source.id")
    return shortened(name) if name else None
