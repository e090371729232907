"""OpenLineage events as native records. Pure.

Every event stands for itself: what it says of its run, job and datasets, at its time. What
later events say of the same things adds up or replaces it by the rules for all records, so
that order and repetition do not matter. Facets: openlineage_runs.py, openlineage_datasets.py
and, those of our own, openlineage_rag.py; the whole mapping: docs/guide/openlineage.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from lineage.formats.body import RECORDS, as_json, require_json
from lineage.formats.canonical import canonical_digest
from lineage.formats.openlineage_checks import (
    check_core,
    definition_of,
    inspect,
    instant_of,
    run_id_of,
)
from lineage.formats.openlineage_datasets import (
    Role,
    dataset_records,
    is_collection,
    lineage_inputs,
)
from lineage.formats.openlineage_parts import (
    DatasetName,
    Element,
    Made,
    Occasion,
    Records,
    Said,
    element,
)
from lineage.formats.openlineage_runs import job_records, run_namespace, run_records
from lineage.formats.refusals import BodyRefused, RecordRefused
from lineage.formats.times import Instant
from lineage.formats.values import key_string
from lineage.identifiers import text_digest
from lineage.types import JsonValue, Refused, Warned

_KNOWN: Final = frozenset(
    {"eventType", "eventTime", "schemaURL", "run", "job", "inputs", "outputs", "dataset"}
)
# Changes of a dataset that put what rests on it in question; what failed has changed nothing.
_QUESTIONED: Final = ("DROP", "TRUNCATE", "OVERWRITE")
_FAILED: Final = ("FAIL", "ABORT")


@dataclass(frozen=True, slots=True)
class Change:
    """A lifecycle change that asks for a case: DROP, TRUNCATE or OVERWRITE.

    `key` is the same for every event that tells of this change.
    """

    state: str
    kind: str  # source or index_snapshot
    dataset: DatasetName
    version_digest: str | None  # of what was written, where that is known
    at: datetime
    pointer: str
    key: str


@dataclass(frozen=True, slots=True)
class Event:
    """One event: what it is about, its records, and what is to be told of it."""

    index: int
    kind: str  # run, component, source or index_snapshot
    key: str
    main: int  # place of the record that it is about
    made: tuple[Made, ...]
    warnings: tuple[Warned, ...]
    changes: tuple[Change, ...]


@dataclass(slots=True)
class _Reading:
    """What is collected while one event is read."""

    records: Records
    warnings: list[Warned] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


def read_body(body: bytes, media_type: str) -> list[JsonValue]:
    """The events of a body: those of a list, or the only one. Raises BodyRefused."""
    if "json" not in require_json(media_type or "application/json").partition("/")[2].split("-"):
        raise BodyRefused("media-type-unsupported", "Events are sent as application/json.")
    document = as_json(body)
    events = document if isinstance(document, list) else [document]
    if len(events) > RECORDS:
        raise BodyRefused("body-too-large", f"At most {RECORDS:,} events at once.")
    return events


def is_list(body: bytes) -> bool:
    """Whether a body that `read_body` took is a list of events, be it of one."""
    return body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def read_event(index: int, event: JsonValue, said: Said | None = None) -> Event | Refused:
    """The records of one event, or why it is refused; pointers are relative to the event.

    `said`: what other events of the same request have said, for all of them to share.
    """
    try:
        return _read(index, event, {} if said is None else said)
    except RecordRefused as refused:
        run = event.get("run") if isinstance(event, dict) else None
        key = run.get("runId") if isinstance(run, dict) else None
        return Refused(index, "run" if key else "", str(key or "")[:100], refused.problem)


def _read(index: int, event: JsonValue, said: Said) -> Event:
    if not isinstance(event, dict):
        raise RecordRefused("not-an-object", "An event is a JSON object.")
    inspect(event)
    reading = _Reading(Records(said))
    definition = definition_of(event)
    check_core(event, definition, reading.warnings)
    instant = instant_of(event["eventTime"], reading.warnings)
    more = {name: value for name, value in event.items() if name not in _KNOWN}
    if definition == "RunEvent":
        about = _run_event(reading, event, instant, more | _left_over(event))
    elif definition == "JobEvent":
        about = _job_event(reading, event, instant, more)
    else:
        about = _dataset_event(reading, event, instant, more)
    made = reading.records.made
    main = next(place for place, each in enumerate(made) if _is(each, about))
    return Event(
        index=index,
        kind=about[0],
        key=about[1],
        main=main,
        made=tuple(made),
        warnings=tuple(reading.warnings),
        changes=tuple(reading.changes),
    )


def _is(made: Made, about: tuple[str, str, str]) -> bool:
    record = made.record
    return (record.kind, record.key, record.namespace) == about


def _left_over(event: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A dataset in an event of a run: kept, without meaning."""
    return {"dataset": event["dataset"]} if "dataset" in event else {}


