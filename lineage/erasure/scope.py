"""What an erasure takes: its targets, all that has its place in them, and all that was made of them.

The same that reads show as erased: the walk follows the edges of lineage.cases.ancestry, from
causes to effects, through the kinds that carry text of a source. Whether the key of an owner
is destroyed or changed follows from it: destroyed where the owner itself is erased.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from lineage.cases.ancestry import sliced
from lineage.content.tombstones import OF_A_SOURCE
from lineage.models import Case, Node, Reference, RestsOn, Withdrawal
from lineage.vocabulary import UPSTREAM_EDGES, Edge

_WALKED: Final = tuple(edge for edge in UPSTREAM_EDGES if edge is not Edge.WAS_ATTRIBUTED_TO)
# Nodes that one case may erase; a larger one is to be split.
MOST_NODES: Final = 500_000


class ScopeTooLarge(Exception):
    """One case would erase more nodes than one ledger can account for."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Ids of nodes to erase, and of the owners whose key is destroyed or changed."""

    nodes: frozenset[int]
    whole: frozenset[int]
    partly: frozenset[int]


def scope_of(case: Case) -> Scope:
    """The scope of an approved case, as it is now. Raises ScopeTooLarge."""
    rows = Withdrawal.objects.filter(case=case).order_by("node_id")
    return scope_from(case.workspace_id, set(rows.values_list("node_id", flat=True)))


def scope_from(workspace_id: int, targets: Collection[int]) -> Scope:
    """The scope of an erasure of these nodes. Raises ScopeTooLarge."""
    reached = set(targets)
    frontier = set(targets)
    while frontier:
        found: set[int] = set()
        for ids in sliced(frontier):
            found |= set(
                Node.objects.filter(
                    workspace_id=workspace_id, parent_id__in=ids, kind__in=OF_A_SOURCE
                ).values_list("pk", flat=True)
            )
            found |= set(
                Reference.objects.filter(
                    workspace_id=workspace_id,
                    to_node_id__in=ids,
                    edge__in=_WALKED,
                    from_node__kind__in=OF_A_SOURCE,
                ).values_list("from_node_id", flat=True)
            )
        frontier = found - reached
        reached |= frontier
        if len(reached) > MOST_NODES:
            raise ScopeTooLarge
    nodes: set[int] = set()
    owners: set[int] = set()
    for ids in sliced(reached):
        rows = Node.objects.filter(workspace_id=workspace_id, pk__in=ids, kind__in=OF_A_SOURCE)
        for pk, owner_id in rows.values_list("pk", "owner_id"):
            nodes.add(pk)
            owners.add(owner_id or pk)
    whole = owners & nodes
    return Scope(frozenset(nodes), frozenset(whole), frozenset(owners - whole))


def dependents(workspace_id: int, nodes: Collection[int]) -> list[int]:
    """Owners (ids, ascending) of texts that may repeat the erased ones.

    Answers that rest on them, retrievals and contexts that hold them.
    """
    found: set[int] = set()
    for ids in sliced(nodes):
        rests = RestsOn.objects.filter(target_id__in=ids, answer__workspace_id=workspace_id)
        found |= set(rests.values_list("answer_id", flat=True).distinct())
        beside = (
            Reference.objects.filter(
                workspace_id=workspace_id, to_node_id__in=ids, from_node__isnull=False
            )
            .exclude(from_node__kind__in=OF_A_SOURCE)
            .values_list("from_node__owner_id", "from_node_id")
        )
        found |= {owner or pk or 0 for owner, pk in beside}
    return sorted(found - {0})
