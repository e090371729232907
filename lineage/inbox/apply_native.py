"""Applies a payload of native records (POST /api/v1/records)."""

from lineage.formats.records import parse_body
from lineage.inbox.result import Payload, Result
from lineage.ingest.apply import apply_records
from provexplorer.workspaces.models import Workspace


def apply(workspace: Workspace, payload: Payload) -> Result:
    """An outcome per record, in order; raises BodyRefused where the body is unusable as a whole."""
    applied = apply_records(workspace, parse_body(payload.body, payload.media_type))
    return Result(applied.outcomes, applied.projected)
