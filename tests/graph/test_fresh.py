"""What a request has in memory of its new nodes is projected only while it is what the store says."""

from typing import Any

import pytest

from lineage.graph.dump import dump
from lineage.graph.fresh import Fresh
from lineage.graph.projection import project
from lineage.graph.scope import scope_of
from lineage.graph.state import Stated, state_of
from lineage.graph.write_batch import write_nodes
from lineage.identifiers import keyed_hash
from lineage.models import GraphDirty, Node
from lineage.vocabulary import Edge
from tests.graph.builder import Lineage


def in_memory(lineage: Lineage, node: Node, *references: Stated) -> Fresh:
    """The node as the request that made it has it, and has put it on the list."""
    scope = scope_of(lineage.workspace.pk)
    fresh = Fresh({node.pk: state_of(scope, node)}, {node.pk: references})
    GraphDirty.objects.filter(node=node).update(version=fresh.mark)
    return fresh


def digests(lineage: Lineage) -> list[object]:
    nodes, _ = dump(lineage.workspace.pk)
    return [dict(properties).get("digest") for _, _, properties in nodes]


def change(lineage: Lineage, node: Node) -> None:
    """Another request takes the digest away again, and marks the node as it must."""
    Node.objects.filter(pk=node.pk).update(digest="")
    lineage.mark(node)


def test_a_node_that_was_changed_since_is_projected_as_it_is_now(lineage: Lineage) -> None:
    node = lineage.node("chunk", "c", digest="sha256:" + "0" * 64)
    fresh = in_memory(lineage, node)
    change(lineage, node)
    assert project(lineage.workspace.pk, [node.pk], fresh) == 1
    assert digests(lineage) == [None]
    assert not GraphDirty.objects.exists()


def test_what_another_has_projected_since_is_not_overwritten(lineage: Lineage) -> None:
    node = lineage.node("chunk", "c", digest="sha256:" + "0" * 64)
    fresh = in_memory(lineage, node)
    change(lineage, node)
    project(lineage.workspace.pk)
    assert project(lineage.workspace.pk, [node.pk], fresh) == 0
    assert digests(lineage) == [None]


def test_a_change_made_while_projecting_stays_marked(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = lineage.node("chunk", "c", digest="sha256:" + "0" * 64)
    fresh = in_memory(lineage, node)

    def change_before_writing(*args: Any, **named: Any) -> set[str]:
        change(lineage, node)
        return write_nodes(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr("lineage.graph.projection.write_nodes", change_before_writing)
        project(lineage.workspace.pk, [node.pk], fresh)
    assert list(GraphDirty.objects.values_list("node_id", flat=True)) == [node.pk]
    project(lineage.workspace.pk)
    assert digests(lineage) == [None]


def test_from_memory_or_from_the_store_the_graph_is_the_same(lineage: Lineage) -> None:
    version = lineage.node("source_version", "v", fields={"version": "2", "batch": 7})
    source = lineage.node("source", "s", fields={"source_kind": "book", "workspace": "theirs"})
    agent = lineage.node("agent", "a")
    lineage.edge(version, Edge.SPECIALIZATION_OF, source, relation="source", title="Secret")
    lineage.edge(version, Edge.WAS_ATTRIBUTED_TO, agent, relation="creators.agent", role="editor")
    references = [
        Stated(
            version.uid, edge, "source_version", cause.kind, cause.uid, relation, 0, properties
        )
        for edge, cause, relation, properties in (
            ("SPECIALIZATION_OF", source, "source", {"title": "Secret"}),
            ("WAS_ATTRIBUTED_TO", agent, "creators.agent", {"role": "editor"}),
        )
    ]  # fmt: skip
    fresh = in_memory(lineage, version, *references)
    assert project(lineage.workspace.pk, [version.pk], fresh) == 1
    project(lineage.workspace.pk)
    from_memory = dump(lineage.workspace.pk)
    lineage.mark(version)
    assert project(lineage.workspace.pk) == 1
    assert dump(lineage.workspace.pk) == from_memory
    (_, _, properties) = next(node for node in from_memory[0] if node[0] == "source_version")
    code = keyed_hash(lineage.workspace.hash_key, "workspace")
    assert dict(properties)["workspace"] == code
    assert len(from_memory[1]) == 2


def test_an_edge_that_memory_does_not_know_leaves_the_graph(lineage: Lineage) -> None:
    version, source = lineage.node("source_version", "v"), lineage.node("source", "s")
    reference = lineage.edge(version, Edge.SPECIALIZATION_OF, source)
    project(lineage.workspace.pk)
    reference.delete()
    lineage.mark(version)
    project(lineage.workspace.pk, [version.pk], in_memory(lineage, version))
    _, edges = dump(lineage.workspace.pk)
    assert edges == []
