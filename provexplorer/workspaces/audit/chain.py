"""The rule of the chain, which docs/guide/audit.md publishes: a verifier needs nothing else.

An entry's *line* is a JSON object in ASCII, its keys sorted, without blanks. The hash of
the first entry is SHA-256 over 64 zeros, a newline and its line; of every other over the hash
of the one before, a newline and its line. A seal's hash is SHA-256 over the hash of the seal
before (64 zeros for the first), a newline and the seal's line.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Final

from provexplorer.workspaces.audit.models import AuditEntry, AuditSeal

START: Final = "0" * 64


def entry_line(entry: AuditEntry, sequence: int) -> str:
    """The line of an entry at its place."""
    return _line(
        {
            "actor": entry.actor_id,
            "actor_kind": entry.actor_kind,
            "at": written(entry.at),
            "code": entry.code,
            "details": entry.details_hash,
            "object": entry.object_uid,
            "sequence": sequence,
            "uid": entry.uid,
            "verb": entry.verb,
            "workspace": entry.workspace_id,
        }
    )


def seal_line(seal: AuditSeal) -> str:
    """The line of a seal."""
    return _line(
        {
            "at": written(seal.at),
            "chain": seal.chain,
            "first": seal.first,
            "last": seal.last,
            "number": seal.number,
            "workspace": seal.workspace_id,
        }
    )


def link(before: str, line: str) -> str:
    """The hash of a line that follows on this hash."""
    return hashlib.sha256(f"{before}\n{line}".encode("ascii")).hexdigest()


def written(at: datetime) -> str:
    """An instant in UTC with microseconds: `2026-03-01T10:00:00.000000Z`."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _line(members: dict[str, str | int | None]) -> str:
    return json.dumps(members, sort_keys=True, separators=(",", ":"))
