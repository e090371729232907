"""What one answer rests on, with the strongest grade of each: a plain walk over edges in memory.

The rules are those of impact (docs/architecture.md, edge table), read from the
answer upwards instead of from the cause downwards.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final, NamedTuple

from lineage.vocabulary import KINDS, Edge, Grade

_ITEMS: Final = frozenset({"chunk", "fact"})
_SPOKEN_FOR_STAGES: Final = range(1, 5)
# The edges on which the walk goes on from a node, by its kind; an answer is an end, not a way.
_FOLLOWED: Final[dict[str, tuple[Edge, ...]]] = {
    "claim": (Edge.CITES, Edge.WAS_GENERATED_BY),
    "citation": (Edge.WAS_QUOTED_FROM, Edge.WAS_GENERATED_BY),
    "retrieval": (Edge.USED_SNAPSHOT, Edge.WAS_GENERATED_BY),
    "context": (Edge.WAS_DERIVED_FROM, Edge.WAS_INFLUENCED_BY, Edge.WAS_GENERATED_BY),
    "index_snapshot": (Edge.WAS_INFLUENCED_BY, Edge.WAS_GENERATED_BY),
    "run": (Edge.WAS_ASSOCIATED_WITH,),
    "agent": (),
    "component": (),
    "answer": (),
}
_OF_MATERIAL: Final = (Edge.WAS_DERIVED_FROM, Edge.SPECIALIZATION_OF, Edge.WAS_GENERATED_BY)


@dataclass(slots=True)
class Edges:
    """The part of the graph that some answers can rest on, by node id."""

    out: dict[int, dict[str, list[int]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    kinds: dict[int, str] = field(default_factory=dict)
    # Node → [(agent, role)]
    credits: dict[int, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    # Answer → its claims.
    claims: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    # Run → what it used, loaded only for runs that speak for an output.
    used: dict[int, list[int]] = field(default_factory=dict)

    def of(self, node: int, edge: Edge) -> list[int]:
        """The nodes at the other end of this node's edges of a type."""
        edges = self.out.get(node)
        return edges.get(edge, []) if edges else []


class Rest(NamedTuple):
    """`via`: the next node on the shortest chain from this node towards the answer."""

    grade: Grade
    via: int
    origin_grade: int = 0


def speaks_for(edges: Edges, node: int) -> list[int]:
    """The runs that speak for a node because it has no derivation of its own; none where it has."""
    if KINDS[edges.kinds[node]].stage not in _SPOKEN_FOR_STAGES:
        return []
    if edges.of(node, Edge.WAS_DERIVED_FROM):
        return []
    return edges.of(node, Edge.WAS_GENERATED_BY)


def rests_on(answer: int, edges: Edges) -> dict[int, Rest]:
    """Everything the answer rests on without a cache, each with its strongest grade."""
    walk = _Walk(answer, edges)
    contexts = edges.of(answer, Edge.WAS_DERIVED_FROM)
    retrievals = [
        retrieval for context in contexts for retrieval in edges.of(context, Edge.WAS_DERIVED_FROM)
    ]
    quoted: set[int] = set()
    for claim in edges.claims.get(answer, ()):
        walk.seed(Grade.CITED, claim, answer)
        for citation in edges.of(claim, Edge.CITES):
            quoted.update(edges.of(citation, Edge.WAS_QUOTED_FROM))
    included: set[int] = set()
    for context in contexts:
        walk.seed(Grade.PRODUCED, context, answer)
        for item in edges.of(context, Edge.INCLUDED):
            included.add(item)
            walk.seed(Grade.IN_CONTEXT, item, context)
    grades = _ItemGrades(edges, quoted, included)
    for retrieval in retrievals:
        for item in edges.of(retrieval, Edge.RETRIEVED):
            walk.seed(grades.of(item), item, retrieval, last=True)
        for embedding in edges.of(retrieval, Edge.MATCHED):
            own = edges.of(embedding, Edge.WAS_DERIVED_FROM)
            strongest = max((grades.of(item) for item in own), default=Grade.RETRIEVED)
            walk.seed(strongest, embedding, retrieval, last=True)
    for run in edges.of(answer, Edge.WAS_GENERATED_BY):
        walk.seed(Grade.PRODUCED, run, answer)
    walk.run()
    return walk.found


