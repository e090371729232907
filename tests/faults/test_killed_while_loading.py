"""kill -9 of everything while records are stored: what was acknowledged is there, once."""

import threading
from collections.abc import Callable
from typing import Any

from tests.servers.product import Product, eventually

NewProduct = Callable[..., Product]
_WRITERS = 2
_BEFORE_THE_KILL = 12  # acknowledged batches


def batch(writer: int, number: int) -> list[dict[str, Any]]:
    """A source with its text, in three chunks of one sentence, and one shared chunk list."""
    name = f"w{writer}-{number}"
    text = f"First of {name}. Second of {name}. Third of {name}."
    sentences = [f"{part}." for part in text.removesuffix(".").split(". ")]
    chunks, start = [], 0
    for index, sentence in enumerate(sentences):
        interval = {"start": start, "end": start + len(sentence)}
        chunks.append(
            {"kind": "chunk", "key": f"{name}#{index}", "document": name, "interval": interval}
        )
        start += len(sentence) + 1
    return [
        {"kind": "source", "key": name, "title": name},
        {"kind": "source_version", "key": name, "source": name, "text": text},
        {"kind": "document", "key": name, "source_version": name, "text": text},
        *chunks,
    ]


class Writer(threading.Thread):
    """Sends batches one after the other until the product is gone."""

    def __init__(self, product: Product, number: int, enough: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.product, self.number, self.enough = product, number, enough
        self.acknowledged: list[int] = []

    def run(self) -> None:
        for number in range(10_000):
            records = batch(self.number, number)
            try:
                answer = self.product.request("POST", "/api/v1/records", body={"records": records})
            except OSError:
                return
            assert answer.status in (200, 202)
            assert answer.json()["rejected"] == 0
            self.acknowledged.append(number)
            self.enough()


def test_every_acknowledged_record_survives_once(new_product: NewProduct) -> None:
    product = new_product()
    product.start()
    product.api_key = product.new_key(slug="faults")
    loaded = threading.Semaphore(0)
    writers = [Writer(product, number, loaded.release) for number in range(_WRITERS)]
    for writer in writers:
        writer.start()
    for _ in range(_BEFORE_THE_KILL):
        assert loaded.acquire(timeout=60)
    product.kill()
    for writer in writers:
        writer.join(30)
    product.start()
    acknowledged = [(writer.number, number) for writer in writers for number in writer.acknowledged]
    assert len(acknowledged) >= _BEFORE_THE_KILL
    for writer_number, number in acknowledged:
        assert_stored_once(product, batch(writer_number, number))


def assert_stored_once(product: Product, records: list[dict[str, Any]]) -> None:
    """Sent again nothing changes; each key has one node; the graph leads back to the source."""
    again = product.request("POST", "/api/v1/records", body={"records": records}).json()
    assert {outcome["status"] for outcome in again["outcomes"]} == {"unchanged"}
    for record in records:
        path = f"/api/v1/resolve?kind={record['kind']}&key={record['key'].replace('#', '%23')}"
        found = product.request("GET", path).json()["items"]
        assert len(found) == 1
    source, chunk = again["outcomes"][0]["uid"], again["outcomes"][-1]["uid"]

    def leads_back() -> bool:
        upstream = product.request("GET", f"/api/v1/nodes/{chunk}/upstream").json()
        return source in {node["uid"] for node in upstream["nodes"]}

    assert eventually(leads_back, seconds=30)
