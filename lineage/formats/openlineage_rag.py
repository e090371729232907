"""Our facets of datasets: documents, parts, chunks, embeddings and index snapshots.

Field by field in schemas/rag/. A chunk's key is its id in the collection's namespace, as
traces name it.
"""

from collections.abc import Mapping
from typing import Final

from lineage.formats.canonical import as_digest
from lineage.formats.implied import component_key
from lineage.formats.openlineage_parts import Element, Occasion, Records
from lineage.formats.writing import stated
from lineage.types import JsonValue

_DOERS: Final = ("embedder", "chunker", "indexer")


def document_record(records: Records, dataset: Element, occasion: Occasion, run: JsonValue) -> None:
    """The text that the dataset is, with its pages and sections.

    Its source is the dataset that the facet names as origin, else the dataset itself.
    """
    facet = dataset.facets.get("rag_document")
    if facet is None:
        return
    pointer = f"{dataset.pointer}/facets/rag_document"
    origin = facet.get("origin", {})
    version = origin.get("datasetVersion")
    digest = as_digest(version) if version else None
    if not origin:
        digest = dataset.version_digest or (occasion.state if run else None)
    source_version = stated(
        key=origin.get("name", dataset.name),
        namespace=origin.get("namespace", dataset.namespace),
        digest=digest,
    )
    common = {"namespace": dataset.namespace, "occurred_at": occasion.at, "run": run}
    document = records.add(
        pointer,
        "document",
        dataset.name,
        source_version=source_version,
        **common,
        **_members(facet, "text", "digest", "language", "normalization", "quality"),
    )
    holder = stated(key=dataset.name, digest=document.content_digest or None)
    for number, part in enumerate(facet.get("parts", ())):
        parent = part.get("parent")
        records.add(
            f"{pointer}/parts/{number}",
            "part",
            _part_key(dataset.name, part["id"]),
            document=holder,
            parent=None if parent is None else _part_key(dataset.name, parent),
            part_kind=part["kind"],
            interval=_interval(part, facet.get("offsetUnit")),
            page_index=part.get("pageIndex"),
            page_label=part.get("pageLabel"),
            heading=part.get("heading"),
            **common,
        )


def passages(records: Records, dataset: Element, occasion: Occasion, run: JsonValue) -> None:
    """The chunks and embeddings that the dataset holds."""
    chunks = dataset.facets.get("rag_chunks", {})
    common = {"occurred_at": occasion.at, "run": run}
    for number, chunk in enumerate(chunks.get("chunks", ())):
        document = chunk.get("document") or chunks.get("document")
        holder = stated(
            key=document["name"] if document else dataset.name,
            namespace=document["namespace"] if document else dataset.namespace,
            digest=document.get("digest") if document else None,
        )
        records.add(
            f"{dataset.pointer}/facets/rag_chunks/chunks/{number}",
            "chunk",
            chunk["id"],
            namespace=_collection(dataset, chunks),
            document=holder,
            parent=_parent(chunk, holder),
            interval=_interval(chunk, chunks.get("offsetUnit")),
            heading_path=chunk.get("headingPath"),
            **common,
            **_members(chunk, "text", "digest", "index"),
        )
    vectors = dataset.facets.get("rag_embeddings", {})
    for number, vector in enumerate(vectors.get("embeddings", ())):
        records.add(
            f"{dataset.pointer}/facets/rag_embeddings/embeddings/{number}",
            "embedding",
            vector.get("id", vector["chunkId"]),
            namespace=_collection(dataset, vectors),
            chunk=vector["chunkId"],
            model=vectors["model"],
            dimensions=vectors.get("dimensions"),
            vector_digest=vector.get("vectorDigest"),
            **common,
        )


def snapshot_fields(records: Records, dataset: Element) -> dict[str, JsonValue]:
    """What an index snapshot holds and who built it.

    Its members are those that `rag_index` lists, else the chunks and embeddings that the
    dataset's own facets describe.
    """
    facet = dataset.facets.get("rag_index", {})
    vectors = dataset.facets.get("rag_embeddings", {})
    chunks = facet.get("chunkIds")
    if chunks is None:
        chunks = [each["id"] for each in dataset.facets.get("rag_chunks", {}).get("chunks", ())]
    embeddings = facet.get("embeddingIds")
    if embeddings is None:
        embeddings = [each.get("id", each["chunkId"]) for each in vectors.get("embeddings", ())]
    fields = stated(
        chunks=_refs(chunks, _collection(dataset, facet)),
        embeddings=_refs(embeddings, _collection(dataset, facet or vectors)),
        retriever_kind=facet.get("retrieverKind"),
        filters=facet.get("filters"),
        built_at=facet.get("builtAt"),
    )
    for name in _DOERS:
        if name in facet:
            pointer = f"{dataset.pointer}/facets/rag_index/{name}"
            fields[name] = _doer(records, name, facet[name], pointer)
    return fields


def _doer(records: Records, kind: str, said: Mapping[str, JsonValue], pointer: str) -> JsonValue:
    """A component that took part in building a snapshot, and the reference to it."""
    fields = stated(
        component_kind=kind,
        name=said["name"],
        version=said["version"],
        config_digest=said.get("configDigest"),
    )
    key = component_key(kind, fields, "config_digest")
    records.add(pointer, "component", key, **fields)
    digest = as_digest(said["configDigest"]) if "configDigest" in said else None
    return stated(key=key, namespace="", digest=digest)


def _collection(dataset: Element, facet: Mapping[str, JsonValue]) -> str:
    """The namespace of chunk ids: the collection that the facet names, else the dataset's name."""
    return str(facet.get("collection", dataset.name))


def _refs(ids: list[str], namespace: str) -> list[JsonValue] | None:
    return [{"key": each, "namespace": namespace} for each in ids] or None


def _parent(chunk: Mapping[str, JsonValue], document: Mapping[str, JsonValue]) -> JsonValue:
    if "parent" in chunk:
        return {"kind": "chunk", "key": chunk["parent"]}
    if "part" in chunk:
        key = _part_key(str(document["key"]), chunk["part"])
        return {"kind": "part", "key": key, "namespace": document["namespace"]}
    return None


def _part_key(document: str, part: str) -> str:
    return f"{document}#{part}"


def _interval(said: Mapping[str, JsonValue], unit: JsonValue) -> JsonValue:
    if "start" not in said or "end" not in said:
        return None
    return stated(start=said["start"], end=said["end"], unit=unit)


def _members(said: Mapping[str, JsonValue], *names: str) -> dict[str, JsonValue]:
    return {name: said[name] for name in names if name in said}
