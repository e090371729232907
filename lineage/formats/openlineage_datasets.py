"""Datasets of OpenLineage as native records: source and version, or index snapshot, and what they hold.

A version is a revision of the dataset's name. It is known by the digest of its version, or,
where a run writes a dataset and names no version, by the run: what was read without a version
is then the last state before, as with every reference.
"""

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Final

from lineage.formats.openlineage_parts import DatasetName, Element, Occasion, Records
from lineage.formats.openlineage_rag import document_record, passages, snapshot_fields
from lineage.formats.openlineage_runs import owners, plain
from lineage.formats.writing import stated
from lineage.types import JsonValue

# Namespaces of vector stores: `milvus://host:port` as OpenLineage has it, the others alike.
_VECTOR_STORES: Final = frozenset(
    {"milvus", "qdrant", "weaviate", "pinecone", "chroma", "lancedb", "vespa", "turbopuffer"}
)
# Namespaces that, with the name, are an address.
_ADDRESSES: Final = frozenset(
    {"http", "https", "s3", "s3a", "gs", "abfss", "wasbs", "hdfs", "file", "ftp", "sftp"}
)
# Facets that are about what a version holds; the others are about the dataset.
_OF_VERSION: Final = frozenset(
    {"version", "schema", "columnLineage", "lineage", "storage", "dataQualityMetrics",
     "dataQualityAssertions"}
)  # fmt: skip
# Members of `rag_source` that the source has, and those that its version has.
_OF_SOURCE: Final = {
    "title": "title", "sourceKind": "source_kind", "uri": "uri", "doi": "doi",
    "containerTitle": "container_title", "jurisdiction": "jurisdiction", "language": "language",
}  # fmt: skip
_RIGHTS: Final = {
    "license": "license", "licenseUri": "license_uri", "rights": "rights",
    "publishedAt": "published_at", "modifiedAt": "modified_at", "mediaType": "media_type",
    "validFrom": "valid_from", "validUntil": "valid_until", "acl": "acl",
}  # fmt: skip


class Role(Enum):
    """What a dataset is in an event."""

    INPUT = auto()
    OUTPUT = auto()
    NAMED = auto()  # by an event of a job or of the dataset itself


def dataset_records(
    records: Records,
    dataset: Element,
    role: Role,
    occasion: Occasion,
    more: Mapping[str, JsonValue],
) -> JsonValue:
    """Everything an event says of one dataset; gives the reference by which a run uses it."""
    if is_collection(dataset):
        ref = _snapshot(records, dataset, role, occasion, more)
    else:
        ref = _source_and_version(records, dataset, role, occasion, more)
    run = occasion.run if role is Role.OUTPUT else None
    document_record(records, dataset, occasion, run)
    passages(records, dataset, occasion, run)
    return ref


def is_collection(dataset: Element) -> bool:
    """Whether it is a collection of a vector store."""
    return is_vector_store(dataset.namespace) or "rag_index" in dataset.facets


def is_vector_store(namespace: str) -> bool:
    """Whether the namespace is that of a vector store."""
    return namespace.partition("://")[0].lower() in _VECTOR_STORES and "://" in namespace


def _snapshot(
    records: Records,
    dataset: Element,
    role: Role,
    occasion: Occasion,
    more: Mapping[str, JsonValue],
) -> JsonValue:
    """An index snapshot under the name that traces know it by: `{name}@{version}`, in its collection."""
    name, version = dataset.name, dataset.version
    key = f"{name}@{version}" if version else name
    fields = snapshot_fields(records, dataset)
    known = {"dataset": {"namespace": dataset.namespace, "name": name}}
    records.add(
        dataset.pointer,
        "index_snapshot",
        key,
        namespace=name,
        collection=name,
        run=occasion.run if role is Role.OUTPUT else None,
        occurred_at=occasion.at if role is not Role.INPUT or dataset.attributes else None,
        attributes={**known, **dataset.attributes, **more},
        **fields,
    )
    return {"kind": "index_snapshot", "key": key, "namespace": name}


def _source_and_version(
    records: Records,
    dataset: Element,
    role: Role,
    occasion: Occasion,
    more: Mapping[str, JsonValue],
) -> JsonValue:
    _source(records, dataset, occasion, more)
    digest, version = dataset.version_digest, dataset.version
    if digest is None and role is Role.OUTPUT:
        digest = occasion.state
    own = {
        name: value
        for name, value in dataset.attributes.items()
        if name in _OF_VERSION or name.partition(":")[0] in ("input", "output")
    }
    rights = _named(dataset, _RIGHTS)
    derived = _made_from(dataset, role, occasion)
    told = bool(digest or own or rights or derived)
    replaced = role is Role.INPUT and digest is None and dataset.dataset in occasion.written
    if told or role is not Role.NAMED:
        records.add(
            dataset.pointer,
            "source_version",
            dataset.name,
            namespace=dataset.namespace,
            source=dataset.name,
            version=version,
            digest=digest,
            # Only named, it is a version of which nothing is known: no time either.
            occurred_at=(occasion.just_before if replaced else occasion.at) if told else None,
            run=occasion.run if role is Role.OUTPUT else None,
            derived_from=[_version_ref(name, occasion.inputs.get(name)) for name in derived]
            or None,
            attributes=own or None,
            **rights,
        )
    if role is Role.OUTPUT and digest is not None:
        _other_names(records, dataset, occasion, digest)
    ref = {"kind": "source_version", "key": dataset.name, "namespace": dataset.namespace}
    return stated(**ref, digest=digest if role is Role.OUTPUT else dataset.version_digest)


