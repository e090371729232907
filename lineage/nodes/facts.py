"""Facts with the chain that each comes from, and those that contradict each other.

Two facts contradict where subject and predicate are the same words and the object is not.
Only facts that the viewer may see, and whose words no case hides, are compared: neither
the others nor their number show.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from lineage.models import FactKey, Node, Reference
from lineage.nodes.authority import authorities
from lineage.nodes.find import find
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.nodes.states import node_states
from lineage.nodes.view import node as node_view
from lineage.nodes.view import views
from lineage.nodes.visible import visible
from lineage.types import NodeView, NotFound, Viewer
from lineage.vocabulary import Edge

# Sides of one contradiction that are looked at, and that are shown.
MOST_SIDES: Final = 200
MOST_SHOWN: Final = 20
# Contradictions that are looked at together, and how often for one page: the viewer may see few.
_AT_ONCE: Final = 50
_ROUNDS: Final = 20
_MOST_FACTS: Final = 5_000
_CHAIN: Final = ("chunk", "document", "source_version", "source")


@dataclass(frozen=True, slots=True)
class Side:
    """A fact with where it comes from: the nearest first, its chunk, and its source last.

    `components`: what extracted it. `authority`: of its source.
    """

    fact: NodeView
    chain: tuple[NodeView, ...]
    components: tuple[NodeView, ...]
    authority: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Facts of one subject and predicate, those of the source with the greatest authority first."""

    sides: tuple[Side, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ContradictionPage:
    """`next`: there may be more; how many there are in all is not told."""

    items: tuple[Contradiction, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class FactPage:
    """A fact, and those of the same subject and predicate that say something else."""

    side: Side
    against: Contradiction


def fact_page(viewer: Viewer, uid: str) -> FactPage:
    """The page of one fact. Raises NotFound, Moved, and Erased with the tombstone."""
    fact = find(viewer, uid)
    if fact.kind != "fact":
        raise NotFound(uid)
    node_view(viewer, uid)
    key = FactKey.objects.filter(node=fact).first()
    others: list[Node] = []
    if key is not None and _readable(viewer, [fact]):
        rows = FactKey.objects.filter(workspace_id=viewer.workspace_id, about=key.about)
        rows = rows.exclude(says=key.says).select_related("node").order_by("node_id")
        others = _readable(viewer, [row.node for row in rows[:MOST_SIDES]])
    sides = _sides(viewer, [fact, *others])
    return FactPage(sides[fact.pk], _contradiction(sides[node.pk] for node in others))


def contradictions(
    viewer: Viewer, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> ContradictionPage:
    """Contradictory facts, a page at a time, in no order that means anything. Raises CursorInvalid."""
    size, after = bounded(limit), _after(cursor)
    found: dict[str, list[Node]] = {}
    for _ in range(_ROUNDS):
        abouts = _candidates(viewer, after)
        found |= _groups(viewer, abouts)
        if not abouts or len(found) > size:
            break
        after = abouts[-1]
    page = sorted(found)[:size]
    # Whether there are others is told of what the viewer may see, as far as was looked.
    following = page[-1] if len(found) > size else after if abouts else None
    sides = _sides(viewer, [node for about in page for node in found[about]])
    return ContradictionPage(
        tuple(_contradiction(sides[node.pk] for node in found[about]) for about in page),
        write_cursor(following) if following is not None else None,
    )


def _after(cursor: str | None) -> str:
    if cursor is None:
        return ""
    (after,) = read_cursor(cursor, str)
    if after is None:
        raise CursorInvalid
    return str(after)


def _candidates(viewer: Viewer, after: str) -> list[str]:
    """What facts are about of which several things are said, whoever may see them."""
    rows = FactKey.objects.filter(workspace_id=viewer.workspace_id, about__gt=after)
    several = rows.values("about").annotate(different=Count("says", distinct=True))
    several = several.filter(different__gt=1).order_by("about")
    return list(several.values_list("about", flat=True)[:_AT_ONCE])


def _groups(viewer: Viewer, abouts: Collection[str]) -> dict[str, list[Node]]:
    """The facts about each that the viewer may read, where they say different things."""
    rows = FactKey.objects.filter(workspace_id=viewer.workspace_id, about__in=abouts)
    keys = list(rows.select_related("node").order_by("node_id")[:_MOST_FACTS])
    readable = {node.pk for node in _readable(viewer, [key.node for key in keys])}
    groups: dict[str, list[Node]] = defaultdict(list)
    said: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        if key.node_id in readable:
            groups[key.about].append(key.node)
            said[key.about].add(key.says)
    return {about: nodes for about, nodes in groups.items() if len(said[about]) > 1}


def _readable(viewer: Viewer, facts: Sequence[Node]) -> list[Node]:
    seen = visible(viewer, facts)
    states = node_states(viewer.workspace_id, facts)
    return [fact for fact in facts if seen[fact.pk] and not states[fact.pk].passage_hidden]


def _contradiction(sides: Iterable[Side]) -> Contradiction:
    ordered = sorted(sides, key=_order)
    return Contradiction(tuple(ordered[:MOST_SHOWN]), len(ordered))


def _order(side: Side) -> tuple[int, float, str]:
    at = side.fact.occurred_at
    return (-side.authority, -at.timestamp() if at else float("inf"), side.fact.uid)


def _sides(viewer: Viewer, facts: Sequence[Node]) -> dict[int, Side]:
    """The facts with their chains, by node id; the queries do not grow with them."""
    chains = _chains(facts)
    doers = _components(viewer, facts)
    nodes = {node.pk: node for node in facts}
    nodes |= {node.pk: node for chain in chains.values() for node in chain}
    nodes |= {node.pk: node for some in doers.values() for node in some}
    shown = {view.uid: view for view in views(viewer, list(nodes.values()))}
    sources = {pk: chain[-1].pk for pk, chain in chains.items() if chain[-1:] and _is_source(chain)}
    weights = authorities(viewer, set(sources.values()))
    return {
        fact.pk: Side(
            fact=shown[fact.uid],
            chain=tuple(shown[node.uid] for node in chains[fact.pk]),
            components=tuple(shown[node.uid] for node in doers.get(fact.pk, ())),
            authority=weights.get(sources.get(fact.pk, 0), 0),
        )
        for fact in facts
    }


def _is_source(chain: Sequence[Node]) -> bool:
    return chain[-1].kind == "source"


def _chains(facts: Sequence[Node]) -> dict[int, list[Node]]:
    """Each fact's places, one in the other: chunk, document, version, source."""
    chains: dict[int, list[Node]] = {fact.pk: [] for fact in facts}
    parents = {fact.pk: fact.parent_id for fact in facts}
    for _kind in _CHAIN:
        found = Node.objects.in_bulk({pk for pk in parents.values() if pk is not None})
        for fact_id, parent_id in parents.items():
            parent = found.get(parent_id or 0)
            if parent is not None:
                chains[fact_id].append(parent)
            parents[fact_id] = parent.parent_id if parent is not None else None
    return chains


def _components(viewer: Viewer, facts: Sequence[Node]) -> Mapping[int, list[Node]]:
    """What extracted each fact, by way of its run."""
    made = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        edge=Edge.WAS_GENERATED_BY,
        from_node_id__in=[fact.pk for fact in facts],
    )
    runs = dict(made.order_by("pk").values_list("from_node_id", "to_node_id"))
    rows = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        edge=Edge.WAS_ASSOCIATED_WITH,
        from_node_id__in=set(runs.values()),
        to_node__isnull=False,
    ).select_related("to_node")
    by_run: dict[int, list[Node]] = defaultdict(list)
    for row in rows.order_by("pk"):
        if row.from_node_id is not None and row.to_node is not None:
            by_run[row.from_node_id].append(row.to_node)
    return {fact: by_run.get(run or 0, []) for fact, run in runs.items() if fact is not None}
