"""Every test of the graph runs on a real server, in a workspace of its own."""

import pytest

from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.graph.builder import Lineage


@pytest.fixture
def lineage(workspace: Workspace, graph: GraphAddress) -> Lineage:
    """A builder of relational rows, with a graph server to project them to."""
    return Lineage(workspace)
