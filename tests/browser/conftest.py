"""Fixtures of the tests in a browser."""

import pytest

from tests.browser.every_page import fill
from tests.servers.product import Product


@pytest.fixture(scope="session")
def every_kind(demo_stack: Product) -> tuple[str, str]:
    """Name and password of the editor of a workspace beside the demo's that holds every kind."""
    return fill(demo_stack)
