"""The graph is the image of the relational store, however often and from wherever it is projected."""

from typing import Any

import pytest
from pytest_django import Settings

from lineage.graph import projection
from lineage.graph.dump import dump
from lineage.graph.projection import project, retire
from lineage.graph.state import NodeState, read_nodes
from lineage.identifiers import keyed_hash
from lineage.models import GraphDirty, Node, UidAlias
from lineage.types import GraphAway
from lineage.vocabulary import Edge
from tests.graph.builder import Lineage

DIGEST = "sha256:" + "0" * 64


def edges_of(lineage: Lineage) -> list[tuple[str, str, str]]:
    """(from key, type, to key) as the graph holds them; a uid where no node has it."""
    keys = dict(Node.objects.filter(workspace=lineage.workspace).values_list("uid", "key"))
    _, edges = dump(lineage.workspace.pk)
    return sorted(
        (keys.get(from_uid, from_uid), edge, keys.get(to_uid, to_uid))
        for from_uid, edge, to_uid, _ in edges
    )


def test_project_leaves_the_marks_when_the_graph_is_away(
    lineage: Lineage, settings: Settings
) -> None:
    node = lineage.node("source", "s")
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    with pytest.raises(GraphAway):
        project(lineage.workspace.pk)
    assert list(GraphDirty.objects.values_list("node_id", flat=True)) == [node.pk]


def test_project_writes_what_is_allowed_and_nothing_else(lineage: Lineage) -> None:
    version = lineage.node(
        "source_version",
        "v",
        label="On the origin of tests",
        digest=DIGEST,
        fields={
            "version": "2nd printing",
            "license": "LicenseRef-CC-BY",
            "published_at": "2003-10",
            "rights": "All rights of the publisher",
            "valid_from": "2003-10-13T02:00:00+02:00",
        },
    )
    source = lineage.node("source", "s", fields={"title": "Secret title", "source_kind": "a book"})
    lineage.edge(version, Edge.SPECIALIZATION_OF, source, computed=True, title="Secret title")
    assert project(lineage.workspace.pk) == 2
    nodes, edges = dump(lineage.workspace.pk)
    code = keyed_hash(lineage.workspace.hash_key, "workspace")
    assert nodes == [
        (
            "source",
            source.uid,
            (("provisional", False), ("resolved", True), ("workspace", code)),
        ),
        (
            "source_version",
            version.uid,
            (
                ("digest", keyed_hash(lineage.workspace.hash_key, "digest", DIGEST)),
                ("license", "LicenseRef-CC-BY"),
                ("provisional", False),
                ("published_at", "2003-10"),
                ("resolved", True),
                ("valid_from", "2003-10-13T00:00:00.000000Z"),
                ("version", "2nd printing"),
                ("workspace", code),
            ),
        ),
    ]
    assert edges == [(version.uid, "SPECIALIZATION_OF", source.uid, ())]


