"""An installation that the tests of this folder may kill."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest

from provexplorer.embedded.ports import LOOPBACK
from tests.faults.insider import Insider
from tests.servers.passage import Passage
from tests.servers.product import Product


@pytest.fixture(scope="package")
def _victim(new_product: Callable[..., Product]) -> Product:
    return new_product()


@pytest.fixture(scope="package")
def passage(_victim: Product) -> Iterator[Passage | None]:
    """The way to a graph server that is not the product's own; None where it is."""
    address = urlsplit(_victim.environment.get("NEO4J_URI", ""))
    if address.port is None:
        yield None
        return
    way = Passage(address.port)
    through = address._replace(netloc=f"{LOOPBACK}:{way.port}")
    _victim.environment["NEO4J_URI"] = urlunsplit(through)
    yield way
    way.close()


@pytest.fixture
def victim(_victim: Product, passage: Passage | None) -> Product:
    """Running, whatever was done to it before; shared, because a start costs seconds."""
    if _victim.process is None or _victim.process.poll() is not None:
        _victim.start()
    return _victim


@pytest.fixture(scope="package")
def insider(_victim: Product) -> Iterator[Insider]:
    """Who answers from within `victim`."""
    one = Insider(_victim)
    yield one
    one.close()
