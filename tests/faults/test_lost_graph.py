"""A graph that was lost is written anew from the relational store at the next start."""

import shutil
from collections.abc import Callable

import pytest

from tests.servers.product import Product

NewProduct = Callable[..., Product]
RECORDS = [
    {"kind": "source", "key": "s", "title": "A title"},
    {"kind": "source_version", "key": "v", "source": "s", "text": "One. Two."},
    {"kind": "document", "key": "d", "source_version": "v", "text": "One. Two."},
]


@pytest.mark.engine_free
def test_lost_graph_is_filled_at_the_next_start(new_product: NewProduct) -> None:
    product = new_product()
    # Its own graph, whatever the others use: this one is thrown away.
    for name in ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        product.environment.pop(name, None)
    product.start()
    product.api_key = product.new_key(slug="lost")
    stored = product.request("POST", "/api/v1/records", body={"records": RECORDS}).json()
    source, _, document = (outcome["uid"] for outcome in stored["outcomes"])

    def upstream() -> set[str]:
        answer = product.request("GET", f"/api/v1/nodes/{document}/upstream").json()
        return {node["uid"] for node in answer["nodes"]}

    before = upstream()
    assert source in before
    product.stop()
    shutil.rmtree(product.folder / "graph")
    product.start()
    assert upstream() == before
