"""Texts of nodes: their own, their parent's interval, or none."""

import pytest
from pytest_django import DjangoAssertNumQueries

from lineage.content.passages import field_text, field_texts, texts_of
from lineage.content.store import destroy_key
from lineage.models import Node
from lineage.vocabulary import Anchor
from provexplorer.workspaces.models import Workspace
from tests.content.graph_rows import add_node, marker

pytestmark = pytest.mark.django_db

TEXT = "Alpha is one. 🤔 Beta is two."


@pytest.fixture
def source(workspace: Workspace) -> Node:
    return add_node(workspace, "source")


@pytest.fixture
def document(workspace: Workspace, source: Node) -> Node:
    return add_node(workspace, "document", text=TEXT, owner=source)


@pytest.mark.parametrize(
    ("span", "anchor"),
    [
        (None, None),
        ((0, 13), Anchor.UNVERIFIABLE),  # kept as sent while the text was unknown
        ((0, 13), Anchor.AMBIGUOUS),
        ((0, 13), None),
        ((14, 99), Anchor.EXACT),  # the text has changed under it
    ],
)
def test_unverified_interval_gives_no_text(
    workspace: Workspace, document: Node, span: tuple[int, int] | None, anchor: Anchor | None
) -> None:
    chunk = add_node(
        workspace, "chunk", parent=document, owner=document.owner, span=span, anchor=anchor
    )
    assert texts_of([chunk]) == {}


def test_chunk_of_a_document_without_text_has_none(workspace: Workspace, source: Node) -> None:
    document = add_node(workspace, "document", owner=source)
    chunk = add_node(workspace, "chunk", parent=document, owner=source, span=(0, 3))
    assert texts_of([document, chunk]) == {}
    assert texts_of([]) == {}


def test_nothing_is_read_of_an_erased_source(
    workspace: Workspace, source: Node, document: Node
) -> None:
    chunk = add_node(workspace, "chunk", parent=document, owner=source, span=(0, 13))
    own = add_node(workspace, "chunk", parent=document, owner=source, text="other words")
    destroy_key(source.pk)
    assert texts_of([document, chunk, own]) == {}


def test_texts_of_every_kind(workspace: Workspace, source: Node, document: Node) -> None:
    sliced = add_node(workspace, "chunk", parent=document, owner=source, span=(14, 28))
    moved = add_node(
        workspace, "part", parent=document, owner=source, span=(0, 5), anchor=Anchor.RELOCATED
    )
    own = add_node(
        workspace, "chunk", parent=document, owner=source, span=(0, 13), text="Alpha  is one."
    )
    fact = add_node(
        workspace,
        "fact",
        parent=sliced,
        owner=source,
        texts={"subject": "Beta", "predicate": "is", "object": "two"},
    )
    half = add_node(workspace, "fact", owner=source, texts={"subject": "Beta"})
    answer = add_node(workspace, "answer", text="Beta is two. [1]", texts={"question": "What?"})
    claim = add_node(workspace, "claim", parent=answer, owner=answer, span=(0, 12))
    nodes = [document, sliced, moved, own, fact, half, answer, claim]
    assert texts_of(nodes) == {
        document.pk: TEXT,
        sliced.pk: "🤔 Beta is two.",
        moved.pk: "Alpha",
        own.pk: "Alpha  is one.",
        fact.pk: "Beta is two",
        answer.pk: "Beta is two. [1]",
        claim.pk: "Beta is two.",
    }
    assert field_text(nodes, "question") == {answer.pk: "What?"}
    assert field_text(nodes, "subject") == {fact.pk: "Beta", half.pk: "Beta"}


def test_lists_of_texts_keep_their_order(workspace: Workspace) -> None:
    retrieval = add_node(
        workspace,
        "retrieval",
        texts={"query": "what", "b": "first", "a": "second"},
        fields={"query_variants": [marker("first"), marker("gone"), marker("second")]},
    )
    plain = add_node(workspace, "retrieval", fields={"query": "not a marker"})
    nodes = [retrieval, plain]
    assert field_texts(nodes, "query_variants") == {retrieval.pk: ("first", "second")}
    assert field_text(nodes, "query") == {retrieval.pk: "what"}
    assert field_texts(nodes, "nothing") == {}


def test_many_chunks_cost_as_much_as_one(
    workspace: Workspace,
    source: Node,
    document: Node,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    chunks = [
        add_node(workspace, "chunk", parent=document, owner=source, span=(at, at + 1))
        for at in range(6)
    ]
    for some in (chunks[:1], chunks):
        fresh = list(Node.objects.filter(pk__in=[c.pk for c in some]).select_related("workspace"))
        with django_assert_num_queries(2), django_assert_num_queries(1, using="keys"):
            assert len(texts_of(fresh)) == len(some)
