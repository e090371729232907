"""Two component versions or two index snapshots side by side: what was gained, lost and changed.

One definition of the pairs (lineage.comparison.pairs) stands behind counts and lists, so
that they agree. Nothing is said beyond what was looked at: `cut` marks a stage of which there
is more. What the viewer may not see is neither compared nor counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lineage.cases.register import active, has_active
from lineage.comparison.answers import Retrieved, latest_answers, retrieved_for, revisions
from lineage.comparison.pairs import (
    Change,
    Made,
    Pair,
    pair_answers,
    pair_chunks,
    pair_documents,
    pair_facts,
    pair_retrieved,
)
from lineage.comparison.sides import Sides, sides_of
from lineage.compiled import by_their_ids
from lineage.models import Node, Withdrawal
from lineage.nodes.component_versions import versions_beside
from lineage.nodes.find import find
from lineage.nodes.paging import (
    DEFAULT_LIMIT,
    CursorInvalid,
    bounded,
    newest_first,
    read_cursor,
    write_cursor,
)
from lineage.nodes.view import node as node_view
from lineage.nodes.view import views
from lineage.types import NodeView, NotFound, Viewer
from provexplorer import clock

STAGES: Final = ("documents", "chunks", "facts", "retrieved", "answers")
# Instead of a stage: the first of which either side has anything.
FIRST: Final = "first"
_OF_SOURCES: Final = ("documents", "chunks", "facts")
_CHANGES: Final = frozenset(change.value for change in Change)
COMPARED: Final = ("component", "index_snapshot")


class NotComparable(ValueError):
    """Two nodes of different kinds, or the same one twice."""


class UnknownStage(ValueError):
    """A list of a stage or change that does not exist."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How many pairs of each change, every change present; `cut`: at least so many."""

    name: str
    counts: Mapping[Change, int]
    cut: bool

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class FactQuality:
    """Of the facts of one side: how many, what they are about, and what speaks against them.

    `contradicted`: subjects with a predicate of which they say several things. `under_case`:
    facts on which a case is in effect. `confidence`: the mean of those stated, None without any.
    """

    facts: int
    statements: int
    contradicted: int
    under_case: int
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair of a list; `kept`, `lost` and `gained` are passages, of what was retrieved alone.

    `source`: of documents, chunks and facts.
    """

    change: Change
    old: NodeView | None
    new: NodeView | None
    source: NodeView | None = None
    kept: int = 0
    lost: int = 0
    gained: int = 0


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """A page of one stage; `total` is the number that its `change` (all without one) counts."""

    stage: Stage
    change: Change | None
    items: tuple[Compared, ...]
    next: str | None
    total: int


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """`facts`: (old, new), None where neither side has facts. `hidden` source versions are left out."""

    old: NodeView
    new: NodeView
    stages: tuple[Stage, ...]
    facts: tuple[FactQuality, FactQuality] | None
    hidden: int
    page: ComparedPage | None


@dataclass(frozen=True, slots=True)
class ComparableWith:
    """A component or snapshot, and the `others` that it may be compared with."""

    node: NodeView
    others: tuple[NodeView, ...]


def comparison(
    viewer: Viewer,
    old: str,
    new: str,
    *,
    stage: str = "",
    change: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> ComparisonView:
    """What changed from `old` to `new`; with a `stage` (or FIRST), a page of its pairs, too.

    Raises NotFound for an unknown or foreign uid and for what is neither component nor index
    snapshot, Moved for an alias, NotComparable, UnknownStage, CursorInvalid.
    """
    nodes = [find(viewer, uid) for uid in (old, new)]
    if any(node.kind not in COMPARED for node in nodes):
        raise NotFound
    if nodes[0].kind != nodes[1].kind or nodes[0].pk == nodes[1].pk:
        raise NotComparable
    if stage not in ("", FIRST, *STAGES) or (change and change not in _CHANGES):
        raise UnknownStage
    found = _Comparison(viewer, nodes[0], nodes[1])
    stages = tuple(found.stage(name) for name in STAGES)
    if stage == FIRST:
        stage = next((each.name for each in stages if each.total), STAGES[0])
    return ComparisonView(
        old=node_view(viewer, old),
        new=node_view(viewer, new),
        stages=stages,
        facts=found.fact_quality(),
        hidden=found.sides.hidden,
        page=found.page(stage, Change(change) if change else None, bounded(limit), cursor)
        if stage
        else None,
    )


def comparable_with(viewer: Viewer, uid: str, *, limit: int = DEFAULT_LIMIT) -> ComparableWith:
    """What a component or index snapshot may be compared with, the newest first, at most so many.

    Of a component, the other versions and configurations of its name; of a snapshot, the
    others. Raises NotFound and Moved as `comparison` does.
    """
    found = find(viewer, uid)
    if found.kind not in COMPARED:
        raise NotFound
    if found.kind == "component":
        beside = versions_beside(viewer, found, limit=limit + 1).items
        uids = [each.uid for each in beside if each.uid != found.uid]
        nodes = Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=uids)
    else:
        nodes = Node.objects.filter(workspace_id=viewer.workspace_id, kind=found.kind)
        nodes = nodes.exclude(pk=found.pk)
    others = list(nodes.order_by(*newest_first())[: bounded(limit)])
    return ComparableWith(node_view(viewer, uid), tuple(views(viewer, others)))


class _Comparison:
    """Reads and pairs each stage once, when it is first asked for."""

    def __init__(self, viewer: Viewer, old: Node, new: Node) -> None:
        self._viewer, self._old, self._new = viewer, old, new
        self._pairs: Mapping[str, Callable[[], list[Pair]]] = {
            "documents": lambda: self._documents,
            "chunks": lambda: self._chunks,
            "facts": lambda: self._facts,
            "retrieved": lambda: self._retrieved[0],
            "answers": lambda: self._answers[0],
        }

    @cached_property
    def sides(self) -> Sides:
        return sides_of(self._viewer, self._old, self._new)

    def stage(self, name: str) -> Stage:
        counts = Counter(pair.change for pair in self._pairs[name]())
        cut = {"answers": lambda: self._answers[1], "retrieved": lambda: self._retrieved[2]}
        return Stage(
            name, {change: counts[change] for change in Change},
            cut.get(name, lambda: self.sides.cut)(),
        )  # fmt: skip

    def page(self, name: str, change: Change | None, size: int, cursor: str | None) -> ComparedPage:
        pairs = [pair for pair in self._pairs[name]() if change in (None, pair.change)]
        pairs.sort(key=lambda pair: pair.order)
        left = pairs
        if cursor is not None:
            place = read_cursor(cursor, int, int, int)
            if None in place:
                raise CursorInvalid
            left = [pair for pair in pairs if pair.order > place]
        page = left[:size]
        return ComparedPage(
            stage=self.stage(name),
            change=change,
            items=tuple(self._shown(name, page)),
            next=write_cursor(*page[-1].order) if len(left) > size else None,
            total=len(pairs),
        )

    def fact_quality(self) -> tuple[FactQuality, FactQuality] | None:
        old, new = self.sides.facts
        return (self._quality(old), self._quality(new)) if old or new else None

    @cached_property
    def _documents(self) -> list[Pair]:
        return pair_documents(*self.sides.documents)

    @cached_property
    def _chunks(self) -> list[Pair]:
        return pair_chunks(self._documents, *self.sides.chunks)

    @cached_property
    def _facts(self) -> list[Pair]:
        return pair_facts(*self.sides.facts)

    @cached_property
    def _answers(self) -> tuple[list[Pair], bool]:
        (old, more_old), (new, more_new) = (
            latest_answers(self._viewer, node) for node in (self._old, self._new)
        )
        earlier = revisions(self._viewer, [one.pk for one in new])
        return pair_answers(old, new, earlier), more_old or more_new

    @cached_property
    def _retrieved(self) -> tuple[list[Pair], Retrieved, bool]:
        answers, more = self._answers
        ids = {pk for pair in answers for pk in (pair.old, pair.new) if pk is not None}
        found, cut = retrieved_for(self._viewer, ids, self._chunks)
        return pair_retrieved(answers, found), found, more or cut

    def _quality(self, facts: Sequence[Made]) -> FactQuality:
        says: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            says[fact.about].add(fact.digest)
        stated = [
            self.sides.confidence[fact.pk] for fact in facts if fact.pk in self.sides.confidence
        ]
        return FactQuality(
            facts=len(facts),
            statements=len(says),
            contradicted=sum(len(said) > 1 for said in says.values()),
            under_case=_under_case(self._viewer, {fact.pk for fact in facts}),
            confidence=sum(stated) / len(stated) if stated else None,
        )

    def _shown(self, name: str, pairs: Sequence[Pair]) -> list[Compared]:
        retrieved = self._retrieved[1] if name == "retrieved" else {}
        places = {pair.order[0] for pair in pairs} if name in _OF_SOURCES else set()
        sources = self._sources(places)
        ids = {pk for pair in pairs for pk in (pair.old, pair.new) if pk is not None}
        seen = self._views(ids | {source.pk for source in sources.values()})
        shown = []
        for pair in pairs:
            before, after = (retrieved.get(pk or 0, frozenset()) for pk in (pair.old, pair.new))
            source = sources.get(pair.order[0])
            shown.append(
                Compared(
                    change=pair.change,
                    old=seen.get(pair.old or 0),
                    new=seen.get(pair.new or 0),
                    source=seen.get(source.pk) if source is not None else None,
                    kept=len(before & after),
                    lost=len(before - after),
                    gained=len(after - before),
                )
            )
        return shown

    def _sources(self, places: Collection[int]) -> dict[int, Node]:
        """The source of each place: itself, or that of a source version."""
        rows = by_their_ids(Node.objects.filter(pk__in=places), self._viewer.workspace_id)
        found = {node.pk: node for node in rows.select_related("parent").order_by("pk")}
        return {pk: node.parent if node.parent is not None else node for pk, node in found.items()}

    def _views(self, ids: Collection[int]) -> dict[int, NodeView]:
        rows = by_their_ids(Node.objects.filter(pk__in=ids), self._viewer.workspace_id)
        nodes = list(rows.order_by("pk"))
        return {node.pk: view for node, view in zip(nodes, views(self._viewer, nodes), strict=True)}


def _under_case(viewer: Viewer, facts: Collection[int]) -> int:
    """How many of these a case names that is in effect."""
    if not facts or not has_active(viewer.workspace_id):
        return 0
    rows = Withdrawal.objects.filter(
        active(clock.now()), workspace_id=viewer.workspace_id, node__kind="fact"
    )
    named = rows.order_by("node_id").values_list("node_id", flat=True).distinct()
    return len(set(facts).intersection(named.iterator()))
