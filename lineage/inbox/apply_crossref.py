"""Applies a payload of works of Crossref (POST /api/v1/crossref): the outcomes of each work's records."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import partial

from lineage.formats.body import require_json
from lineage.formats.records import parse_record
from lineage.formats.refusals import BodyRefused, record_problem
from lineage.inbox.result import Payload, Result
from lineage.ingest.apply import apply_records
from lineage.ingest.crossref_works import ReadWork, WorksUnreadable, read_works
from lineage.types import NativeRecord, Outcome
from provexplorer.workspaces.models import Workspace


def apply(workspace: Workspace, payload: Payload) -> Result:
    """An outcome per record; its index is that of the work in what was sent, from 0.

    Licences are those in force on the day on which the payload came, however often it is
    applied. Raises BodyRefused, before anything is stored.
    """
    found: list[Outcome] = []
    projected = True
    today = payload.received_at.date()
    for works in _works(workspace, payload.body, payload.media_type, today):
        placed = [(work.number - 1, record) for work in works for record in work.records]
        parsed = [parse_record(index, record) for index, (_, record) in enumerate(placed)]
        applied = apply_records(workspace, parsed)
        projected = projected and applied.projected
        outcomes = [
            *(
                replace(outcome, index=at)
                for (at, _), outcome in zip(placed, applied.outcomes, strict=True)
            ),
            *(refused(work) for work in works if work.lacks),
        ]
        found += sorted(outcomes, key=lambda outcome: outcome.index)
    return Result(tuple(found), projected)


def kept_only(workspace: Workspace, body: bytes, media_type: str, today: date) -> Sequence[Outcome]:
    """Outcomes of works that are kept and not applied yet: what is refused already, else accepted.

    `body` unpacked; raises BodyRefused.
    """
    found: list[Outcome] = []
    for works in _works(workspace, body, media_type, today):
        for work in works:
            if work.lacks:
                found.append(refused(work))
            found += (
                Outcome(work.number - 1, "accepted", one.kind, one.key, None, one.warnings)
                for one in map(partial(parse_record, 0), work.records)
                if isinstance(one, NativeRecord)
            )
    return found


def refused(work: ReadWork) -> Outcome:
    """The outcome of a work without what every work needs."""
    problem = record_problem("field-missing", work.lacks, "/DOI")
    return Outcome(work.number - 1, "rejected", "source", "", None, (), problem)


def _works(
    workspace: Workspace, body: bytes, media_type: str, today: date
) -> Iterator[list[ReadWork]]:
    require_json(media_type)
    stream = io.BufferedReader(io.BytesIO(body))
    try:
        yield from read_works(workspace, stream, today=today)
    except WorksUnreadable as error:
        raise BodyRefused("body-unreadable", str(error)) from error
