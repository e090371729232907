"""Relational rows of a small lineage, written directly: what ingestion would have left behind."""

from datetime import UTC, datetime
from typing import Any

from lineage.graph.dirty import mark_dirty
from lineage.identifiers import address_of, anywhere_of
from lineage.models import Node, Reference, UidAlias
from lineage.vocabulary import Edge
from provexplorer.workspaces.models import Workspace

RECORDED_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Lineage:
    """Makes nodes by (kind, key) and edges between them; both mark what they touch."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.nodes: dict[tuple[str, str], Node] = {}

    def node(self, kind: str, key: str, **columns: Any) -> Node:
        """The node of this key, made if it is not there."""
        if (kind, key) not in self.nodes:
            hash_key = self.workspace.hash_key
            address = address_of(hash_key, kind, "", key)
            self.nodes[kind, key] = Node.objects.create(
                **{
                    "workspace": self.workspace,
                    "kind": kind,
                    "namespace": "",
                    "key": key,
                    "address": address,
                    "anywhere": anywhere_of(hash_key, kind, key),
                    "uid": address,
                    "recorded_at": RECORDED_AT,
                    **columns,
                }
            )
            self.mark(self.nodes[kind, key])
        return self.nodes[kind, key]

    def edge(
        self,
        dependent: Node,
        edge: Edge,
        cause: Node,
        *,
        relation: str = "stated",
        ordinal: int = 0,
        **properties: Any,
    ) -> Reference:
        """A bound reference that makes this edge."""
        reference = Reference.objects.create(
            workspace=self.workspace,
            holder=dependent,
            relation=relation,
            ordinal=ordinal,
            edge=edge.value,
            kind=cause.kind,
            address=cause.address,
            status=Reference.Status.BOUND,
            from_node=dependent,
            to_node=cause,
            properties=properties,
        )
        self.mark(dependent)
        return reference

    def mark(self, *nodes: Node) -> None:
        """The nodes have changed."""
        mark_dirty(self.workspace.pk, [node.pk for node in nodes])

    def settle(self, node: Node, key: str) -> None:
        """The node's uid becomes that of another key, as when its digest or place is known at last.

        The one before leads on to it.
        """
        UidAlias.objects.create(workspace=self.workspace, uid=node.uid, node=node)
        node.uid = address_of(self.workspace.hash_key, node.kind, "", key)
        node.save(update_fields=["uid"])
        self.mark(node)

    def chain(self, name: str) -> dict[str, Node]:
        """Source to chunk, each derived from the one before: keys are the name and the kind."""
        kinds = ("source", "source_version", "document", "chunk")
        made = {kind: self.node(kind, f"{name}-{kind}") for kind in kinds}
        self.edge(made["source_version"], Edge.SPECIALIZATION_OF, made["source"])
        self.edge(made["document"], Edge.WAS_DERIVED_FROM, made["source_version"])
        self.edge(made["chunk"], Edge.WAS_DERIVED_FROM, made["document"])
        return made

    def answer(self, name: str, *, retrieved: list[Node], included: list[Node]) -> dict[str, Node]:
        """An answer with its context and retrieval over these chunks or facts."""
        made = {
            kind: self.node(kind, f"{name}-{kind}") for kind in ("retrieval", "context", "answer")
        }
        self.edge(made["context"], Edge.WAS_DERIVED_FROM, made["retrieval"])
        self.edge(made["answer"], Edge.WAS_DERIVED_FROM, made["context"])
        for rank, item in enumerate(retrieved, start=1):
            self.edge(made["retrieval"], Edge.RETRIEVED, item, ordinal=rank, rank=rank)
        for position, item in enumerate(included, start=1):
            self.edge(made["context"], Edge.INCLUDED, item, ordinal=position, position=position)
        return made

    def cite(self, answer: Node, item: Node, marker: str = "1") -> dict[str, Node]:
        """A claim of the answer with a citation of this chunk or fact."""
        claim = self.node("claim", f"{answer.key}-claim-{marker}")
        citation = self.node("citation", f"{answer.key}-citation-{marker}")
        self.edge(claim, Edge.STATED_IN, answer)
        self.edge(claim, Edge.CITES, citation)
        self.edge(citation, Edge.WAS_QUOTED_FROM, item)
        return {"claim": claim, "citation": citation}
