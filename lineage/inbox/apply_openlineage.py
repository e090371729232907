"""Applies a payload of OpenLineage events (POST /api/v1/lineage and /lineage/batch)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from lineage.formats.openlineage import Event, read_body, read_event
from lineage.formats.openlineage_parts import Said
from lineage.identifiers import anywhere_of
from lineage.inbox.openlineage_changes import draft_cases
from lineage.inbox.result import Payload, Result
from lineage.ingest.apply import apply_records
from lineage.ingest.keys import in_chunks
from lineage.models import Node
from lineage.types import JsonValue, NativeRecord, Outcome, Problem, Refused, Warned
from provexplorer.workspaces.models import Workspace

# Records applied together; an event is never split.
_TOGETHER: Final = 5_000
_WARNINGS: Final = 100
# What sources lack is told of the node: an event about tables need not know licences. That a
# dataset's name has several states is what runs are for.
_NOT_TOLD: Final = frozenset({"creator_missing", "license_unknown", "key_reused"})


def apply(workspace: Workspace, payload: Payload) -> Result:
    """An outcome per event, in order; raises BodyRefused where the body as a whole is unusable.

    An outcome's kind, key and uid are those of what the event is about. Pointers start at
    the event.
    """
    outcomes: list[Outcome] = []
    projected = True
    for events in _together(read_body(payload.body, payload.media_type)):
        found, in_graph = _apply(workspace, events, payload.uid)
        outcomes += found
        projected = projected and in_graph
    return Result(tuple(outcomes), projected)


def kept_only(body: bytes, media_type: str) -> list[Outcome]:
    """Outcomes of events that are kept and not applied yet: what is refused already, else accepted.

    `body` unpacked; raises BodyRefused.
    """
    return [
        _refused(event)
        if isinstance(event, Refused)
        else Outcome(event.index, "accepted", event.kind, event.key, None, event.warnings)
        for events in _together(read_body(body, media_type))
        for event in events
    ]


def _together(sent: Sequence[JsonValue]) -> Iterator[list[Event | Refused]]:
    """The events read, as many at once as are applied together."""
    group: list[Event | Refused] = []
    records = 0
    said: Said = {}
    for index, event in enumerate(sent):
        read = read_event(index, event, said)
        group.append(read)
        records += 0 if isinstance(read, Refused) else len(read.made)
        if records >= _TOGETHER:
            yield group
            group, records, said = [], 0, {}
    if group or not sent:
        yield group


def _apply(
    workspace: Workspace, events: Sequence[Event | Refused], payload_uid: str
) -> tuple[list[Outcome], bool]:
    sound = [event for event in events if isinstance(event, Event)]
    places: dict[bytes, int] = {}
    records: list[NativeRecord] = []
    for event in sound:
        for made in event.made:
            # Events repeat what they say of jobs and datasets: once is enough.
            if places.setdefault(made.record.canonical, len(records)) == len(records):
                records.append(replace(made.record, index=len(records)))
    applied = apply_records(workspace, records)
    told = {outcome.index: outcome for outcome in applied.outcomes}
    shared = _shared_run_ids(workspace, [event.key for event in sound if event.kind == "run"])
    changes = [change for event in sound for change in event.changes]
    drafted = draft_cases(workspace, changes, payload_uid)
    outcomes = [
        _refused(event)
        if isinstance(event, Refused)
        else _outcome(
            event,
            [told[places[made.record.canonical]] for made in event.made],
            (*_reused(event, shared), *_drafted(event, drafted)),
        )
        for event in events
    ]
    return outcomes, applied.projected


def _outcome(event: Event, parts: Sequence[Outcome], more: Sequence[Warned]) -> Outcome:
    """What became of an event: rejected if any of its records was, else stored if any is new."""
    statuses = {part.status for part in parts}
    problem = next(
        (_at(part.problem, made.pointer) for part, made in zip(parts, event.made, strict=True)
         if part.problem is not None),
        None,
    )  # fmt: skip
    warnings = {(each.code, each.pointer): each for each in (*event.warnings, *more)}
    for part, made in zip(parts, event.made, strict=True):
        for each in part.warnings:
            if each.code not in _NOT_TOLD:
                pointer = "/eventTime" if each.pointer == "/occurred_at" else made.pointer
                warnings.setdefault((each.code, pointer), replace(each, pointer=pointer))
    return Outcome(
        index=event.index,
        status="rejected"
        if problem
        else next(word for word in ("accepted", "stored", "unchanged") if word in statuses),
        kind=event.kind,
        key=event.key,
        uid=parts[event.main].uid,
        warnings=tuple(warnings.values())[:_WARNINGS],
        problem=problem,
    )


def _refused(event: Refused) -> Outcome:
    return Outcome(event.index, "rejected", event.kind, event.key, None, (), event.problem)


def _at(problem: Problem, pointer: str) -> Problem:
    return replace(problem, pointer=pointer)


def _shared_run_ids(workspace: Workspace, run_ids: Sequence[str]) -> set[str]:
    """Those of the run ids that runs of several jobs bear."""
    names = {anywhere_of(workspace.hash_key, "run", run_id): run_id for run_id in run_ids}
    borne: Counter[str] = Counter()
    for chunk in in_chunks(names):
        borne.update(
            Node.objects.filter(workspace=workspace, kind="run", anywhere__in=chunk)
            .order_by("pk")
            .values_list("anywhere", flat=True)
        )
    return {names[anywhere] for anywhere, times in borne.items() if times > 1}


def _reused(event: Event, shared: set[str]) -> Iterator[Warned]:
    if event.kind == "run" and event.key in shared:
        yield Warned(
            "run_id_reused", "/run/runId", "Another job has a run of this id: they are kept apart."
        )


def _drafted(event: Event, drafted: set[str]) -> Iterator[Warned]:
    for change in event.changes:
        if change.key in drafted:
            yield Warned("case_drafted", change.pointer, "A draft case awaits a decision.")
