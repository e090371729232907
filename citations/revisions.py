"""Other revisions of an answer: what it revises, what revises it, what it was served from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from citations.upstream import Upstream
from lineage.cases.register import states_of
from lineage.models import Node, Reference
from lineage.vocabulary import Edge

_MOST_STEPS: Final = 8
_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class Revision:
    """Another revision of this answer, or the answer that it was served from."""

    uid: str
    occurred_at: datetime | None
    state: str


@dataclass(frozen=True, slots=True)
class Revisions:
    """Earlier ones newest first, later ones oldest first."""

    earlier: tuple[Revision, ...] = ()
    later: tuple[Revision, ...] = ()
    served_from: Revision | None = None


def revisions_of(workspace_id: int, answer: Node, upstream: Upstream) -> Revisions:
    """Follow revisions both ways, eight steps at most; one query a step, and one for the states.

    Revisions of one key without a word about each other count too: by their times.
    """
    earlier, later = _chain(workspace_id, answer)
    origins = upstream.causes(answer.pk, Edge.SERVED_FROM)
    served = origins[0] if origins else None
    every = [*earlier, *later, *([served] if served is not None else [])]
    if not every:
        return Revisions()
    states = states_of(workspace_id, [node.pk for node in every])
    shown = {n.pk: Revision(n.uid, n.occurred_at, states[n.pk].state.word) for n in every}
    return Revisions(
        tuple(shown[node.pk] for node in earlier),
        tuple(shown[node.pk] for node in later),
        shown[served.pk] if served is not None else None,
    )


def _chain(workspace_id: int, answer: Node) -> tuple[list[Node], list[Node]]:
    earlier: dict[int, Node] = {}
    later: dict[int, Node] = {}
    same_key = Node.objects.filter(
        workspace_id=workspace_id, address=answer.address, resolved=True
    ).exclude(pk=answer.pk)
    for node in same_key.order_by("occurred_at", "uid")[:_MOST]:
        side = earlier if _time(node) < _time(answer) else later
        side[node.pk] = node
    backward, forward = {answer.pk}, {answer.pk}
    for _ in range(_MOST_STEPS):
        rows = list(
            Reference.objects.filter(
                Q(from_node_id__in=backward) | Q(to_node_id__in=forward),
                workspace_id=workspace_id,
                edge=Edge.WAS_REVISION_OF,
                to_node__isnull=False,
            )
            .select_related("from_node", "to_node")
            .order_by("pk")[:_MOST]
        )
        before = _reached(rows, backward, to_cause=True) - earlier.keys() - {answer.pk}
        after = _reached(rows, forward, to_cause=False) - later.keys() - {answer.pk}
        for row in rows:
            if row.to_node is not None and row.to_node.pk in before:
                earlier[row.to_node.pk] = row.to_node
            if row.from_node is not None and row.from_node.pk in after:
                later[row.from_node.pk] = row.from_node
        backward, forward = before, after
        if not before and not after:
            break
    return (
        sorted(earlier.values(), key=_time, reverse=True),
        sorted((node for pk, node in later.items() if pk not in earlier), key=_time),
    )


def _reached(rows: list[Reference], frontier: set[int], *, to_cause: bool) -> set[int]:
    if to_cause:
        return {row.to_node_id for row in rows if row.from_node_id in frontier and row.to_node_id}
    return {row.from_node_id for row in rows if row.to_node_id in frontier and row.from_node_id}


def _time(node: Node) -> tuple[float, str]:
    return (node.occurred_at.timestamp() if node.occurred_at else float("-inf"), node.uid)
