"""Fixtures of the page tests."""

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _language() -> Iterator[None]:
    """A request activates its reader's language for the thread; the next test begins anew."""
    with translation.override("en"):
        yield
