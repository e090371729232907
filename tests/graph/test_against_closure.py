"""The answers found in the graph and the prepared closure agree on every node of random lineages.

They share no code and walk in opposite directions.
"""

import random
from typing import Any

import pytest

from lineage.graph.projection import project
from lineage.graph.walk import answers_downstream
from lineage.impact.closure import recompute
from lineage.models import Node, RestsOn
from lineage.vocabulary import Edge
from tests.graph.builder import Lineage


class Grower:
    """Makes a lineage with every kind and edge: nested, shared, cached, partly without derivation."""

    def __init__(self, lineage: Lineage, seed: int) -> None:
        self.lineage = lineage
        self.chance = random.Random(seed)

    def grow(self) -> None:
        self.agents = self.nodes("agent", 3)
        self.components = self.nodes("component", 4)
        self.runs = self.nodes("run", 6)
        self.link(self.runs, Edge.WAS_ASSOCIATED_WITH, self.components, 1)
        versions = self.works()
        items, vectors = self.passages(versions)
        snapshots = self.nodes("index_snapshot", 2)
        self.link(snapshots, Edge.HAD_MEMBER, items + vectors, 6)
        self.link(snapshots, Edge.WAS_INFLUENCED_BY, self.components, 2, role="embedder")
        self.answers(items, vectors, snapshots)

    def nodes(self, kind: str, number: int) -> list[Node]:
        return [self.lineage.node(kind, f"{kind}{place}") for place in range(number)]

    def some(self, nodes: list[Node], most: int) -> list[Node]:
        return self.chance.sample(nodes, self.chance.randint(0, min(most, len(nodes))))

    def link(
        self, nodes: list[Node], edge: Edge, causes: list[Node], most: int, **properties: Any
    ) -> None:
        """From each node to at most so many of the causes, not to itself."""
        for node in nodes:
            for cause in self.some([each for each in causes if each != node], most):
                self.lineage.edge(node, edge, cause, **properties)

    def works(self) -> list[Node]:
        sources, versions = self.nodes("source", 3), self.nodes("source_version", 5)
        for version in versions:
            self.lineage.edge(version, Edge.SPECIALIZATION_OF, self.chance.choice(sources))
        for role in ("creator", "editor"):
            self.link(sources + versions, Edge.WAS_ATTRIBUTED_TO, self.agents, 1, role=role)
        self.lineage.edge(versions[1], Edge.WAS_REVISION_OF, versions[0])
        return versions

    def passages(self, versions: list[Node]) -> tuple[list[Node], list[Node]]:
        acquisitions, documents = self.nodes("acquisition", 3), self.nodes("document", 5)
        parts, chunks = self.nodes("part", 4), self.nodes("chunk", 9)
        facts, vectors = self.nodes("fact", 3), self.nodes("embedding", 6)
        for derived, origins, most in (
            (acquisitions, versions, 1),
            (documents, versions + acquisitions, 1),
            (parts, documents + parts, 2),
            (chunks, documents + parts, 2),
            (chunks[5:], chunks, 1),
            (facts, chunks, 1),
            (vectors, chunks + facts, 1),
        ):
            self.link(derived, Edge.WAS_DERIVED_FROM, origins, most)
        made = [*versions, *acquisitions, *documents, *parts, *chunks, *facts]
        self.link(made, Edge.WAS_GENERATED_BY, self.runs, 1)
        self.link(self.runs, Edge.USED, made, 3)
        return chunks + facts, vectors

    def answers(self, items: list[Node], vectors: list[Node], snapshots: list[Node]) -> None:
        before: list[Node] = []
        for number in range(6):
            made = self.lineage.answer(
                f"q{number}", retrieved=self.some(items, 4), included=self.some(items, 2)
            )
            self.link([made["retrieval"]], Edge.MATCHED, vectors, 2)
            self.link([made["retrieval"]], Edge.USED_SNAPSHOT, snapshots, 1)
            self.link([made["context"]], Edge.WAS_INFLUENCED_BY, self.components, 1, role="prompt")
            self.link(list(made.values()), Edge.WAS_GENERATED_BY, self.runs, 1)
            for marker, item in enumerate(self.some(items, 2)):
                self.lineage.cite(made["answer"], item, str(marker))
            self.link([made["answer"]], Edge.SERVED_FROM, before, 1)
            before.append(made["answer"])


@pytest.mark.parametrize("seed", range(3))
def test_graph_and_closure_agree(lineage: Lineage, seed: int) -> None:
    Grower(lineage, seed).grow()
    project(lineage.workspace.pk)
    nodes = Node.objects.filter(workspace=lineage.workspace)
    recompute(lineage.workspace, set(nodes.filter(kind="answer").values_list("pk", flat=True)))
    prepared = {
        (key, answer): grade
        for key, answer, grade in RestsOn.objects.filter(
            answer__workspace=lineage.workspace
        ).values_list("target__key", "answer__key", "grade")
    }
    key_of = dict(nodes.values_list("uid", "key"))
    walked = {
        (key, key_of[answer]): int(grade)
        for uid, key in key_of.items()
        for answer, grade in answers_downstream(lineage.workspace.pk, uid).grades.items()
    }
    assert walked == prepared
    assert len(set(prepared.values())) >= 4
