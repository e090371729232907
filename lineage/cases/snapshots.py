"""Index snapshots that hold what a case is about, and have to be built anew without it.

A snapshot is immutable: withdrawing a chunk hides it from every read here, but a retriever that
still asks the old index will find it again. Membership is not crossed by impact (a chunk affects
the answers that retrieved it), so this is asked apart.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from lineage.cases import targets
from lineage.cases.register import active
from lineage.models import Case, CaseTarget, Node, Reference, Withdrawal
from lineage.vocabulary import KINDS, Edge
from provexplorer import clock

# Kinds of case after which the content is used no more, or another one is to be used.
EMPTYING: Final = frozenset(
    {
        "correction", "supersession", "retraction", "revocation", "expiry", "erasure",
        "defective_component",
    }
)  # fmt: skip
# Nodes looked at; beyond, there may be more snapshots than are told.
MOST_NODES: Final = 50_000
MOST_SNAPSHOTS: Final = 50
_SLICE: Final = 5_000
_MOST_STEPS: Final = 64
_DOWN: Final = (Edge.SPECIALIZATION_OF, Edge.WAS_DERIVED_FROM)
# What a run or a component has made.
_MADE: Final = (Edge.WAS_GENERATED_BY, Edge.WAS_ASSOCIATED_WITH)
# Tried out, and not yet in effect: what it would put into the register is known.
_TRIED: Final = (Case.State.READY, Case.State.SCHEDULED)
_MAY_BE_INDEXED: Final = tuple(kind.name for kind in KINDS.values() if kind.stage in range(1, 6))


@dataclass(frozen=True, slots=True)
class SnapshotToRebuild:
    """An index snapshot, by uid and label, and how many of its members are under the case."""

    uid: str
    label: str
    members: int


@dataclass(frozen=True, slots=True)
class ToRebuild:
    """Snapshots in the order of their uids; `truncated`: there may be more, or more members."""

    snapshots: tuple[SnapshotToRebuild, ...]
    truncated: bool


def to_rebuild(case: Case) -> ToRebuild:
    """The snapshots that hold something under the case, from its dry run until it is lifted.

    Before it takes effect they are those that an approval of this moment would tell.
    """
    if case.kind not in EMPTYING:
        return ToRebuild((), truncated=False)
    found, truncated = _downstream(case.workspace_id, _under(case))
    members: Counter[int] = Counter()
    for some in _slices(found):
        holding = Reference.objects.filter(
            workspace_id=case.workspace_id, edge=Edge.HAD_MEMBER, to_node_id__in=some
        ).order_by("from_node_id")
        counted = holding.values_list("from_node_id").annotate(
            members=Count("to_node_id", distinct=True)
        )
        members.update({snapshot or 0: number for snapshot, number in counted})
    nodes = Node.objects.filter(workspace_id=case.workspace_id, pk__in=list(members))
    shown = list(nodes.order_by("uid").values_list("pk", "uid", "label")[: MOST_SNAPSHOTS + 1])
    return ToRebuild(
        tuple(
            SnapshotToRebuild(uid, label, members[pk]) for pk, uid, label in shown[:MOST_SNAPSHOTS]
        ),
        truncated=truncated or len(shown) > MOST_SNAPSHOTS,
    )


def _under(case: Case) -> dict[int, str]:
    """The nodes that the case withdraws, or would withdraw, and their kinds; the least ids first."""
    if case.state in _TRIED:
        named = CaseTarget.objects.filter(case=case).order_by("node_id")
        would = targets.expanded(case.workspace_id, set(named.values_list("node_id", flat=True)))
        kinds: dict[int, str] = {}
        for some in _slices(sorted(would)[:MOST_NODES]):
            rows = Node.objects.filter(workspace_id=case.workspace_id, pk__in=some)
            kinds.update(rows.order_by("pk").values_list("pk", "kind"))
        return kinds
    withdrawn = Withdrawal.objects.filter(
        active(clock.now()), case=case, workspace_id=case.workspace_id
    ).order_by("node_id")
    return dict(withdrawn.values_list("node_id", "node__kind")[:MOST_NODES])


def _downstream(workspace_id: int, causes: dict[int, str]) -> tuple[set[int], bool]:
    """What is derived from the causes and may be indexed, they included; True where it was cut."""
    found, frontier = set(causes), set(causes)
    made = {pk for pk, kind in causes.items() if kind in ("run", "component")}
    for _ in range(_MOST_STEPS):
        if not frontier:
            return found, False
        fresh: set[int] = set()
        for some in _slices(frontier):
            fresh |= _pointing_at(workspace_id, some, _DOWN, _MAY_BE_INDEXED)
        for some in _slices(made):
            fresh |= _pointing_at(workspace_id, some, _MADE, ("run", *_MAY_BE_INDEXED))
        frontier = fresh - found
        # Runs of a component go on to what they made, once.
        runs = Node.objects.filter(workspace_id=workspace_id, pk__in=list(frontier), kind="run")
        made = set(runs.values_list("pk", flat=True)) if made else set()
        if len(found) + len(frontier) > MOST_NODES:
            return found, True
        found |= frontier
    return found, True


def _pointing_at(
    workspace_id: int, causes: list[int], edges: Iterable[Edge], kinds: Iterable[str]
) -> set[int]:
    rows = Reference.objects.filter(
        workspace_id=workspace_id,
        to_node_id__in=causes,
        edge__in=list(edges),
        from_node__kind__in=list(kinds),
    ).order_by("from_node_id")
    ids = rows.values_list("from_node_id", flat=True).distinct()[: MOST_NODES + 1]
    return {pk for pk in ids if pk is not None}


def _slices(ids: Iterable[int]) -> Iterable[list[int]]:
    every = sorted(ids)
    for start in range(0, len(every), _SLICE):
        yield every[start : start + _SLICE]
