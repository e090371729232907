"""Fixtures of the flows."""

import pytest

from provexplorer.workspaces.models import Workspace
from tests.flows.foreign import Others, others_in


@pytest.fixture
def others(graph: object, workspace: Workspace) -> Others:
    """A workspace of others, in both stores."""
    return others_in(workspace)
