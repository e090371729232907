"""Fixtures of the tests in a browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.every_page import fill
from tests.servers.product import Product

# Beside other runs on the same two processors a page may take its time; what it says is tested.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def every_kind(demo_stack: Product) -> tuple[str, str]:
    """Name and password of the editor of a workspace beside the demo's that holds every kind."""
    return fill(demo_stack)