def _run_event(
    reading: _Reading,
    event: Mapping[str, JsonValue],
    instant: Instant,
    more: Mapping[str, JsonValue],
) -> tuple[str, str, str]:
    run_id = run_id_of(event["run"]["runId"])
    job = _job(event["job"], reading.warnings)
    run = element(event["run"], "run", "/run", reading.warnings)
    run = replace(run, attributes={**run.attributes, **more})
    namespace = run_namespace(job)
    inputs = _datasets(event, "inputs", "input", reading.warnings)
    outputs = _datasets(event, "outputs", "output", reading.warnings)
    occasion = Occasion(
        at=event["eventTime"],
        instant=instant,
        run={"key": run_id, "namespace": namespace},
        state=text_digest(f"openlineage run {run_id} of {namespace}"),
        inputs={each.dataset: each.version_digest for each in inputs},
        written=frozenset(each.dataset for each in outputs),
        entries=_entries(job),
    )
    records = reading.records
    used: list[JsonValue] = []
    rewritten: list[JsonValue] = []
    for each in inputs:
        ref = dataset_records(records, each, Role.INPUT, occasion, {})
        again = each.dataset in occasion.written and not each.version
        (rewritten if again else used).append(ref)
    for each in outputs:
        dataset_records(records, each, Role.OUTPUT, occasion, {})
    event_type = event.get("eventType", "OTHER")
    run_records(
        records,
        run,
        job,
        occasion,
        event_type=event_type,
        component=job_records(records, job, occasion.at, {}),
        used=used,
        replaced=rewritten,
    )
    if event_type not in _FAILED:
        for each in (*inputs, *outputs):
            _note_change(reading, each, instant, run_id, occasion)
    return "run", run_id, namespace


def _job_event(
    reading: _Reading,
    event: Mapping[str, JsonValue],
    instant: Instant,
    more: Mapping[str, JsonValue],
) -> tuple[str, str, str]:
    """A job and what it is declared to read and write; nothing has run."""
    job = _job(event["job"], reading.warnings)
    inputs = _datasets(event, "inputs", "input", reading.warnings)
    outputs = _datasets(event, "outputs", "output", reading.warnings)
    declared = {
        name: [each.dataset._asdict() for each in some]
        for name, some in (("inputs", inputs), ("outputs", outputs))
        if some
    }
    versions = {each.dataset: each.version_digest for each in inputs}
    occasion = _occasion(event, instant, versions, _entries(job))
    for each in (*inputs, *outputs):
        dataset_records(reading.records, each, Role.NAMED, occasion, {})
    job_records(reading.records, job, occasion.at, {**more, **declared})
    return "component", job.name, job.namespace


def _dataset_event(
    reading: _Reading,
    event: Mapping[str, JsonValue],
    instant: Instant,
    more: Mapping[str, JsonValue],
) -> tuple[str, str, str]:
    dataset = _dataset(event["dataset"], "dataset", "/dataset", reading.warnings)
    occasion = _occasion(event, instant, {}, {})
    dataset_records(reading.records, dataset, Role.NAMED, occasion, more)
    _note_change(reading, dataset, instant, instant.at.isoformat(), occasion)
    if not is_collection(dataset):
        return "source", dataset.name, dataset.namespace
    key = f"{dataset.name}@{dataset.version}" if dataset.version else dataset.name
    return "index_snapshot", key, dataset.name


def _occasion(
    event: Mapping[str, JsonValue],
    instant: Instant,
    inputs: Mapping[DatasetName, str | None],
    entries: Mapping[DatasetName, Sequence[DatasetName]],
) -> Occasion:
    """The occasion of an event without a run."""
    return Occasion(
        at=event["eventTime"], instant=instant, run=None, state=None, inputs=inputs,
        entries=entries,
    )  # fmt: skip


def _note_change(
    reading: _Reading, dataset: Element, instant: Instant, occurrence: str, occasion: Occasion
) -> None:
    state = str(dataset.facets.get("lifecycleStateChange", {}).get("lifecycleStateChange", ""))
    if state not in _QUESTIONED:
        return
    identity = canonical_digest([state, *dataset.dataset, occurrence])
    reading.changes.append(
        Change(
            state=state,
            kind="index_snapshot" if is_collection(dataset) else "source",
            dataset=dataset.dataset,
            version_digest=dataset.version_digest or occasion.state,
            at=instant.at,
            pointer=f"{dataset.pointer}/facets/lifecycleStateChange",
            key=f"openlineage:{identity}",
        )
    )


def _entries(job: Element) -> dict[DatasetName, list[DatasetName]]:
    """What the job's explicit lineage says each dataset was made from."""
    found: dict[DatasetName, list[DatasetName]] = {}
    for entry in job.facets.get("lineage", {}).get("entries", ()):
        if entry["type"] == "DATASET":
            target = DatasetName(entry["namespace"], entry["name"])
            found.setdefault(target, []).extend(lineage_inputs(entry))
    return found


def _datasets(
    event: Mapping[str, JsonValue], group: str, place: str, warnings: list[Warned]
) -> list[Element]:
    return [
        _dataset(value, place, f"/{group}/{number}", warnings)
        for number, value in enumerate(event.get(group, ()))
    ]


def _dataset(
    value: Mapping[str, JsonValue], place: str, pointer: str, warnings: list[Warned]
) -> Element:
    key_string(value["namespace"], f"{pointer}/namespace")
    key_string(value["name"], f"{pointer}/name", empty=False)
    return element(value, place, pointer, warnings)


def _job(value: Mapping[str, JsonValue], warnings: list[Warned]) -> Element:
    key_string(value["namespace"], "/job/namespace")
    key_string(value["name"], "/job/name", empty=False)
    return element(value, "job", "/job", warnings)
