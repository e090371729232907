"""Our own `rag.*` attributes, for what no convention has: collections, reranking, what was read, claims.

They are documented in docs/guide/opentelemetry.md. Each list may be sent structured, as JSON in a
string, or flattened (`rag.claims.0.text`). What they say wins over what other names say.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.formats.genai import documents
from lineage.formats.genai_messages import structure
from lineage.formats.openinference_spans import shortened
from lineage.formats.otlp import Span
from lineage.types import JsonValue

_KINDS: Final = {
    "retrieval": "RETRIEVER", "rerank": "RERANKER", "prompt": "PROMPT", "generate": "LLM",
    "embed": "EMBEDDING", "chunk": "CHAIN", "evaluate": "EVALUATOR",
}  # fmt: skip
_KIND_STATED: Final = ("openinference.span.kind", "gen_ai.operation.name")
_KIND_OF_PREFIX: Final = {"rag.retrieval.documents": "RETRIEVER", "rag.rerank.": "RERANKER"}
_SAME: Final = {
    "rag.rerank.query": "reranker.query",
    "rag.rerank.model": "reranker.model_name",
    "rag.rerank.top_k": "reranker.top_k",
    "rag.retrieval.query": "input.value",
    "rag.prompt.name": "prompt.id",
    "rag.prompt.version": "llm.prompt_template.version",
    "rag.prompt.template": "llm.prompt_template.template",
}
_LISTS: Final = {
    "rag.retrieval.documents": "retrieval.documents",
    "rag.rerank.input_documents": "reranker.input_documents",
    "rag.rerank.output_documents": "reranker.output_documents",
}
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class StatedItem:
    """A passage that the model read, as stated; `start` and `end` are code points of the chunk."""

    key: str
    digest: str
    collection: str | None
    position: int
    start: int | None
    end: int | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class StatedCitation:
    """A citation as stated: by the chunk's key, or by position in the context."""

    marker: str
    key: str | None
    digest: str
    collection: str | None
    position: int | None
    quote: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim as stated: by its words, or by its interval in the answer (code points)."""

    text: str | None
    start: int | None
    end: int | None
    citations: tuple[StatedCitation, ...]


def rag_told(span: Span) -> dict[str, JsonValue]:
    """What the span's `rag.*` attributes say, as OpenInference attributes where those have a word."""
    whole = span.whole
    told: dict[str, JsonValue] = {}
    if not any(key.startswith("rag.") for key in whole):
        return told
    operation = whole.get("rag.operation")
    if isinstance(operation, str) and operation.lower() in _KINDS:
        told["openinference.span.kind"] = _KINDS[operation.lower()]
    elif not any(key in whole for key in _KIND_STATED):
        for prefix, kind in _KIND_OF_PREFIX.items():
            if any(key.startswith(prefix) for key in whole):
                told["openinference.span.kind"] = kind
    for ours, theirs in _SAME.items():
        if ours in whole:
            told[theirs] = whole[ours]
    for ours, theirs in _LISTS.items():
        told |= documents(theirs, structure(whole, ours))
    return told


def collection_of(span: Span) -> str | None:
    """The collection in which the chunks of the span live: `rag.collection` of span or resource."""
    name = _word(span.whole.get("rag.collection")) or _word(span.resource.get("rag.collection"))
    return shortened(name) if name else None


def snapshot_of(span: Span) -> str | None:
    """The key of the index snapshot that was asked: `rag.index_snapshot` of span or resource."""
    name = span.whole.get("rag.index_snapshot")
    return _word(name) or _word(span.resource.get("rag.index_snapshot"))


def context_items(span: Span) -> list[StatedItem]:
    """`rag.context.documents`: what the model read, in the order of the prompt."""
    found: list[StatedItem] = []
    listed = structure(span.whole, "rag.context.documents")
    for place, row in enumerate(listed if isinstance(listed, list) else (), start=1):
        key = key_of(row) if isinstance(row, dict) else None
        if key is None:
            continue
        position = number(row.get("position"))
        start, end = number(row.get("start")), number(row.get("end"))
        found.append(
            StatedItem(
                key=key,
                digest=digest_of(row),
                collection=_word(row.get("collection")),
                position=place if position is None else position,
                start=start,
                end=end,
                truncated=row.get("truncated") is True,
            )
        )
    return found


def claims_stated(span: Span) -> list[StatedClaim] | None:
    """`rag.claims`: the answer's claims with their citations; None where none are stated."""
    if not any(key.startswith("rag.claims") for key in span.whole):
        return None
    found: list[StatedClaim] = []
    for row in rows(span, "rag.claims"):
        text, start, end = row.get("text"), number(row.get("start")), number(row.get("end"))
        if not (isinstance(text, str) and text) and (start is None or end is None):
            continue
        cited = structure(row, "citations")
        citations = (_citation(each) for each in (cited if isinstance(cited, list) else ()) if each)
        found.append(
            StatedClaim(
                text=text if isinstance(text, str) and text else None,
                start=start,
                end=end,
                citations=tuple(each for each in citations if each is not None),
            )
        )
    return found


def markers_stated(span: Span) -> dict[str, StatedCitation]:
    """`rag.citations`: what each printed marker of the answer means, by marker."""
    stated = (_citation(row) for row in rows(span, "rag.citations"))
    return {each.marker: each for each in stated if each is not None and each.marker}


def rows(span: Span, key: str) -> list[Mapping[str, JsonValue]]:
    """The objects of a list under a key; anything else in it is passed over."""
    value = structure(span.whole, key)
    return [row for row in (value if isinstance(value, list) else ()) if isinstance(row, dict)]


def chunk_rows(span: Span) -> Iterator[Mapping[str, JsonValue]]:
    """`rag.chunks`: the chunks that the span cut, those that name id and document."""
    for row in rows(span, "rag.chunks"):
        if key_of(row) is not None and _word(row.get("document")) is not None:
            yield row


def key_of(row: Mapping[str, JsonValue]) -> str | None:
    """The chunk's key in a row: its `id`, a string or an integer."""
    value = row.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    key = _word(value)
    return shortened(key) if key else None


def digest_of(row: Mapping[str, JsonValue]) -> str:
    """The row's `digest` if it is one (`sha256:HEX`), else empty."""
    value = row.get("digest")
    digest = value.lower() if isinstance(value, str) else ""
    return digest if _DIGEST.fullmatch(digest) else ""


def number(value: JsonValue) -> int | None:
    """A whole number that is not negative; 3.0 is 3."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < 1 << 31 else None


def _citation(row: JsonValue) -> StatedCitation | None:
    if not isinstance(row, dict):
        return None
    key, position = key_of(row), number(row.get("position"))
    marker, quote, confidence = row.get("marker"), row.get("quote"), row.get("confidence")
    if key is None and position is None:
        return None
    real = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    printed = f"[{key if position is None else position}]"
    return StatedCitation(
        marker=marker if isinstance(marker, str) and marker else printed,
        key=key,
        digest=digest_of(row),
        collection=_word(row.get("collection")),
        position=position,
        quote=quote if isinstance(quote, str) and quote else None,
        confidence=confidence if real else None,
    )


def _word(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
