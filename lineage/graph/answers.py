"""Which answers depend on a node, and how strongly: found in the graph alone.

The same rules as the prepared closure (lineage/impact/closure.py), walked the
other way, from the cause down, and sharing none of its code: the one proves the
other. What a source becomes is walked step by step; from there on the server walks
and names the answers. It goes through many edges; pages ask the closure.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.graph.answers_below import AnswersBelow
from lineage.graph.dependents import Dependents, together
from lineage.graph.origins import ITEMS, graded_by_origin, with_origins_elsewhere
from lineage.graph.possible import across_runs
from lineage.graph.scope import scope_of
from lineage.graph.starting import start_at
from lineage.graph.stepping import Stepper, kind_name
from lineage.vocabulary import Edge, Grade

# Edges read for each answer that may be found, before the search gives up.
_EDGES_AN_ANSWER: Final = 20
_FEWEST_EDGES: Final = 10_000
# What a source becomes on the way to a retrieval.
_MATERIAL: Final = frozenset(
    {"source", "source_version", "acquisition", "document", "part", "embedding"} | ITEMS
)


@dataclass(frozen=True, slots=True)
class AnswersFound:
    """Each answer by uid with its strongest grade; `truncated` where a bound cut the search."""

    grades: Mapping[str, Grade]
    truncated: bool


def answers_downstream(workspace_id: int, uid: str, *, limit: int = 100_000) -> AnswersFound:
    """The answers that depend on the node, at most `limit`; none for an unknown uid.

    Raises GraphAway, NotFound for an unknown workspace.
    """
    return answers_below(scope_of(workspace_id).code, uid, limit=limit)


def answers_below(workspace: str, uid: str, *, limit: int) -> AnswersFound:
    """As `answers_downstream`, of a workspace by its code: asks the graph alone. Raises GraphAway."""
    edges = max(limit * _EDGES_AN_ANSWER, _FEWEST_EDGES)
    search = _Search(Stepper(workspace, limit=edges), AnswersBelow(workspace, limit=limit), uid)
    grades = search.grades()
    kept = sorted(grades)[:limit]
    return AnswersFound(
        grades={answer: grades[answer] for answer in kept},
        truncated=search.truncated or len(kept) < len(grades),
    )


class _Search:
    """The answers below one node."""

    def __init__(self, stepper: Stepper, below: AnswersBelow, uid: str) -> None:
        self._stepper = stepper
        self._below = below
        self._dependents = Dependents(stepper)
        self._uid = uid

    @property
    def truncated(self) -> bool:
        """Whether a bound has cut the search."""
        return self._stepper.truncated or self._below.truncated

    def grades(self) -> dict[str, Grade]:
        start = start_at(self._stepper, self._uid)
        certain = self._material({self._uid} | start.nodes, closed=start.sources)
        found = self._certain(certain)
        found.pop(self._uid, None)
        for _, answers in self._graded(self._possible(certain, closed=start.sources)):
            # Everything beyond such a step stays possible.
            _add(found, answers, Grade.POSSIBLE)
        _add(found, self._served({*found, self._uid}), Grade.SERVED)
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
            works = {uid for uid in frontier - shut if kind_name(uid) == "source"}
            made = self._stepper.ends(frontier, [Edge.WAS_DERIVED_FROM])
            made += self._stepper.ends(works, [Edge.SPECIALIZATION_OF])
            effects = {effect for effect, _ in made if kind_name(effect) in _MATERIAL}
            opened = effects & shut
            shut -= opened
            frontier = (effects - reached) | opened
            reached |= frontier
        return reached

    def _possible(self, certain: set[str], closed: Collection[str]) -> set[str]:
        """What may have been made of these by runs that do not say from what, and what became of it.

        A `closed` work that a run may have made counts with all its versions, though it is certain.
        """
        possible: set[str] = set()
        shut = set(closed)
        frontier = certain
        while frontier:
            _, outputs = across_runs(self._stepper, frontier)
            opened = outputs & shut
            shut -= opened
            made = (outputs - certain - possible) | opened
            frontier = self._material(made) - certain - possible
            possible |= frontier
        return possible

    def _certain(self, nodes: Collection[str]) -> dict[str, Grade]:
        """Answers by the strongest grade with which they depend on any of these nodes."""
        items = {uid for uid in nodes if kind_name(uid) in ITEMS or kind_name(uid) == "embedding"}
        apart = with_origins_elsewhere(self._stepper, items)
        found: dict[str, Grade] = {}
        for grade, answers in self._graded(nodes, apart):
            _add(found, answers, grade)
        for answer, grade in graded_by_origin(self._stepper, apart, found).items():
            found[answer] = max(grade, found.get(answer, grade))
        return found

    def _graded(
        self, nodes: Collection[str], apart: Collection[str] = ()
    ) -> Iterator[tuple[Grade, Collection[str]]]:
        """Answers that depend on any of these nodes, the strongest grade first; an answer may come again.

        Without those whose retrieval found what is `apart`.
        """
        of_kind: dict[str, set[str]] = defaultdict(set)
        for uid in nodes:
            of_kind[kind_name(uid)].add(uid)
        items = of_kind["chunk"] | of_kind["fact"]
        claims = of_kind["claim"] | self._dependents.of(of_kind["citation"], Edge.CITES)
        yield Grade.CITED, self._below.citing(items) | together(self._dependents.stated_in(claims))
        yield Grade.IN_CONTEXT, self._below.given(items)
        contexts = of_kind["context"] | self._dependents.of(
            of_kind["retrieval"], Edge.WAS_DERIVED_FROM
        )
        made = self._dependents.of(contexts, Edge.WAS_DERIVED_FROM)
        searched = self._below.retrieving(of_kind["index_snapshot"], Edge.USED_SNAPSHOT)
        yield Grade.PRODUCED, of_kind["answer"] | _answers(made) | searched
        found = (items | of_kind["embedding"]) - set(apart)
        yield Grade.RETRIEVED, self._below.retrieving(found, Edge.RETRIEVED, Edge.MATCHED)

    def _served(self, origins: set[str]) -> set[str]:
        """Answers served from these, and from those served, and so on."""
        served: set[str] = set()
        frontier = _answers(origins)
        while frontier:
            frontier = self._dependents.of(frontier, Edge.SERVED_FROM) - served - origins
            served |= frontier
        return served


def _answers(uids: Collection[str]) -> set[str]:
    return {uid for uid in uids if kind_name(uid) == "answer"}


def _add(found: dict[str, Grade], answers: Collection[str], grade: Grade) -> None:
    """Add answers that were not found by a stronger grade."""
    for answer in answers:
        found.setdefault(answer, grade)
