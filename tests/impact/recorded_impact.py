"""Who is affected, and how strongly, by the design's edge table: from the cause to its effects, over records.

The other half of the oracle (the first: recorded.py). Plain breadth-first searches over names.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from tests.impact.recorded import STAGE, Name, Recorded

# Weakest first.
GRADES = ("served", "possible", "retrieved", "produced", "in_context", "cited")
ITEMS = ("chunk", "fact")
MATERIAL = (*STAGE, "embedding")


class Reached(NamedTuple):
    """`answers`: each with its grade and, where served, that of its origin; `nodes`: all that was passed."""

    answers: dict[Name, tuple[str, str | None]]
    nodes: set[Name]


class _Start(NamedTuple):
    """What the walk begins with; `works`: of the agent that it starts from."""

    material: set[Name]
    others: set[Name]
    passed: set[Name]
    works: set[Name]


def reached_from(world: Recorded, cause: Name) -> Reached:
    """All that impact finds of one cause."""
    return _Impact(world, cause).reached()


class _Impact:
    def __init__(self, world: Recorded, cause: Name) -> None:
        self.world, self.cause = world, cause
        self.grades: dict[Name, set[str]] = defaultdict(set)
        self.passed: set[Name] = set()

    def reached(self) -> Reached:
        start = self._start()
        self.passed |= start.passed
        # Of a work of an agent, versions are counted one by one; what was made of the work as a whole, is.
        sure = self._becomes(start.material | self._into("WAS_DERIVED_FROM", start.works))
        maybe = self._possible(sure | start.works) - sure
        for node in sure:
            self._used_in_answers(node, possible=False)
        for node in maybe:
            self._used_in_answers(node, possible=True)
        for node in start.others:
            self._takes_part(node)
        answers: dict[Name, tuple[str, str | None]] = {
            answer: (max(grades, key=GRADES.index), None)
            for answer, grades in self.grades.items() if answer != self.cause
        }  # fmt: skip
        self._serve_again(answers)
        nodes = self.passed | sure | maybe | set(answers)
        return Reached(answers, nodes - {self.cause})

    def _into(self, edge: str, nodes: Iterable[Name]) -> set[Name]:
        return {start for node in nodes for start in self.world.into[edge].get(node, ())}

    # -- the first steps --------------------------------------------------------------------

    def _start(self) -> _Start:
        kind, one = self.cause.kind, {self.cause}
        if kind == "agent":
            return self._of_agent()
        if kind == "component":
            runs = self._into("WAS_ASSOCIATED_WITH", one)
            reached = self._into("WAS_INFLUENCED_BY", one) | self._into("WAS_GENERATED_BY", runs)
            return self._parted(reached, runs)
        if kind == "run":
            return self._parted(self._into("WAS_GENERATED_BY", one), set())
        return self._parted(one, set())

    @staticmethod
    def _parted(nodes: set[Name], passed: set[Name]) -> _Start:
        material = {node for node in nodes if node.kind in MATERIAL}
        return _Start(material, nodes - material, passed | nodes, set())

    def _of_agent(self) -> _Start:
        """Works and versions of the agent; of a work not the versions that state the role themselves."""
        reached = set()
        credited = self._into("WAS_ATTRIBUTED_TO", [self.cause])
        works = {node for node in credited if node.kind == "source"}
        for node in credited - works:
            reached.add(node)
        for work in works:
            mine = {role for agent, role in self.world.roles[work] if agent == self.cause}
            for version in self._into("SPECIALIZATION_OF", [work]):
                if mine - {role for _, role in self.world.roles[version]}:
                    reached.add(version)
        return _Start(reached, set(), reached | works, works)

    # -- what becomes of material -----------------------------------------------------------

    def _becomes(self, nodes: set[Name]) -> set[Name]:
        found, queue = set(nodes), list(nodes)
        while queue:
            node = queue.pop()
            effects = self._into("WAS_DERIVED_FROM", [node])
            effects |= self._into("SPECIALIZATION_OF", [node])
            for effect in effects - found:
                if effect.kind in MATERIAL:
                    found.add(effect)
                    queue.append(effect)
        return found

    def _possible(self, nodes: set[Name]) -> set[Name]:
        """Outputs with no derivation, of runs that used one of the nodes; what became of them; and so on."""
        found: set[Name] = set()
        queue = list(nodes)
        while queue:
            node = queue.pop()
            for run in self._into("USED", [node]) if node.kind in STAGE else ():
                for output in self._into("WAS_GENERATED_BY", [run]):
                    derived = self.world.out["WAS_DERIVED_FROM"].get(output)
                    if output.kind not in STAGE or derived or output == node:
                        continue
                    if STAGE[node.kind] <= STAGE[output.kind]:
                        fresh = self._becomes({output}) - found - nodes
                        found |= fresh
                        queue += fresh
        return found

    # -- from material to answers -----------------------------------------------------------

    def _used_in_answers(self, node: Name, *, possible: bool) -> None:
        if node.kind in ITEMS:
            for citation in self._into("WAS_QUOTED_FROM", [node]):
                self._told(citation, "possible" if possible else "cited")
            contexts = self._into("INCLUDED", [node])
            self._answered(contexts, "possible" if possible else "in_context")
        edge = "MATCHED" if node.kind == "embedding" else "RETRIEVED"
        for retrieval in self._into(edge, [node]):
            contexts = self._into("WAS_DERIVED_FROM", [retrieval])
            self.passed |= {retrieval, *contexts}
            for answer in self._into("WAS_DERIVED_FROM", contexts):
                grade = "possible" if possible else self._found_as(node, answer)
                self.grades[answer].add(grade)

    def _found_as(self, node: Name, answer: Name) -> str:
        """The grade of what was retrieved: that of itself or of a chunk it is derived from, in this answer."""
        world = self.world
        above = (
            world.out["WAS_DERIVED_FROM"].get(node, set()) if node.kind == "embedding" else {node}
        )
        lineage, queue = set(above), list(above)
        while queue:
            for parent in world.out["WAS_DERIVED_FROM"].get(queue.pop(), ()):
                if parent.kind in ITEMS and parent not in lineage:
                    lineage.add(parent)
                    queue.append(parent)
        claims = world.into["STATED_IN"].get(answer, ())
        citations = {each for claim in claims for each in world.out["CITES"].get(claim, ())}
        quoted = {each for one in citations for each in world.out["WAS_QUOTED_FROM"].get(one, ())}
        contexts = world.out["WAS_DERIVED_FROM"].get(answer, ())
        had = {each for one in contexts for each in world.out["INCLUDED"].get(one, ())}
        return "cited" if lineage & quoted else "in_context" if lineage & had else "retrieved"

    # -- what takes part in answering -------------------------------------------------------

    def _takes_part(self, node: Name) -> None:
        self.passed.add(node)
        if node.kind in ("claim", "citation"):
            self._told(node, "cited")
        elif node.kind == "index_snapshot":
            for retrieval in self._into("USED_SNAPSHOT", [node]):
                self._takes_part(retrieval)
        elif node.kind == "retrieval":
            self._answered(self._into("WAS_DERIVED_FROM", [node]), "produced")
        elif node.kind == "context":
            self._answered({node}, "produced")
        elif node.kind == "answer":
            self.grades[node].add("produced")

    def _answered(self, contexts: set[Name], grade: str) -> None:
        self.passed |= contexts
        for answer in self._into("WAS_DERIVED_FROM", contexts):
            self.grades[answer].add(grade)

    def _told(self, node: Name, grade: str) -> None:
        claims = self._into("CITES", [node]) if node.kind == "citation" else {node}
        self.passed |= {node, *claims}
        for claim in claims:
            for answer in self.world.out["STATED_IN"].get(claim, ()):
                self.grades[answer].add(grade)

    def _serve_again(self, answers: dict[Name, tuple[str, str | None]]) -> None:
        queue = [*answers] + ([self.cause] if self.cause.kind == "answer" else [])
        while queue:
            origin = queue.pop(0)
            grade, of_origin = answers.get(origin, (None, None))
            for later in self._into("SERVED_FROM", [origin]):
                if later not in answers and later != self.cause:
                    answers[later] = ("served", of_origin if grade == "served" else grade)
                    queue.append(later)