def _source(
    records: Records, dataset: Element, occasion: Occasion, more: Mapping[str, JsonValue]
) -> None:
    """The dataset itself: that it is, and, with a time, what the event's facets say of it."""
    base = {"namespace": dataset.namespace, "title": dataset.name}
    records.add(dataset.pointer, "source", dataset.name, **base, **_by_name(dataset.dataset))
    credited = _credits(records, dataset)
    described = {**_named(dataset, _OF_SOURCE), **credited}
    if "source_kind" not in described and "datasetType" in dataset.facets:
        described["source_kind"] = dataset.facets["datasetType"]["datasetType"].lower()
    attributes = {
        name: value
        for name, value in dataset.attributes.items()
        if name.partition(":")[0] not in ("input", "output")
    }
    if described or attributes or more:
        records.add(
            dataset.pointer,
            "source",
            dataset.name,
            # A title that an event does not state must not overrule one that another has stated.
            unsaid=() if "title" in described else ("title",),
            occurred_at=occasion.at,
            attributes={**attributes, **more} or None,
            **{**base, **described},
        )


def _by_name(name: DatasetName) -> dict[str, JsonValue]:
    """What the name alone tells: an address, and that it is a page of the web."""
    scheme, separator, _ = name.namespace.partition("://")
    scheme = scheme.lower()
    web = scheme in ("http", "https")
    if not (separator and scheme in _ADDRESSES):
        uri = f"file://{name.name}" if name.namespace == "file" and name.name[:1] == "/" else None
    elif web and not name.name.startswith("/"):
        uri = None
    else:
        uri = f"{name.namespace.rstrip('/')}/{name.name.lstrip('/')}"
    return stated(source_kind="webpage" if web else "dataset", uri=uri)


def _credits(records: Records, dataset: Element) -> dict[str, JsonValue]:
    """Creators and publisher: of `rag_source` where it names them, else of `ownership`."""
    facet = dataset.facets.get("rag_source", {})
    creators = facet.get("creators")
    if creators is None:
        creators = owners(records, dataset)
    return stated(creators=creators, publisher=facet.get("publisher"))


def _named(dataset: Element, members: Mapping[str, str]) -> dict[str, JsonValue]:
    facet = plain(dataset.facets.get("rag_source", {}))
    return {ours: facet[theirs] for theirs, ours in members.items() if theirs in facet}


def _made_from(dataset: Element, role: Role, occasion: Occasion) -> list[DatasetName]:
    """The datasets that the event says this one was made from, each once; none where it does not say."""
    if role is Role.INPUT:
        return []
    named = list(dict.fromkeys([*_of_facets(dataset), *occasion.entries.get(dataset.dataset, ())]))
    # Renamed, it is what it was before.
    changed = dataset.facets.get("lifecycleStateChange", {})
    before = changed.get("previousIdentifier")
    if changed.get("lifecycleStateChange") == "RENAME" and before:
        named.append(DatasetName(before["namespace"], before["name"]))
    # Of what it held itself before, only the run's inputs can tell which state that was.
    if dataset.dataset in named and occasion.inputs.get(dataset.dataset) is None:
        return []
    return [each for each in named if each.name and not is_vector_store(each.namespace)]


def _of_facets(dataset: Element) -> Iterator[DatasetName]:
    columns = dataset.facets.get("columnLineage", {})
    for column in columns.get("fields", {}).values():
        yield from _names(column.get("inputFields", ()))
    yield from _names(columns.get("dataset", ()))
    yield from lineage_inputs(dataset.facets.get("lineage", {}))


def lineage_inputs(entry: Mapping[str, JsonValue]) -> Iterator[DatasetName]:
    """The datasets among the inputs of a lineage entry and of its fields."""
    for holder in (entry, *entry.get("fields", {}).values()):
        yield from _names(
            each for each in holder.get("inputs", ()) if each.get("type", "DATASET") == "DATASET"
        )


def _names(entries: object) -> Iterator[DatasetName]:
    for each in entries:  # type: ignore[attr-defined]
        yield DatasetName(each["namespace"], each["name"])


def _version_ref(name: DatasetName, digest: str | None) -> JsonValue:
    return stated(kind="source_version", namespace=name.namespace, key=name.name, digest=digest)


def _other_names(records: Records, dataset: Element, occasion: Occasion, digest: str) -> None:
    """What is written under one name stands under the dataset's other names, too."""
    for each in dataset.facets.get("symlinks", {}).get("identifiers", ()):
        other = DatasetName(each["namespace"], each["name"])
        if other == dataset.dataset or not other.name:
            continue
        base = {"namespace": other.namespace}
        pointer = f"{dataset.pointer}/facets/symlinks"
        records.add(pointer, "source", other.name, title=other.name, **base, **_by_name(other))
        records.add(
            pointer,
            "source_version",
            other.name,
            source=other.name,
            digest=digest,
            version=dataset.version,
            occurred_at=occasion.at,
            derived_from=[_version_ref(dataset.dataset, digest)],
            **base,
        )
