"""A graph that is away: what these tests look at stands in the relational store."""

from collections.abc import Iterator

import pytest
from django.test import override_settings


@pytest.fixture(autouse=True)
def _graph_away() -> Iterator[None]:
    with override_settings(NEO4J_URI="bolt://127.0.0.1:9"):
        yield
