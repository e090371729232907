"""Applies a payload of native records (POST /api/v1/records)."""

from collections.abc import Sequence

from lineage.formats.records import parse_body
from lineage.inbox.result import Payload, Result
from lineage.ingest.apply import apply_records
from lineage.types import NativeRecord, Outcome, Refused
from provexplorer.workspaces.models import Workspace


def apply(workspace: Workspace, payload: Payload) -> Result:
    """An outcome per record, in order; raises BodyRefused where the body is unusable as a whole."""
    applied = apply_records(workspace, parse_body(payload.body, payload.media_type))
    return Result(applied.outcomes, applied.projected)


def kept_only(records: Sequence[NativeRecord | Refused]) -> list[Outcome]:
    """Outcomes of what is kept and not applied yet: what is refused already, all else accepted."""
    return [
        Outcome(each.index, "rejected", each.kind, each.key, None, (), each.problem)
        if isinstance(each, Refused)
        else Outcome(each.index, "accepted", each.kind, each.key, None, each.warnings)
        for each in records
    ]
