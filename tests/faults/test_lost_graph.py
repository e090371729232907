"""A graph that was lost, or restored from a backup, is written anew from the relational store at the next start."""

import shutil
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from tests.faults.filing import verified_case
from tests.faults.insider import Insider
from tests.servers.product import Product
from tests.thorough import long_only

NewProduct = Callable[..., Product]
RECORDS: list[dict[str, Any]] = [
    {"kind": "source", "key": "s", "title": "A title"},
    {"kind": "source_version", "key": "v", "source": "s", "text": "One. Two."},
    {"kind": "document", "key": "d", "source_version": "v", "text": "One. Two."},
]
LATER = {"kind": "chunk", "key": "c", "document": "d", "text": "Two."}
# One that rests on it, and one that does not.
ANSWERS: list[dict[str, Any]] = [
    {"kind": "chunk", "key": "of", "document": "d", "interval": {"start": 0, "end": 4}},
    {"kind": "context", "key": "x", "items": [{"chunk": "of", "position": 1}]},
    {"kind": "answer", "key": "rests", "context": "x", "text": "So it is."},
    {"kind": "answer", "key": "apart", "text": "So it is, too."},
]


@pytest.mark.engine_free
@long_only  # each day: tests/graph/test_mark.py
@pytest.mark.parametrize("restored", [False, True], ids=["lost", "restored"])
def test_graph_lost_or_of_another_time_is_filled_at_the_next_start(
    new_product: NewProduct, *, restored: bool
) -> None:
    product = new_product()
    # Its own graph, whatever the others use: this one is thrown away.
    for name in ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        product.environment.pop(name, None)
    graph, backup = product.folder / "graph", product.folder / "backup"
    product.start()
    product.api_key = product.new_key(slug="lost")

    def stored(*records: dict[str, Any]) -> list[str]:
        answer = product.request("POST", "/api/v1/records", body={"records": records}).json()
        return [outcome["uid"] for outcome in answer["outcomes"]]

    def upstream(uid: str) -> set[str]:
        answer = product.request("GET", f"/api/v1/nodes/{uid}/upstream").json()
        return {node["uid"] for node in answer["nodes"]}

    source, _, document = stored(*RECORDS)
    before = upstream(document)
    assert source in before
    stored(*ANSWERS)
    case = verified_case(product, "retraction", "s")
    product.stop()
    shutil.copytree(graph, backup)
    shutil.rmtree(graph)
    product.start()
    assert upstream(document) == before
    (chunk,) = stored(LATER)
    assert upstream(chunk) == before | {chunk}
    assert product.request("GET", "/readyz").json()["rebuilding"] is False
    if restored:
        product.stop()
        shutil.rmtree(graph)
        shutil.copytree(backup, graph)
        product.start()
        assert upstream(chunk) == before | {chunk}
    filed = [[case, "retraction", [["source", "s"]]]]
    with closing(Insider(product)) as insider:
        insider.holds("lost", [*RECORDS, *ANSWERS, LATER], filed)
