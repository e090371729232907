"""Callers of the API."""

from collections.abc import Iterator

import pytest
from django.test import override_settings

from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, caller


@pytest.fixture
def api(workspace: Workspace) -> Caller:
    """A caller with every scope in a workspace of its own."""
    return caller(workspace)


@pytest.fixture
def graph_away() -> Iterator[None]:
    """A graph server that nobody can reach."""
    with override_settings(NEO4J_URI="bolt://127.0.0.1:9"):
        yield
