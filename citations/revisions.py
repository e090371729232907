"""Other revisions of an answer: what it revises, what revises it, what it was served from."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from citations.upstream import Upstream
from lineage.cases.register import states_of
from lineage.compiled import Compiled
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


_SAME_KEY: Final = Compiled(
    lambda given: (
        Node.objects.filter(
            workspace_id=given.id("workspace"), address=given.text("address"), resolved=True
        )
        .only("pk", "uid", "occurred_at")
        .order_by("occurred_at", "uid")[: _MOST + 1]
    )
)
_EARLIER: Final = Compiled(
    lambda given: (
        Reference.objects.filter(
            workspace_id=given.id("workspace"),
            edge=Edge.WAS_REVISION_OF,
            from_node_id__in=given.ids("nodes"),
            to_node__isnull=False,
        )
        .order_by("pk")
        .values_list("to_node_id")[:_MOST]
    )
)
_LATER: Final = Compiled(
    lambda given: (
        Reference.objects.filter(
            workspace_id=given.id("workspace"),
            edge=Edge.WAS_REVISION_OF,
            to_node_id__in=given.ids("nodes"),
            from_node__isnull=False,
        )
        .order_by("pk")
        .values_list("from_node_id")[:_MOST]
    )
)


def revisions_of(
    workspace_id: int, answer: Node, upstream: Upstream, *, any_active: bool | None = None
) -> Revisions:
    """Follow revisions both ways, eight steps at most; one query a step, and one for the states.

    Revisions of one key without a word about each other count too: by their times.
    """
    earlier, later = _chain(workspace_id, answer, upstream)
    origins = upstream.causes(answer.pk, Edge.SERVED_FROM)
    served = origins[0] if origins else None
    every = [*earlier, *later, *([served] if served is not None else [])]
    if not every:
        return Revisions()
    states = states_of(workspace_id, [node.pk for node in every], any_active=any_active)
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
    _follow(workspace_id, earlier, {answer.pk}, set(earlier), _EARLIER)
    _follow(workspace_id, later, {answer.pk}, {answer.pk}, _LATER)
    same_key = _SAME_KEY.instances(workspace=workspace_id, address=answer.address)
    for node in [each for each in same_key if each.pk != answer.pk][:_MOST]:
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
    step: "Compiled[Reference]",
) -> None:
    """Add to `found` what revisions lead to, step by step."""
    for _ in range(_MOST_STEPS):
        if not frontier:
            return
        ids = [pk for (pk,) in step.rows(workspace=workspace_id, nodes=frontier)]
        seen |= frontier
        fresh = [pk for pk in dict.fromkeys(ids) if pk not in seen]
        nodes = Node.objects.filter(workspace_id=workspace_id).in_bulk(fresh) if fresh else {}
        found |= {pk: nodes[pk] for pk in fresh if pk in nodes}
        frontier = set(fresh)


def _time(node: Node) -> tuple[float, str]:
    return (node.occurred_at.timestamp() if node.occurred_at else float("-inf"), node.uid)
