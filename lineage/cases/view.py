"""A case as it is shown: plain values, targets hidden from viewers who may not see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.cases.errors import CaseNotFound
from lineage.cases.rules import barred
from lineage.cases.snapshots import ToRebuild, to_rebuild
from lineage.models import Case, CaseTarget, Node
from lineage.nodes.visible import visible
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import REINSTATEMENT
from provexplorer.workspaces.models import Membership

# Who acts with a key instead of a sign-in.
MACHINE: Final = "machine"
# Targets shown; the number tells of the others.
_MOST_TARGETS: Final = 200


@dataclass(frozen=True, slots=True)
class TargetView:
    """What the case is about; key and label are None where the viewer may not see it."""

    uid: str
    kind: str
    key: str | None
    namespace: str | None
    label: str | None
    hidden: bool


@dataclass(frozen=True, slots=True)
class SampleRow:
    """An answer that a dry run met; `origin_grade` only where it was served from another."""

    uid: str
    grade: str
    origin_grade: str
    state: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Answers done of those that the case reaches; `share` in whole percent."""

    done: int
    total: int

    @property
    def share(self) -> int:
        return min(100, self.done * 100 // self.total) if self.total else 0


@dataclass(frozen=True, slots=True)
class Reached:
    """Whom the answers reached, as far as they say so, and what else a case has before it.

    `readers`, `units`: different users and tenants that the answers name; `unstated`: answers
    that name no user; `external`: places outside that hold copies and are told.
    """

    readers: int
    unstated: int
    units: int
    external: int


@dataclass(frozen=True, slots=True)
class Changed:
    """What a dry run found otherwise than the one before it, at `since`; by word, those alone that differ.

    `added`: answers that came under the case since, `left`: those that no longer are.
    """

    since: str
    added: int
    left: int
    states: Mapping[str, int]
    grades: Mapping[str, int]
    claims: Mapping[str, int]
    readers: int
    units: int

    @property
    def any(self) -> bool:
        by_word = self.states or self.grades or self.claims
        return bool(by_word or self.added or self.left or self.readers or self.units)


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case.

    `counts`: answers by grade; `states`: by what the case makes of them; `claims`: those
    it touches, by standing, as the dry run saw them; all by word, zero included, empty
    before the dry run. `truncated`: the dry run did not look at every claim. `shortfall`:
    why it ended incomplete, a `code` with numbers. `rebuild`: index snapshots that hold
    what the case is about, from the dry run until it is lifted. `reached` and `changed` are None
    before the first and the second dry run; `dry_runs` is the number of the last one whose counts
    differed, which an approval names. `origin`: member, key or feed. `reinstates`: the case that
    it lifts, or would once somebody else has approved it. `assignee`: a name, empty for nobody,
    None for readers. `drafted_by` and `approved_by` are roles ("machine" for a key, None where
    nobody has). `may`: what the viewer can do now; `barred`: a code that says why approving,
    which the role allows, is not among it.
    """

    uid: str
    kind: str
    state: str
    reason: str
    evidence: tuple[JsonValue, ...]
    effective_at: datetime | None
    targets: tuple[TargetView, ...]
    counts: Mapping[str, int]
    states: Mapping[str, int]
    claims: Mapping[str, int]
    sample: tuple[SampleRow, ...]
    truncated: bool
    reached: Reached | None
    changed: Changed | None
    dry_runs: int
    tried_at: datetime | None
    origin: str
    assignee: str | None
    progress: Progress
    verified: bool
    certificate: Mapping[str, JsonValue] | None
    shortfall: Mapping[str, JsonValue] | None
    rebuild: ToRebuild
    reinstates: str | None
    reinstated_by: str | None
    drafted_by: str | None
    approved_by: str | None
    created_at: datetime
    approved_at: datetime | None
    verified_at: datetime | None
    may: frozenset[str]
    barred: str


def case_view(viewer: Viewer, uid: str) -> CaseView:
    """One case. Raises CaseNotFound for what is unknown or another workspace's."""
    case = (
        Case.objects.filter(workspace_id=viewer.workspace_id, uid=uid)
        .select_related("reinstates", "would_reinstate", "assignee")
        .first()
    )
    if case is None:
        raise CaseNotFound(uid)
    reinstated_by = (
        Case.objects.filter(reinstates=case).values_list("uid", flat=True).order_by("id").first()
    )
    roles = _roles(case)
    counts = case.counts
    lifts = case.reinstates or case.would_reinstate
    bar = barred(viewer, case) if case.state == Case.State.READY else ""
    assignee = case.assignee.username if case.assignee else ""
    return CaseView(
        uid=case.uid,
        kind=case.kind,
        state=case.state,
        reason=case.reason,
        evidence=tuple(case.evidence),
        effective_at=case.effective_at,
        targets=_targets(viewer, case),
        counts=counts.get("grades", {}),
        states=counts.get("states", {}),
        claims=counts.get("claims", {}),
        sample=tuple(SampleRow(**row) for row in counts.get("sample", ())),
        truncated=bool(counts.get("truncated", False)),
        reached=_reached(counts),
        changed=_changed(counts),
        dry_runs=case.dry_runs,
        tried_at=case.tried_at,
        origin=case.origin,
        assignee=assignee if "operate" in viewer.scopes else None,
        progress=Progress(case.done, max(case.total, case.done)),
        verified=case.state == Case.State.VERIFIED,
        certificate=case.certificate,
        shortfall=counts.get("shortfall"),
        rebuild=to_rebuild(case),
        reinstates=lifts.uid if lifts else None,
        reinstated_by=reinstated_by,
        drafted_by=roles.get(case.drafted_by_id, MACHINE),
        approved_by=roles.get(case.approved_by_id, MACHINE) if case.approved_at else None,
        created_at=case.created_at,
        approved_at=case.approved_at,
        verified_at=case.verified_at,
        may=_may(viewer, case, reinstated=reinstated_by is not None)
        - ({"approve"} if bar else set()),
        barred=bar if "edit" in viewer.scopes else "",
    )


def _reached(counts: Mapping[str, JsonValue]) -> Reached | None:
    if "readers" not in counts:
        return None
    return Reached(
        counts["readers"], counts["unstated"], counts["units"], counts.get("external", 0)
    )


def _changed(counts: Mapping[str, JsonValue]) -> Changed | None:
    told = counts.get("changed")
    if told is None:
        return None
    return Changed(
        since=told["since"],
        added=told["added"],
        left=told["left"],
        states=told["states"],
        grades=told["grades"],
        claims=told["claims"],
        readers=told["readers"],
        units=told["units"],
    )


def _targets(viewer: Viewer, case: Case) -> tuple[TargetView, ...]:
    rows = CaseTarget.objects.filter(case=case).order_by("id").select_related("node")
    nodes = [row.node for row in rows[:_MOST_TARGETS]]
    seen = visible(viewer, nodes)
    return tuple(_target(node, hidden=not seen[node.pk]) for node in nodes)


def _target(node: Node, *, hidden: bool) -> TargetView:
    if hidden:
        return TargetView(node.uid, node.kind, None, None, None, hidden=True)
    return TargetView(
        node.uid, node.kind, node.key, node.namespace, node.label or node.key, hidden=False
    )


def _roles(case: Case) -> dict[int | None, str]:
    """The roles that those who drafted and approved it have now; a former member has none left."""
    users = [user for user in (case.drafted_by_id, case.approved_by_id) if user is not None]
    roles: dict[int | None, str] = dict.fromkeys(users, "")
    roles |= Membership.objects.filter(
        workspace_id=case.workspace_id, user_id__in=users
    ).values_list("user_id", "role")
    return roles


# What can be done in each state, and the scope that it needs.
_STEPS: Final[dict[str, dict[str, str]]] = {
    Case.State.DRAFT: {"dry_run": "operate", "reject": "edit", "cancel": "operate"},
    Case.State.READY: {
        "dry_run": "operate",
        "approve": "edit",
        "reject": "edit",
        "cancel": "operate",
    },
    Case.State.SCHEDULED: {"cancel": "edit"},
    Case.State.PROPAGATING: {"pause": "edit", "reinstate": "edit"},
    Case.State.PAUSED: {"resume": "edit", "reinstate": "edit"},
    Case.State.VERIFIED: {"reinstate": "edit"},
    Case.State.INCOMPLETE: {"prove_again": "edit", "reinstate": "edit"},
}


def _may(viewer: Viewer, case: Case, *, reinstated: bool) -> frozenset[str]:
    steps = _STEPS.get(case.state, {})
    return frozenset(
        step
        for step, scope in steps.items()
        if scope in viewer.scopes
        and not (step == "reinstate" and (reinstated or case.reinstates_id is not None))
        and not (step == "dry_run" and case.kind == REINSTATEMENT)
        and not (step == "prove_again" and (reinstated or not case.falls_short_of_proof))
    )
