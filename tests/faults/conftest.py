"""An installation that the tests of this folder may kill."""

from collections.abc import Callable

import pytest

from tests.servers.product import Product


@pytest.fixture(scope="package")
def _victim(new_product: Callable[..., Product]) -> Product:
    return new_product()


@pytest.fixture
def victim(_victim: Product) -> Product:
    """Running, whatever was done to it before; shared, because a start costs seconds."""
    if _victim.process is None or _victim.process.poll() is not None:
        _victim.start()
    return _victim