def test_project_twice_changes_nothing(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    answer = lineage.answer("q", retrieved=[chain["chunk"]], included=[chain["chunk"]])
    lineage.cite(answer["answer"], chain["chunk"])
    assert project(lineage.workspace.pk) == 9
    first = dump(lineage.workspace.pk)
    lineage.mark(*lineage.nodes.values())
    assert project(lineage.workspace.pk) == 9
    assert dump(lineage.workspace.pk) == first
    assert project(lineage.workspace.pk) == 0
    assert len(first[0]) == 9
    assert len(first[1]) == 10


def test_project_of_some_nodes_leaves_the_others_marked(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    assert project(lineage.workspace.pk, [chain["chunk"].pk]) == 1
    assert edges_of(lineage) == [("a-chunk", "WAS_DERIVED_FROM", "a-document")]
    assert project(lineage.workspace.pk) == 3


def test_a_property_that_is_gone_leaves_the_graph(lineage: Lineage) -> None:
    part = lineage.node("part", "p", start=3, end=9, fields={"page_index": 0})
    project(lineage.workspace.pk)
    part.start = part.end = None
    part.save()
    lineage.mark(part)
    project(lineage.workspace.pk)
    ((_, _, properties),) = dump(lineage.workspace.pk)[0]
    assert dict(properties).keys() == {"page_index", "provisional", "resolved", "workspace"}


def test_an_edge_bound_elsewhere_leaves_the_graph(lineage: Lineage) -> None:
    citation = lineage.node("citation", "c")
    old, new = lineage.node("chunk", "old"), lineage.node("chunk", "new")
    reference = lineage.edge(citation, Edge.WAS_QUOTED_FROM, old)
    project(lineage.workspace.pk)
    reference.to_node = new
    reference.save()
    lineage.mark(citation)
    project(lineage.workspace.pk)
    assert edges_of(lineage) == [("c", "WAS_QUOTED_FROM", "new")]


def test_a_settled_uid_takes_the_edges_of_both_directions_along(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    old = chain["document"].uid
    lineage.settle(chain["document"], "settled")
    lineage.mark(chain["chunk"])
    assert project(lineage.workspace.pk) == 2
    nodes, _ = dump(lineage.workspace.pk)
    assert old not in {uid for _, uid, _ in nodes}
    assert len(nodes) == 4
    assert edges_of(lineage) == [
        ("a-chunk", "WAS_DERIVED_FROM", "a-document"),
        ("a-document", "WAS_DERIVED_FROM", "a-source_version"),
        ("a-source_version", "SPECIALIZATION_OF", "a-source"),
    ]


def test_a_former_uid_goes_with_an_end_that_only_an_edge_had_made(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    # The chunk's edge makes its other end, which itself has not been projected yet.
    project(lineage.workspace.pk, [chain["chunk"].pk])
    lineage.settle(chain["document"], "settled")
    project(lineage.workspace.pk, [chain["document"].pk])
    lineage.mark(chain["chunk"])
    project(lineage.workspace.pk)
    assert len(dump(lineage.workspace.pk)[0]) == 4
    assert ("a-chunk", "WAS_DERIVED_FROM", "a-document") in edges_of(lineage)


def test_an_alias_that_names_a_node_again_is_spared(lineage: Lineage) -> None:
    document = lineage.node("document", "d")
    placeholder = lineage.node("document", "p", resolved=False)
    project(lineage.workspace.pk)
    UidAlias.objects.create(workspace=lineage.workspace, uid=placeholder.uid, node=document)
    lineage.mark(document)
    project(lineage.workspace.pk)
    assert {uid for _, uid, _ in dump(lineage.workspace.pk)[0]} == {document.uid, placeholder.uid}


def test_retire_removes_what_is_gone_and_spares_what_is_not(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    gone = chain["document"].uid
    chain["document"].delete()
    for _ in range(2):
        retire(lineage.workspace.pk, [gone, chain["chunk"].uid, "nonsense"])
    assert edges_of(lineage) == [("a-source_version", "SPECIALIZATION_OF", "a-source")]
    assert len(dump(lineage.workspace.pk)[0]) == 3


def test_several_references_make_one_edge_whatever_their_order(lineage: Lineage) -> None:
    part, chunk = lineage.node("part", "p"), lineage.node("chunk", "c")
    lineage.edge(chunk, Edge.WAS_DERIVED_FROM, part, relation="computed.overlap")
    lineage.edge(chunk, Edge.WAS_DERIVED_FROM, part, relation="parent")
    retrieval = lineage.node("retrieval", "r")
    lineage.edge(retrieval, Edge.RETRIEVED, chunk, ordinal=4, rank=5, kept=False)
    lineage.edge(retrieval, Edge.RETRIEVED, chunk, ordinal=1, rank=2, kept=True, score=1)
    other = lineage.node("chunk", "d")
    lineage.edge(other, Edge.WAS_DERIVED_FROM, part, relation="computed.overlap")
    project(lineage.workspace.pk)
    _, edges = dump(lineage.workspace.pk)
    assert sorted(edges) == sorted(
        [
            (chunk.uid, "WAS_DERIVED_FROM", part.uid, ()),
            (other.uid, "WAS_DERIVED_FROM", part.uid, (("computed", True),)),
            (
                retrieval.uid,
                "RETRIEVED",
                chunk.uid,
                (("kept", True), ("rank", 2), ("score", 1.0)),
            ),
        ]
    )


def test_one_agent_in_two_roles_has_two_edges(lineage: Lineage) -> None:
    source, agent = lineage.node("source", "s"), lineage.node("agent", "a")
    for _ in range(2):
        lineage.edge(source, Edge.WAS_ATTRIBUTED_TO, agent, role="creator")
        lineage.edge(source, Edge.WAS_ATTRIBUTED_TO, agent, role="editor")
        project(lineage.workspace.pk)
    assert [dict(properties) for *_, properties in dump(lineage.workspace.pk)[1]] == [
        {"role": "creator"},
        {"role": "editor"},
    ]


def test_a_node_with_more_edges_than_a_batch_gets_all_and_loses_the_old(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "EDGES_A_BATCH", 3)
    snapshot = lineage.node("index_snapshot", "i")
    members = [lineage.node("chunk", f"c{number}") for number in range(10)]
    references = [lineage.edge(snapshot, Edge.HAD_MEMBER, member) for member in members]
    lineage.edge(snapshot, Edge.HAD_MEMBER, members[2])
    project(lineage.workspace.pk)
    assert edges_of(lineage) == [("i", "HAD_MEMBER", f"c{number}") for number in range(10)]
    references[9].delete()
    references[0].delete()
    lineage.mark(snapshot)
    project(lineage.workspace.pk)
    assert edges_of(lineage) == [("i", "HAD_MEMBER", f"c{number}") for number in range(1, 9)]


def test_a_change_made_while_projecting_stays_marked(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = lineage.node("source", "s", fields={"language": "en"})

    def change_after_reading(*args: Any, **kwargs: Any) -> list[NodeState]:
        states = read_nodes(*args, **kwargs)
        Node.objects.filter(pk=source.pk).update(fields={"language": "pt"})
        lineage.mark(source)
        return states

    monkeypatch.setattr("lineage.graph.projection.read_nodes", change_after_reading)
    project(lineage.workspace.pk, [source.pk])
    monkeypatch.undo()
    assert project(lineage.workspace.pk) == 1
    ((_, _, properties),) = dump(lineage.workspace.pk)[0]
    assert dict(properties)["language"] == "pt"


def test_two_workspaces_do_not_meet(lineage: Lineage, db: None) -> None:
    from provexplorer.workspaces.models import Workspace

    other = Lineage(Workspace.objects.create(slug="other-wall", name="other"))
    lineage.chain("a")
    other.chain("a")
    project(lineage.workspace.pk)
    assert dump(other.workspace.pk) == ([], [])
    project(other.workspace.pk)
    ours, theirs = dump(lineage.workspace.pk)[0], dump(other.workspace.pk)[0]
    assert {uid for _, uid, _ in ours} & {uid for _, uid, _ in theirs} == set()
    assert len(ours) == len(theirs) == 4
