"""Other revisions of an answer: what it revises, what revises it, what it was served from."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

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
    earlier, later = _chain(workspace_id, answer, upstream)
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


def served_from(workspace_id: int, answer_ids: Collection[int]) -> list[Node]:
    """The answers that these were served from, and those again, eight steps at most."""
    found: dict[int, Node] = {}
    frontier = set(answer_ids)
    for _ in range(_MOST_STEPS if frontier else 0):
        rows = Node.objects.filter(
            workspace_id=workspace_id,
            edges_in__from_node_id__in=frontier,
            edges_in__edge=Edge.SERVED_FROM,
        ).order_by("pk")
        fresh = {node.pk: node for node in rows if node.pk not in found}
        if not fresh:
            break
        found |= fresh
        frontier = set(fresh)
    return [node for pk, node in found.items() if pk not in answer_ids]


def _chain(workspace_id: int, answer: Node, upstream: Upstream) -> tuple[list[Node], list[Node]]:
    earlier = {node.pk: node for node in upstream.causes(answer.pk, Edge.WAS_REVISION_OF)}
    later: dict[int, Node] = {}
    _follow(workspace_id, earlier, {answer.pk}, set(earlier), near="from_node", far="to_node")
    _follow(workspace_id, later, {answer.pk}, {answer.pk}, near="to_node", far="from_node")
    same_key = Node.objects.filter(
        workspace_id=workspace_id, address=answer.address, resolved=True
    ).exclude(pk=answer.pk)
    for node in same_key.order_by("occurred_at", "uid")[:_MOST]:
        if node.pk not in earlier and node.pk not in later:
            (earlier if _time(node) < _time(answer) else later)[node.pk] = node
    return (
        sorted(earlier.values(), key=_time, reverse=True),
        sorted((node for pk, node in later.items() if pk not in earlier), key=_time),
    )


def _follow(
    workspace_id: int,
    found: dict[int, Node],
    seen: set[int],
    frontier: set[int],
    *,
    near: Literal["from_node", "to_node"],
    far: Literal["from_node", "to_node"],
) -> None:
    """Add to `found` what revisions lead to, from the near end of their edges to the far one."""
    for _ in range(_MOST_STEPS):
        if not frontier:
            return
        rows = (
            Reference.objects.filter(
                workspace_id=workspace_id,
                edge=Edge.WAS_REVISION_OF,
                **{f"{near}_id__in": frontier, f"{far}__isnull": False},
            )
            .select_related(far)
            .order_by("pk")[:_MOST]
        )
        seen |= frontier
        reached = {node.pk: node for row in rows if (node := getattr(row, far)) is not None}
        frontier = reached.keys() - seen
        found |= {pk: reached[pk] for pk in frontier}


def _time(node: Node) -> tuple[float, str]:
    return (node.occurred_at.timestamp() if node.occurred_at else float("-inf"), node.uid)