class _ItemGrades:
    """The grade of a retrieved item: that of itself, or of a chunk it is derived from, in this answer."""

    def __init__(self, edges: Edges, quoted: set[int], included: set[int]) -> None:
        self._edges, self._quoted, self._included = edges, quoted, included

    def of(self, item: int) -> Grade:
        best = Grade.RETRIEVED
        seen, queue = {item}, deque([item])
        while queue:
            node = queue.popleft()
            if node in self._quoted:
                return Grade.CITED
            if node in self._included:
                best = Grade.IN_CONTEXT
            for parent in self._edges.of(node, Edge.WAS_DERIVED_FROM):
                if parent not in seen and self._edges.kinds[parent] in _ITEMS:
                    seen.add(parent)
                    queue.append(parent)
        return best


class _Walk:
    """Breadth-first from the seeds of each grade, the strongest grade first; cycle-safe."""

    def __init__(self, answer: int, edges: Edges) -> None:
        self._answer, self._edges = answer, edges
        self._seeds: dict[tuple[Grade, bool], list[tuple[int, int]]] = defaultdict(list)
        self.found: dict[int, Rest] = {}

    def seed(self, grade: Grade, node: int, via: int, *, last: bool = False) -> None:
        """Start at a node; `last`: only after what the other seeds of its grade explain better."""
        self._seeds[grade, last].append((node, via))

    def run(self) -> None:
        for grade, last in product(sorted(Grade, reverse=True), (False, True)):
            queue = deque(self._seeds.pop((grade, last), ()))
            while queue or (queue := deque(self._seeds.pop((grade, last), ()))):
                node, via = queue.popleft()
                if node in self.found or node == self._answer:
                    continue
                self.found[node] = Rest(grade, via)
                queue.extend(self._causes(node))
                # A run that read and wrote many things makes a dependency possible, no more.
                for run in speaks_for(self._edges, node):
                    for used in self._edges.used.get(run, ()):
                        if used != node and self._stage(used) <= self._stage(node):
                            self.seed(Grade.POSSIBLE, used, node)
                            for agent, _ in self._whole_source(used):
                                self.seed(Grade.POSSIBLE, agent, used)

    def _stage(self, node: int) -> int:
        return KINDS[self._edges.kinds[node]].stage

    def _causes(self, node: int) -> Iterable[tuple[int, int]]:
        """(cause, via) of a node: what the walk goes on to at the same grade."""
        edges = self._edges
        follow = _FOLLOWED.get(edges.kinds[node], _OF_MATERIAL)
        for edge in follow:
            for cause in edges.of(node, edge):
                yield cause, node
                if edge is Edge.WAS_DERIVED_FROM:
                    for agent, _ in self._whole_source(cause):
                        yield agent, cause
        if edges.kinds[node] == "source_version":
            yield from self._credited(node)

    def _whole_source(self, node: int) -> list[tuple[int, str]]:
        """Agents of a source that something was made from without naming a version: all of them count."""
        return self._edges.credits.get(node, []) if self._edges.kinds[node] == "source" else []

    def _credited(self, version: int) -> Iterable[tuple[int, int]]:
        """Agents of a version, and of its source for the roles that the version does not state itself."""
        own = self._edges.credits.get(version, [])
        for agent, _ in own:
            yield agent, version
        stated = {role for _, role in own}
        for source in self._edges.of(version, Edge.SPECIALIZATION_OF):
            for agent, role in self._edges.credits.get(source, []):
                if role not in stated:
                    yield agent, source


def with_caches(answer: int, edges: Edges, own: Mapping[int, dict[int, Rest]]) -> dict[int, Rest]:
    """What an answer rests on, with what the answers it was served from rest on as `served`.

    `own`: what each answer rests on without a cache. Of several origins the nearest counts.
    """
    found = dict(own.get(answer, {}))
    passed, queue = {answer}, deque([answer])
    while queue:
        served = queue.popleft()
        for origin in edges.of(served, Edge.SERVED_FROM):
            if origin in passed:
                continue
            passed.add(origin)
            queue.append(origin)
            found.setdefault(origin, Rest(Grade.SERVED, served))
            for node, rest in own.get(origin, {}).items():
                if node not in found and node != answer:
                    found[node] = Rest(Grade.SERVED, rest.via, int(rest.grade))
    return found
