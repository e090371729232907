"""The log as JSON Lines: every sealed entry with its hash, after the last of a seal the seal.

Whoever has the file and the public key can compute the chain again (docs/guide/audit.md), and
later find out whether the log still holds what it held.
"""

import json
from collections.abc import Iterator
from typing import Final

from lineage.types import JsonValue
from provexplorer.workspaces.audit import chain
from provexplorer.workspaces.audit.models import AuditEntry, AuditPlace, AuditSeal
from provexplorer.workspaces.audit.recording import details_of
from provexplorer.workspaces.models import Workspace

FORMAT: Final = "provexplorer-audit-1"
MEDIA_TYPE: Final = "application/x-ndjson"
_STEP: Final = 500


def lines(workspace: Workspace, *, after: int = 0, details: bool = False) -> Iterator[str]:
    """The lines of a workspace's log, in order; `after`: of seals with greater numbers alone.

    `details`: with the details that are still there. What waits for its seal is not among them.
    In bounded memory.
    """
    seals = AuditSeal.objects.filter(workspace_id=workspace.pk, number__gt=after)
    yield _written({"format": FORMAT, "workspace": workspace.pk, "after": after})
    for seal in seals.order_by("number").iterator(chunk_size=_STEP):
        for first in range(seal.first, seal.last + 1, _STEP):
            yield from _entries(
                workspace, first, min(first + _STEP - 1, seal.last), details=details
            )
        members = json.loads(chain.seal_line(seal))
        yield _written({"seal": members, "hash": seal.hash, "signature": seal.signature})


def _entries(workspace: Workspace, first: int, last: int, *, details: bool) -> Iterator[str]:
    rows = AuditPlace.objects.filter(
        workspace_id=workspace.pk, sequence__gte=first, sequence__lte=last
    )
    places = list(rows.order_by("sequence"))
    ids = [place.entry_id for place in places]
    found = {entry.pk: entry for entry in AuditEntry.objects.filter(pk__in=ids)}
    told = details_of(workspace, ids) if details else {}
    for place in places:
        entry = found.get(place.entry_id)
        if entry is None:
            continue
        members: dict[str, JsonValue] = {
            "entry": json.loads(chain.entry_line(entry, place.sequence)),
            "hash": place.hash,
        }
        if entry.pk in told:
            members["details"] = dict(told[entry.pk])
        yield _written(members)


def _written(members: dict[str, JsonValue]) -> str:
    return json.dumps(members, sort_keys=True, separators=(",", ":")) + "\n"
