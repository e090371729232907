"""What the API tells of cases."""

from dataclasses import asdict
from typing import Any, Literal

from ninja import Schema

from lineage.api.schemas import FreeJson, Instant
from lineage.cases.queue import CaseRow
from lineage.cases.view import CaseView

CaseState = Literal[
    "draft", "ready", "approved", "scheduled", "propagating", "paused", "verified", "incomplete",
    "rejected", "cancelled",
]  # fmt: skip


class TargetOut(Schema):
    """What a case is about; hidden ones have neither key nor label."""

    uid: str
    kind: str
    key: str | None
    namespace: str | None
    label: str | None
    hidden: bool


class ReachedOut(Schema):
    """Different users and tenants that the answers name; `unstated`: answers that name no user.

    `external`: systems outside that are told of an erasure.
    """

    readers: int
    unstated: int
    units: int
    external: int


class ChangedOut(Schema):
    """What a dry run found otherwise than the one at `since`; by word, those alone that differ."""

    since: str
    added: int
    left: int
    states: dict[str, int]
    grades: dict[str, int]
    claims: dict[str, int]
    readers: int
    units: int


class DamageOut(Schema):
    """Answers stale and to review, and different readers, as they were last counted."""

    stale: int
    review: int
    readers: int


class ProgressOut(Schema):
    """Answers done, of those that the case reaches."""

    done: int
    total: int


class SnapshotOut(Schema):
    """An index snapshot that holds what a case takes out of use, and how many such members it has."""

    uid: str
    label: str
    members: int


class CaseOut(Schema):
    """A case. `counts`: answers by grade; empty before the dry run, as `states` and `claims` are.

    `rebuild`: index snapshots to build anew, from the dry run until it is lifted; at most 50.
    `dry_runs`: the number of the last dry run whose counts differed, which an approval names;
    `reached` and `changed` are null before the first and the second. `barred`: why this key
    may not approve it, though its scope would allow it: a code. `reinstates`: the case that it
    lifts, or would once somebody else has approved it. `assignee` is null without `operate`.
    """

    uid: str
    kind: str
    state: CaseState
    reason: str
    evidence: list[Any]
    effective_at: Instant | None
    targets: list[TargetOut]
    counts: dict[str, int]
    states: dict[str, int]
    claims: dict[str, int]
    reached: ReachedOut | None
    changed: ChangedOut | None
    dry_runs: int
    tried_at: Instant | None
    origin: Literal["member", "key", "feed"]
    assignee: str | None
    barred: str
    progress: ProgressOut
    verified: bool
    certificate: FreeJson | None
    shortfall: FreeJson | None
    rebuild: list[SnapshotOut]
    reinstates: str | None
    reinstated_by: str | None
    created_at: Instant
    approved_at: Instant | None
    verified_at: Instant | None


class CaseListed(Schema):
    """A case in a list; `targets` is their number."""

    uid: str
    kind: str
    state: CaseState
    reason: str
    targets: int
    counts: dict[str, int]
    damage: DamageOut | None
    origin: Literal["member", "key", "feed"]
    assignee: str
    progress: ProgressOut
    reinstates: str | None
    reinstated: bool
    created_at: Instant
    approved_at: Instant | None


def case_out(view: CaseView) -> dict[str, Any]:
    """A case for `CaseOut`."""
    targets = [
        {
            "uid": target.uid,
            "kind": target.kind,
            "key": target.key,
            "namespace": target.namespace,
            "label": target.label,
            "hidden": target.hidden,
        }
        for target in view.targets
    ]
    return {
        "uid": view.uid,
        "kind": view.kind,
        "state": view.state,
        "reason": view.reason,
        "evidence": list(view.evidence),
        "effective_at": view.effective_at,
        "targets": targets,
        "counts": dict(view.counts),
        "states": dict(view.states),
        "claims": dict(view.claims),
        "reached": view.reached and asdict(view.reached),
        "changed": view.changed and asdict(view.changed),
        "dry_runs": view.dry_runs,
        "tried_at": view.tried_at,
        "origin": view.origin,
        "assignee": view.assignee,
        "barred": view.barred,
        "progress": {"done": view.progress.done, "total": view.progress.total},
        "verified": view.verified,
        "certificate": view.certificate and dict(view.certificate),
        "shortfall": view.shortfall and dict(view.shortfall),
        "rebuild": [
            {"uid": one.uid, "label": one.label, "members": one.members}
            for one in view.rebuild.snapshots
        ],
        "reinstates": view.reinstates,
        "reinstated_by": view.reinstated_by,
        "created_at": view.created_at,
        "approved_at": view.approved_at,
        "verified_at": view.verified_at,
    }


def listed_out(row: CaseRow) -> dict[str, Any]:
    """A case for `CaseListed`."""
    return {
        "uid": row.uid,
        "kind": row.kind,
        "state": row.state,
        "reason": row.reason,
        "targets": row.targets,
        "counts": dict(row.counts),
        "damage": row.damage and asdict(row.damage),
        "origin": row.origin,
        "assignee": row.assignee,
        "progress": {"done": row.done, "total": row.total},
        "reinstates": row.reinstates,
        "reinstated": row.reinstated,
        "created_at": row.created_at,
        "approved_at": row.approved_at,
    }
