"""What is asked of an OpenLineage event before records are made of it."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final, NoReturn
from uuid import UUID

from lineage.formats.body import Repeated
from lineage.formats.openlineage_schemas import FRAMING, event_faults
from lineage.formats.refusals import RecordRefused
from lineage.formats.storable import member
from lineage.formats.times import Instant, read_instant
from lineage.types import JsonValue, Warned

_DEPTH: Final = 32
_CONTAINERS: Final = 200_000


def inspect(event: JsonValue) -> None:
    """Refuse a name that stands twice, what is nested too deeply, and more than can be checked in time."""
    # Where something is wrong is worked out once it is known that something is.
    pending: list[tuple[JsonValue, int]] = [(event, 1)]
    seen = 0
    while pending:
        value, depth = pending.pop()
        seen += 1
        if seen > _CONTAINERS or depth > _DEPTH or isinstance(value, Repeated):
            _refuse(event)
        inner = value.values() if isinstance(value, dict) else value
        pending += [(item, depth + 1) for item in inner if isinstance(item, (dict, list))]


def _refuse(event: JsonValue) -> NoReturn:
    """Raise for the first fault that `inspect` looks for; there is one."""
    pending: list[tuple[JsonValue, str, int]] = [(event, "", 1)]
    for seen in count(1):
        value, pointer, depth = pending.pop()
        if seen > _CONTAINERS:
            break
        if depth > _DEPTH:
            raise RecordRefused("too-deep", "At most 32 levels, the event included.", pointer)
        if isinstance(value, Repeated):
            raise RecordRefused("name-repeated", f"{value.name[:80]!r} stands twice.", pointer)
        pending.extend(
            (item, member(pointer, str(name)), depth + 1)
            for name, item in _inner(value)
            if isinstance(item, (dict, list))
        )
    raise RecordRefused(
        "record-too-large", f"At most {_CONTAINERS:,} objects and lists in an event."
    )


def _inner(value: JsonValue) -> Iterator[tuple[object, JsonValue]]:
    yield from value.items() if isinstance(value, dict) else enumerate(value)


def definition_of(event: Mapping[str, JsonValue]) -> str:
    """What kind of event it is, by what it holds."""
    if "run" in event and "job" in event:
        return "RunEvent"
    if "dataset" in event:
        if "job" in event:
            raise RecordRefused("value-not-allowed", "Of a dataset or of a job: which?", "/job")
        return "DatasetEvent"
    if "run" in event:
        raise RecordRefused("field-missing", "job is required.", "/job")
    if "job" in event:
        return "JobEvent"
    raise RecordRefused("field-missing", "run and job, or job, or dataset is required.")


def check_core(event: Mapping[str, JsonValue], definition: str, warnings: list[Warned]) -> None:
    """Refuse what the core schema does not allow; tell what it only asks for."""
    told: set[str] = set()
    for fault in event_faults(_as_core_sees(event), definition):
        if not fault.tolerated:
            raise RecordRefused(fault.slug, fault.detail, fault.pointer)
        told.add(fault.pointer)
    if told:
        first = min(told, key=lambda pointer: (pointer.count("/"), pointer))
        warnings.append(
            Warned("schema_incomplete", first, f"The schema asks for this ({len(told)} in all).")
        )


def _as_core_sees(event: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The event as the schema is asked about it: of facets what it looks at, nulls as if absent."""
    return {
        name: [_framed(each) for each in value]
        if name in ("inputs", "outputs") and isinstance(value, list)
        else _framed(value)
        for name, value in event.items()
    }


def _framed(part: JsonValue) -> JsonValue:
    if not isinstance(part, dict):
        return part
    return {
        name: {key: _framing(facet) for key, facet in value.items()}
        if name in ("facets", "inputFacets", "outputFacets") and isinstance(value, dict)
        else value
        for name, value in part.items()
    }


def _framing(facet: JsonValue) -> JsonValue:
    if not isinstance(facet, dict):
        return facet
    return {name: facet[name] for name in FRAMING if facet.get(name) is not None}


def run_id_of(value: str) -> str:
    """The run's id, in lower case."""
    try:
        run_id = str(UUID(value))
    except ValueError:
        run_id = ""
    if run_id != value.lower():
        raise RecordRefused("value-not-allowed", "A run is known by a UUID.", "/run/runId")
    return run_id


def instant_of(text: str, warnings: list[Warned]) -> Instant:
    """When the event happened; told where no zone is stated."""
    try:
        instant = read_instant(text)
    except ValueError:
        raise RecordRefused("time-unreadable", "Not a time of RFC 3339.", "/eventTime") from None
    if not instant.zone_stated:
        warnings.append(
            Warned("time_without_zone", "/eventTime", "No zone is stated: read as UTC.")
        )
    return instant
