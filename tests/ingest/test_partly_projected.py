"""However the projection of several requests interleaves, the graph ends as the image of the store.

Requests are applied while the graph is away; between them a worker projects some of what is
marked, as another process would that was quicker with one node than with its neighbour.
"""

import secrets
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pytest_django import Settings

from lineage.graph import projection
from lineage.graph.dump import dump
from lineage.models import GraphDirty, Node, Reference, TaskOutbox
from lineage.tasks import retire_nodes
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, node, record, send

pytestmark = pytest.mark.django_db

# A citation names a chunk whose place is unknown at first: its uid settles twice, then is revised.
RECORDS = (
    record("source", "s", title="S"),
    record("source_version", "v", source="s"),
    record("document", "d", source_version="v", text="Alpha beta."),
    record("chunk", "c", document="d", text="Alpha", interval={"start": 0, "end": 5}),
    record("retrieval", "r", candidates=[{"chunk": "c", "rank": 1}]),
    record("context", "x", retrieval="r", items=[{"chunk": "c", "position": 1}]),
    record("answer", "a", context="x", text="Alpha it is."),
    record("claim", "k", answer="a", interval={"start": 0, "end": 12}),
    record("citation", "q", claim="k", marker="[1]", chunk="c"),
    record("chunk", "c", at=LATER, document="d", text="beta", interval={"start": 6, "end": 10}),
    record("retrieval", "r", at=LATER, candidates=[{"chunk": "ghost", "rank": 1}]),
)


class Ahead:
    """A workspace whose graph is away while requests are applied."""

    def __init__(self, workspace: Workspace, config: Any) -> None:
        self.workspace = workspace
        self._config = config
        self._there = config.NEO4J_URI

    def send(self, *records: dict[str, Any]) -> None:
        self._config.NEO4J_URI = "bolt://127.0.0.1:9"
        try:
            send(self.workspace, records)
        finally:
            self._config.NEO4J_URI = self._there

    def project(self, *nodes: Node) -> None:
        projection.project(self.workspace.pk, [one.pk for one in nodes])

    def assert_graph_is_image(self) -> None:
        """What is marked is projected, promises are kept: then graph and store say the same."""
        projection.project(self.workspace.pk)
        for promise in TaskOutbox.objects.filter(name="lineage.retire_nodes"):
            retire_nodes(**promise.arguments)
        nodes, edges = dump(self.workspace.pk)
        assert [(kind, uid) for kind, uid, _ in nodes] == sorted(
            Node.objects.filter(workspace=self.workspace).values_list("kind", "uid")
        )
        assert sorted({(start, kind, end) for start, kind, end, _ in edges}) == sorted(
            set(
                Reference.objects.filter(
                    workspace=self.workspace, from_node__isnull=False, to_node__isnull=False
                )
                .exclude(edge="")
                .values_list("from_node__uid", "edge", "to_node__uid")
            )
        )


@pytest.fixture
def ahead(graph: object, workspace: Workspace, settings: Settings) -> Ahead:
    return Ahead(workspace, settings)


def test_what_points_at_a_node_follows_it_though_the_node_itself_was_never_projected(
    ahead: Ahead,
) -> None:
    ahead.send(*RECORDS[3:9])
    citation, chunk = node(ahead.workspace, "citation", "q"), node(ahead.workspace, "chunk", "c")
    ahead.project(citation)
    before = chunk.uid
    ahead.send(*RECORDS[:3])
    chunk.refresh_from_db()
    assert chunk.uid != before
    ahead.project(chunk)
    ahead.assert_graph_is_image()


def test_what_points_at_a_node_follows_it_there_and_back(ahead: Ahead) -> None:
    ahead.send(*RECORDS[3:9])
    chunk = node(ahead.workspace, "chunk", "c")
    ahead.project(chunk)
    ahead.send(*RECORDS[:3])
    ahead.project(node(ahead.workspace, "citation", "q"), node(ahead.workspace, "context", "x"))
    ahead.send(*RECORDS[9:])
    ahead.project(chunk)
    ahead.assert_graph_is_image()


@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_interleaving_ends_in_the_image_of_the_store(
    graph: object, db: None, settings: Settings, data: st.DataObject
) -> None:
    slug = f"ahead-{secrets.token_hex(6)}"
    workspace = Workspace.objects.create(slug=slug, name=slug)
    ahead = Ahead(workspace, settings)
    order = data.draw(st.permutations(RECORDS), label="order")
    while order:
        size = data.draw(st.integers(1, 4), label="records in the request")
        ahead.send(*order[:size])
        order = order[size:]
        marked = list(
            GraphDirty.objects.filter(workspace=workspace)
            .order_by("node_id")
            .values_list("node_id", flat=True)
        )
        quick = data.draw(
            st.sets(st.sampled_from(marked)) if marked else st.just(set()), label="quick"
        )
        projection.project(workspace.pk, quick)
    ahead.assert_graph_is_image()
