"""The parts of an OpenLineage event, and the records that are made of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from lineage.formats.body import RECORDS
from lineage.formats.canonical import as_digest, canonical_json
from lineage.formats.openlineage_schemas import facet_faults
from lineage.formats.records import parse_record
from lineage.formats.refusals import RecordRefused
from lineage.formats.storable import member
from lineage.formats.times import Instant, written
from lineage.formats.writing import stated
from lineage.types import JsonValue, NativeRecord, Refused, Warned
from provexplorer.clock import BEFORE_ALL, TICK

# Facets of ours that become records of their own; the others are kept as attributes, too.
RECORD_FACETS: Final = frozenset({"rag_document", "rag_chunks", "rag_embeddings", "rag_index"})
# Facets that records are made of, or that every reader of events counts on: one that is not as
# its schema says refuses the event. Others are told of, and kept as sent.
_RELIED_ON: Final = RECORD_FACETS | {
    "rag_source", "rag_chunking", "schema", "version", "datasetType", "documentation", "ownership",
    "lifecycleStateChange", "columnLineage", "lineage", "symlinks", "outputStatistics",
    "sourceCode", "sourceCodeLocation", "jobType", "processing_engine", "parent", "errorMessage",
    "executionParameters",
}  # fmt: skip
_ALIASES: Final = {"parentRun": "parent"}


class DatasetName(NamedTuple):
    """What identifies a dataset, and no more than this does."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """A run, job or dataset of an event.

    `facets` as they are understood: nulls left out, aliases resolved, deleted ones gone.
    `attributes` as they are kept: verbatim by facet, null where deleted; `input:…` and
    `output:…` are those that a dataset has in this run alone.
    """

    pointer: str
    facets: Mapping[str, Mapping[str, JsonValue]]
    attributes: Mapping[str, JsonValue]
    namespace: str = ""
    name: str = ""

    @property
    def dataset(self) -> DatasetName:
        return DatasetName(self.namespace, self.name)

    @property
    def version(self) -> str | None:
        """The version that the dataset is said to have."""
        stated_version = self.facets.get("version", {}).get("datasetVersion")
        return stated_version if isinstance(stated_version, str) and stated_version else None

    @property
    def version_digest(self) -> str | None:
        """The digest by which that version is known: itself, or that of its words."""
        return as_digest(self.version) if self.version else None


class Made(NamedTuple):
    """A record with the place in the event that it comes from."""

    pointer: str
    record: NativeRecord


# Records without a time or a text as events of one request say them again and again, of jobs and
# datasets, by what was sent.
Said: TypeAlias = dict[bytes, NativeRecord]


@dataclass(slots=True)
class Records:
    """The records of one event, in the order made; `said` by other events of the request, too."""

    said: Said
    made: list[Made] = field(default_factory=list)

    def add(
        self, pointer: str, kind: str, key: str | None, *, unsaid: Collection[str] = (),
        **fields: JsonValue,
    ) -> NativeRecord:  # fmt: skip
        """Make a record; raises RecordRefused with a pointer into the event.

        `unsaid` are required fields that this event does not tell: another record of the
        same key has them, and this one must not overrule it.
        """
        if len(self.made) == RECORDS:
            raise RecordRefused("record-too-large", f"An event makes at most {RECORDS:,} records.")
        read = self._read(stated(kind=kind, key=key, **fields))
        if isinstance(read, Refused):
            problem = read.problem
            raise RecordRefused(problem.slug, problem.detail, pointer)
        if unsaid:
            kept = {name: value for name, value in read.fields.items() if name not in unsaid}
            canonical = read.canonical + b" without " + ",".join(sorted(unsaid)).encode()
            read = replace(read, fields=kept, canonical=canonical)
        self.made.append(Made(pointer, read))
        return read

    def _read(self, record: dict[str, JsonValue]) -> NativeRecord | Refused:
        """The record, checked and taken apart; one that stands for itself at any time is so once."""
        if "occurred_at" in record or "text" in record:
            return parse_record(0, record)
        mark = canonical_json(record)
        known = self.said.get(mark)
        if known is None:
            read = parse_record(0, record)
            if isinstance(read, Refused):
                return read
            known = self.said[mark] = read
        return known


@dataclass(frozen=True, slots=True)
class Occasion:
    """When an event happened and what it is about.

    `at` as sent. `run` is the reference to its run, None for events of a job or dataset.
    `state` is the digest of what the run makes of a dataset that names no version.
    """

    at: str
    instant: Instant
    run: Mapping[str, JsonValue] | None
    state: str | None
    # Dataset → digest of the version that was read, None where none is named.
    inputs: Mapping[DatasetName, str | None] = field(default_factory=dict)
    written: frozenset[DatasetName] = frozenset()
    # Explicit lineage of the job facet: what each dataset was made from.
    entries: Mapping[DatasetName, Sequence[DatasetName]] = field(default_factory=dict)

    @property
    def just_before(self) -> str:
        """When what the run replaced still stood; of the first instant there is, then."""
        at = self.instant.at
        # Some clients send the first instant where they know no time.
        return written(at if at == BEFORE_ALL else at - TICK)


def element(
    value: Mapping[str, JsonValue], place: str, pointer: str, warnings: list[Warned]
) -> Element:
    """A checked part of an event; raises RecordRefused for a facet that is not as its schema says."""
    facets: dict[str, Mapping[str, JsonValue]] = {}
    attributes: dict[str, JsonValue] = {}
    for kind_of_facet, group, prefix in _groups(place):
        for sent_name, sent in value.get(group, {}).items():
            name = _ALIASES.get(sent_name, sent_name)
            facet = without_nulls(sent)
            if facet.get("_deleted") is True:
                attributes[prefix + name] = None
                continue
            at = member(f"{pointer}/{group}", sent_name)
            fault = next(facet_faults(kind_of_facet, name, facet, at), None)
            if fault is None:
                facets[prefix + name] = facet
            elif name in _RELIED_ON:
                raise RecordRefused(fault.slug, fault.detail, fault.pointer)
            else:
                warnings.append(Warned("facet_invalid", fault.pointer, fault.detail))
            if name not in RECORD_FACETS:
                attributes[prefix + name] = sent
    return Element(
        pointer=pointer,
        facets=facets,
        attributes=attributes,
        namespace=value.get("namespace", ""),
        name=value.get("name", ""),
    )


def _groups(place: str) -> Iterator[tuple[str, str, str]]:
    """Kind of facet, the member that holds them, and what their names are prefixed with."""
    yield ("dataset" if place in ("input", "output") else place), "facets", ""
    if place in ("input", "output"):
        yield place, f"{place}Facets", f"{place}:"


def without_nulls(value: JsonValue) -> JsonValue:
    """The value without members that are null: clients write so what they leave out."""
    if isinstance(value, dict):
        return {
            name: without_nulls(item) if isinstance(item, (dict, list)) else item
            for name, item in value.items()
            if item is not None
        }
    if isinstance(value, list):
        return [without_nulls(item) if isinstance(item, (dict, list)) else item for item in value]
    return value
