"""Which answers depend on a node, and how strongly: found in the graph alone.

The same rules as the prepared closure (lineage/impact/closure.py), walked the
other way, from the cause down, and sharing none of its code: the one proves the
other. It reads many edges; pages ask the closure.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.graph.possible import across_runs
from lineage.graph.scope import scope_of
from lineage.graph.starting import start_at
from lineage.graph.stepping import Stepper, kind_name
from lineage.vocabulary import Edge, Grade

# Edges read for each answer that may be found, before the search gives up.
_EDGES_AN_ANSWER: Final = 20
_FEWEST_EDGES: Final = 10_000
_ITEMS: Final = frozenset({"chunk", "fact"})
# What a source becomes on the way to a retrieval.
_MATERIAL: Final = frozenset(
    {"source", "source_version", "acquisition", "document", "part", "embedding"} | _ITEMS
)
_BECOMES: Final = (Edge.SPECIALIZATION_OF, Edge.WAS_DERIVED_FROM)


@dataclass(frozen=True, slots=True)
class AnswersFound:
    """Each answer by uid with its strongest grade; `truncated` where a bound cut the search."""

    grades: Mapping[str, Grade]
    truncated: bool


def answers_downstream(workspace_id: int, uid: str, *, limit: int = 100_000) -> AnswersFound:
    """The answers that depend on the node, at most `limit`; none for an unknown uid.

    Raises GraphAway, NotFound for an unknown workspace.
    """
    edges = max(limit * _EDGES_AN_ANSWER, _FEWEST_EDGES)
    search = _Search(Stepper(scope_of(workspace_id).code, limit=edges), uid)
    grades = search.grades()
    kept = sorted(grades)[:limit]
    return AnswersFound(
        grades={answer: grades[answer] for answer in kept},
        truncated=search.stepper.truncated or len(kept) < len(grades),
    )


class _Search:
    """The answers below one node."""

    def __init__(self, stepper: Stepper, uid: str) -> None:
        self.stepper = stepper
        self._uid = uid
        # What has been read: by edges, cause → dependents; claim → answers.
        self._met: dict[tuple[Edge, ...], dict[str, Collection[str]]] = defaultdict(dict)
        self._stated: dict[str, set[str]] = {}

    def grades(self) -> dict[str, Grade]:
        start = start_at(self.stepper, self._uid)
        certain = self._material({self._uid} | start.nodes, closed=start.sources)
        found = self._graded(certain)
        found.pop(self._uid, None)
        for answer in self._graded(self._possible(certain)):
            # Everything beyond such a step stays possible.
            found.setdefault(answer, Grade.POSSIBLE)
        for answer in self._served({*found, self._uid}):
            found.setdefault(answer, Grade.SERVED)
        found.pop(self._uid, None)
        return found

    def _material(self, nodes: set[str], closed: Collection[str] = ()) -> set[str]:
        """The nodes with all that became of them, down to chunks, facts and embeddings.

        Versions of the `closed` works are left out (those that count are among the nodes), unless
        one of the nodes became that work.
        """
        reached = set(nodes)
        shut = set(closed)
        frontier = {uid for uid in nodes if kind_name(uid) in _MATERIAL}
        while frontier:
            effects = {
                edge.from_uid
                for edge in self.stepper.arriving(frontier, _BECOMES)
                if kind_name(edge.from_uid) in _MATERIAL
                and not (edge.type == Edge.SPECIALIZATION_OF and edge.to_uid in shut)
            }
            opened = effects & shut
            shut -= opened
            frontier = (effects - reached) | opened
            reached |= frontier
        return reached

    def _possible(self, certain: set[str]) -> set[str]:
        """What may have been made of these by runs that do not say from what, and what became of it."""
        possible: set[str] = set()
        frontier = certain
        while frontier:
            _, outputs = across_runs(self.stepper, frontier)
            frontier = self._material(outputs - certain - possible) - certain - possible
            possible |= frontier
        return possible

    def _graded(self, nodes: Collection[str]) -> dict[str, Grade]:
        """Answers by the strongest grade with which they depend on any of these nodes."""
        of_kind: dict[str, set[str]] = defaultdict(set)
        for uid in nodes:
            of_kind[kind_name(uid)].add(uid)
        items = of_kind["chunk"] | of_kind["fact"]
        found: dict[str, Grade] = {}
        citations = of_kind["citation"] | self._dependents(items, Edge.WAS_QUOTED_FROM)
        claims = of_kind["claim"] | self._dependents(citations, Edge.CITES)
        for answer in _all(self._stated_in(claims)):
            found[answer] = Grade.CITED
        for answer in self._answers_of(self._dependents(items, Edge.INCLUDED)):
            found.setdefault(answer, Grade.IN_CONTEXT)
        retrievals = of_kind["retrieval"] | self._dependents(
            of_kind["index_snapshot"], Edge.USED_SNAPSHOT
        )
        contexts = of_kind["context"] | self._dependents(retrievals, Edge.WAS_DERIVED_FROM)
        for answer in of_kind["answer"] | self._answers_of(contexts):
            found.setdefault(answer, Grade.PRODUCED)
        for answer, grade in self._retrieved(items | of_kind["embedding"], found).items():
            found[answer] = max(grade, found.get(answer, grade))
        return found

    def _retrieved(self, items: Collection[str], found: Mapping[str, Grade]) -> dict[str, Grade]:
        """Answers whose retrieval found these chunks, facts or embeddings.

        `retrieved`, unless the answer has the item, or a chunk that it is derived from, in its
        context or among its citations; an embedding counts as what it is of.
        """
        retrieved_by = self._by_cause(items, Edge.RETRIEVED, Edge.MATCHED)
        contexts_of = self._by_cause(_all(retrieved_by), Edge.WAS_DERIVED_FROM)
        answers_of = self._by_cause(_all(contexts_of), Edge.WAS_DERIVED_FROM)
        reached: dict[str, set[str]] = {
            item: {
                answer
                for retrieval in retrievals
                for context in contexts_of.get(retrieval, ())
                for answer in answers_of.get(context, ())
                if kind_name(answer) == "answer" and found.get(answer) is not Grade.CITED
            }
            for item, retrievals in retrieved_by.items()
        }
        origins = self._origins({item for item, answers in reached.items() if answers})
        cited = self._cited_by(_all(origins))
        included = self._included_by(_all(origins))
        grades: dict[str, Grade] = {}
        for item, answers in reached.items():
            for answer in answers:
                grade = Grade.RETRIEVED
                if any(answer in included.get(origin, ()) for origin in origins[item]):
                    grade = Grade.IN_CONTEXT
                if any(answer in cited.get(origin, ()) for origin in origins[item]):
                    grade = Grade.CITED
                grades[answer] = max(grade, grades.get(answer, grade))
        return grades

    def _origins(self, items: Collection[str]) -> dict[str, set[str]]:
        """Each item with the chunks and facts that it is of or derived from, itself included."""
        parents: dict[str, set[str]] = {}
        frontier = set(items)
        while frontier:
            above: dict[str, set[str]] = {uid: set() for uid in frontier}
            for edge in self.stepper.leaving(frontier, [Edge.WAS_DERIVED_FROM]):
                if kind_name(edge.to_uid) in _ITEMS:
                    above[edge.from_uid].add(edge.to_uid)
            parents |= above
            frontier = _all(above) - parents.keys()
        return {item: _closure(item, parents) for item in items}

    def _cited_by(self, items: Collection[str]) -> dict[str, set[str]]:
        """Item → answers that quote it."""
        citations_of = self._by_cause(items, Edge.WAS_QUOTED_FROM)
        claims_of = self._by_cause(_all(citations_of), Edge.CITES)
        return _joined(_joined(citations_of, claims_of), self._stated_in(_all(claims_of)))

    def _included_by(self, items: Collection[str]) -> dict[str, set[str]]:
        """Item → answers that have it in their context."""
        contexts_of = self._by_cause(items, Edge.INCLUDED)
        answers_of = self._by_cause(_all(contexts_of), Edge.WAS_DERIVED_FROM)
        return _joined(contexts_of, answers_of)

    def _answers_of(self, contexts: Collection[str]) -> set[str]:
        derived = self._dependents(contexts, Edge.WAS_DERIVED_FROM)
        return {uid for uid in derived if kind_name(uid) == "answer"}

    def _served(self, origins: set[str]) -> set[str]:
        """Answers served from these, and from those served, and so on."""
        served: set[str] = set()
        frontier = {uid for uid in origins if kind_name(uid) == "answer"}
        while frontier:
            frontier = self._dependents(frontier, Edge.SERVED_FROM) - served - origins
            served |= frontier
        return served

    def _dependents(self, causes: Collection[str], edge: Edge) -> set[str]:
        return _all(self._by_cause(causes, edge))

    def _by_cause(self, causes: Collection[str], *edges: Edge) -> dict[str, set[str]]:
        """Cause → its dependents by these edges, each read once; causes without any are missing."""
        met = self._met[edges]
        fresh = [cause for cause in causes if cause not in met]
        met.update(dict.fromkeys(fresh, frozenset()))
        arriving: dict[str, set[str]] = defaultdict(set)
        for dependent, cause in self.stepper.ends(fresh, edges):
            arriving[cause].add(dependent)
        met.update(arriving)
        return {cause: set(found) for cause in causes if (found := met[cause])}

    def _stated_in(self, claims: Collection[str]) -> dict[str, set[str]]:
        """Claim → the answers that it is stated in, each read once."""
        fresh = [claim for claim in claims if claim not in self._stated]
        for edge in self.stepper.leaving(fresh, [Edge.STATED_IN]):
            self._stated.setdefault(edge.from_uid, set()).add(edge.to_uid)
        return {claim: found for claim in claims if (found := self._stated.get(claim))}


def _all(sets: Mapping[str, Iterable[str]]) -> set[str]:
    return {uid for some in sets.values() for uid in some}


def _joined(
    first: Mapping[str, Iterable[str]], second: Mapping[str, Iterable[str]]
) -> dict[str, set[str]]:
    return {
        key: {uid for middle in middles for uid in second.get(middle, ())}
        for key, middles in first.items()
    }


def _closure(uid: str, parents: Mapping[str, set[str]]) -> set[str]:
    reached = {uid}
    frontier = [uid]
    while frontier:
        fresh = parents.get(frontier.pop(), set()) - reached
        reached |= fresh
        frontier += fresh
    return reached
