"""An independent oracle of impact: from the cause down to the answers, edge by edge.

Written from the edge table of the design alone. It shares no code with the
closure, which walks the other way.
"""

from collections import defaultdict

from lineage.models import Node, Reference
from provexplorer.workspaces.models import Workspace

MATERIAL = {
    "source",
    "source_version",
    "acquisition",
    "document",
    "part",
    "chunk",
    "fact",
    "embedding",
}
STAGE = {
    "source": 1,
    "source_version": 1,
    "acquisition": 2,
    "document": 3,
    "part": 3,
    "chunk": 4,
    "fact": 4,
}
STRENGTH = ["served", "possible", "retrieved", "produced", "in_context", "cited"]


class PlainWalk:
    """All edges of a workspace in memory."""

    def __init__(self, workspace: Workspace) -> None:
        self.kind = dict(Node.objects.filter(workspace=workspace).values_list("pk", "kind"))
        self.key = dict(Node.objects.filter(workspace=workspace).values_list("pk", "key"))
        self.out: dict[tuple[int, str], set[int]] = defaultdict(set)
        self.into: dict[tuple[int, str], set[int]] = defaultdict(set)
        self.roles: dict[int, set[tuple[int, str]]] = defaultdict(set)
        for row in Reference.objects.filter(
            workspace=workspace, from_node__isnull=False, to_node__isnull=False
        ):
            start, end = row.from_node_id or 0, row.to_node_id or 0
            self.out[start, row.edge].add(end)
            self.into[end, row.edge].add(start)
            if row.edge == "WAS_ATTRIBUTED_TO":
                self.roles[start].add((end, row.properties["role"]))

    def answers_of(self, start: int) -> dict[int, str]:
        """Answer → strongest grade, for a walk that starts at this node."""
        material, made, told = self._starts(start)
        sources: set[int] = set()
        if self.kind[start] == "agent":
            # What was made from a whole source of the agent, no version named.
            sources = {s for s in self.into[start, "WAS_ATTRIBUTED_TO"] if self.kind[s] == "source"}
            material |= {e for source in sources for e in self.into[source, "WAS_DERIVED_FROM"]}
        sure = self._down(material)
        maybe = self._down(self._spoken_for(sure | sources)) - sure
        while more := self._down(self._spoken_for(maybe)) - maybe - sure:
            maybe |= more
        own = {}
        for answer, kind in self.kind.items():
            if kind == "answer":
                grades = self._grades(answer, sure, maybe, made, told)
                if grades:
                    own[answer] = max(grades, key=STRENGTH.index)
        return self._with_caches(start, own)

    def _starts(self, start: int) -> tuple[set[int], set[int], set[int]]:
        """What the first steps reach: material, what answers are made with, claims and citations."""
        reached = {start}
        kind = self.kind[start]
        runs: set[int] = {start} if kind == "run" else set()
        if kind == "component":
            runs = self.into[start, "WAS_ASSOCIATED_WITH"]
            reached = set(self.into[start, "WAS_INFLUENCED_BY"])
        if runs:
            reached = reached | {e for run in runs for e in self.into[run, "WAS_GENERATED_BY"]}
        made_with = runs | ({start} if kind in ("component", "run") else set())
        if kind == "agent":
            reached = set()
            for credited in self.into[start, "WAS_ATTRIBUTED_TO"]:
                roles = {role for agent, role in self.roles[credited] if agent == start}
                if self.kind[credited] == "source_version":
                    reached.add(credited)
                for version in self.into[credited, "SPECIALIZATION_OF"]:
                    stated = {role for _, role in self.roles[version]}
                    if roles - stated:
                        reached.add(version)
        material = {node for node in reached if self.kind[node] in MATERIAL}
        told = {node for node in reached if self.kind[node] in ("claim", "citation")}
        return material, (reached - material - told) | made_with, told

    def _down(self, nodes: set[int]) -> set[int]:
        seen = set(nodes)
        todo = list(nodes)
        while todo:
            node = todo.pop()
            for edge in ("SPECIALIZATION_OF", "WAS_DERIVED_FROM"):
                for effect in self.into[node, edge]:
                    if effect not in seen and self.kind[effect] in MATERIAL:
                        seen.add(effect)
                        todo.append(effect)
        return seen

    def _spoken_for(self, nodes: set[int]) -> set[int]:
        """Outputs without a derivation of their own, of runs that used one of the nodes."""
        found = set()
        for node in nodes:
            for run in self.into[node, "USED"]:
                for output in self.into[run, "WAS_GENERATED_BY"]:
                    stage, of = STAGE.get(self.kind[node]), STAGE.get(self.kind[output])
                    lacking = not self.out[output, "WAS_DERIVED_FROM"]
                    if stage and of and stage <= of and output != node and lacking:
                        found.add(output)
        return found

    def _grades(
        self, answer: int, sure: set[int], maybe: set[int], made: set[int], told: set[int]
    ) -> set[str]:
        grades: set[str] = set()
        claims = self.into[answer, "STATED_IN"]
        citations = {c for claim in claims for c in self.out[claim, "CITES"]}
        quoted = {q for citation in citations for q in self.out[citation, "WAS_QUOTED_FROM"]}
        contexts = self.out[answer, "WAS_DERIVED_FROM"]
        included = {i for context in contexts for i in self.out[context, "INCLUDED"]}
        retrievals = {r for context in contexts for r in self.out[context, "WAS_DERIVED_FROM"]}
        snapshots = {s for r in retrievals for s in self.out[r, "USED_SNAPSHOT"]}
        if quoted & sure or (claims | citations) & told:
            grades.add("cited")
        if included & sure:
            grades.add("in_context")
        candidates = {c for r in retrievals for c in self.out[r, "RETRIEVED"]}
        for candidate in candidates & sure:
            grades.add(self._item_grade(candidate, quoted, included))
        for embedding in {e for r in retrievals for e in self.out[r, "MATCHED"]}:
            own = self.out[embedding, "WAS_DERIVED_FROM"]
            best = max(
                (self._item_grade(item, quoted, included) for item in own),
                key=STRENGTH.index, default="retrieved",
            )  # fmt: skip
            if embedding in sure:
                grades.add(best)
            elif embedding in maybe:
                grades.add("possible")
        if (quoted | included | candidates) & maybe:
            grades.add("possible")
        makers = {answer, *contexts, *retrievals, *snapshots}
        if (makers - {answer}) & made or (answer in made and made != {answer}):
            grades.add("produced")
        if any(self.out[maker, "WAS_GENERATED_BY"] & made for maker in makers):
            grades.add("produced")
        return grades

    def _item_grade(self, item: int, quoted: set[int], included: set[int]) -> str:
        above, todo = {item}, [item]
        while todo:
            for parent in self.out[todo.pop(), "WAS_DERIVED_FROM"]:
                if parent not in above and self.kind[parent] in ("chunk", "fact"):
                    above.add(parent)
                    todo.append(parent)
        return "cited" if above & quoted else "in_context" if above & included else "retrieved"

    def _with_caches(self, start: int, own: dict[int, str]) -> dict[int, str]:
        found = dict(own)
        todo = [*own, *([start] if self.kind[start] == "answer" else [])]
        while todo:
            for later in self.into[todo.pop(), "SERVED_FROM"]:
                if later not in found and later != start:
                    found[later] = "served"
                    todo.append(later)
        found.pop(start, None)
        return found
