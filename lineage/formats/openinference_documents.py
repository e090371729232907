"""The documents of retrievers and rerankers, as OpenInference flattens them: which chunk each is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from lineage.formats.groups import SCORE_KINDS
from lineage.formats.openinference_spans import REDACTED, parsed, said, shortened
from lineage.formats.otlp import indexed
from lineage.identifiers import text_digest
from lineage.types import JsonValue

Identity: TypeAlias = tuple[str | None, str]
"""Collection and key of a chunk; no collection is that of whoever does not say one."""

# Where metadata says what a chunk was cut from.
_SOURCES: Final = ("source", "source_id", "file_path", "file_name", "url")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document of a retriever or reranker.

    `index` is its place as flattened (from 0), `key` the client's key of the chunk, `digest`
    that of its text where it is stated or the metadata confirms it, else empty. `named` is the
    key as the client sent it, empty where it sent none; `source` what the chunk was cut from,
    where the metadata says it. `again` are later places of the list at which the same stands.
    The rest is what the document itself states.
    """

    index: int
    key: str
    digest: str
    content: str | None
    score: float | None
    collection: str | None = None
    kept: bool | None = None
    drop_reason: str | None = None
    score_kind: str | None = None
    named: str = ""
    source: str | None = None
    again: tuple[int, ...] = ()

    @property
    def identity(self) -> Identity:
        """What tells the chunk apart from all others of the trace."""
        return self.collection, self.key


def documents_of(
    attributes: Mapping[str, JsonValue], prefix: str, collection: str | None = None
) -> list[FoundDocument]:
    """The documents under a prefix in numeric order, in the `collection` unless they state one.

    A chunk's key is document.id, else chunk_id, source_id-start-end or id of its metadata, else
    the digest of the content. A document without any of these cannot be named and is left out.
    """
    found: list[FoundDocument] = []
    for index, fields in indexed(attributes, prefix):
        content = said(fields, "document.content")
        metadata = parsed(said(fields, "document.metadata"))
        if not isinstance(metadata, dict):
            opening = "document.metadata."
            metadata = {k[len(opening) :]: v for k, v in fields.items() if k.startswith(opening)}
        named = _chunk_key(fields.get("document.id"), metadata)
        key = named or (text_digest(content) if content is not None else None)
        if key is None:
            continue
        score = fields.get("document.score")
        found.append(
            FoundDocument(
                index=index,
                key=key,
                digest=_stated_digest(fields) or _confirmed_digest(content, metadata),
                content=content,
                score=score
                if isinstance(score, int | float) and not isinstance(score, bool)
                else None,
                collection=said(fields, "document.collection") or collection,
                kept=kept if isinstance(kept := fields.get("document.kept"), bool) else None,
                drop_reason=said(fields, "document.drop_reason"),
                score_kind=kind
                if (kind := said(fields, "document.score_kind")) in SCORE_KINDS
                else None,
                named=named or "",
                source=next(filter(None, (_key(metadata.get(name)) for name in _SOURCES)), None),
            )
        )
    return found


def _stated_digest(fields: Mapping[str, JsonValue]) -> str:
    digest = (said(fields, "document.digest") or "").lower()
    return digest if _DIGEST.fullmatch(digest) else ""


def _confirmed_digest(content: str | None, metadata: Mapping[str, JsonValue]) -> str:
    """The digest that the metadata states, where it is that of the content.

    It may be that of the whole file: only the text itself can tell.
    """
    if content is None or "sha256" not in metadata:
        return ""
    digest = text_digest(content)
    return digest if digest == f"sha256:{metadata['sha256']}".lower() else ""


def _chunk_key(document_id: JsonValue, metadata: Mapping[str, JsonValue]) -> str | None:
    key = _key(document_id) or _key(metadata.get("chunk_id"))
    if key is None:
        source, start, end = (_key(metadata.get(name)) for name in ("source_id", "start", "end"))
        key = f"{source}-{start}-{end}" if source and start and end else _key(metadata.get("id"))
    return shortened(key) if key else None


def _key(value: JsonValue) -> str | None:
    if isinstance(value, str) and value and value != REDACTED:
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
