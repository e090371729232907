"""kill -9 of everything, again and again, while records are stored: what was acknowledged is there, once."""

import http.client
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.flows.inside import inside
from tests.servers.product import Product, eventually
from tests.thorough import THOROUGH

pytestmark = pytest.mark.one_pair

_SLUG = "faults"
_WRITERS = 2
# Once more during the first recovery.
_KILLS = 4 if THOROUGH else 1
_SEED = 20040413
_GONE = (OSError, http.client.HTTPException)


def batch(writer: int, number: int) -> list[dict[str, Any]]:
    """A source in three passages, and an answer on a passage that only the next batch brings.

    So each batch makes a placeholder and settles that of the one before.
    """
    name, coming = f"w{writer}-{number}", f"w{writer}-{number + 1}"
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
        {"kind": "context", "key": name, "items": [{"chunk": f"{coming}#0", "position": 1}]},
        {"kind": "answer", "key": name, "context": name, "text": f"Of {coming}. [1]"},
        {"kind": "claim", "key": name, "answer": name, "interval": {"start": 0, "end": 3}},
        {"kind": "citation", "key": name, "claim": name, "marker": "[1]", "position": 1},
    ]


@dataclass(slots=True)
class Writer:
    """Sends batches one after the other until the product is gone; goes on where it was."""

    product: Product
    number: int
    acknowledged: list[int] = field(default_factory=list)
    following: int = 0
    unexpected: list[object] = field(default_factory=list)

    def write(self) -> None:
        while True:
            body = {"records": batch(self.number, self.following)}
            try:
                answer = self.product.request("POST", "/api/v1/records", body=body)
            except _GONE:
                return
            if answer.status not in (200, 202) or answer.json()["rejected"]:
                self.unexpected.append(answer)
                return
            self.acknowledged.append(self.following)
            self.following += 1


def kill_while_they_write(product: Product, writers: list[Writer], chance: random.Random) -> None:
    """Let the writers write, and kill everything a random time after some acknowledgements."""
    before = sum(len(writer.acknowledged) for writer in writers)
    threads = [threading.Thread(target=writer.write, daemon=True) for writer in writers]
    for thread in threads:
        thread.start()
    some = before + chance.randint(4, 8)
    assert eventually(lambda: sum(len(one.acknowledged) for one in writers) >= some, seconds=120)
    time.sleep(chance.uniform(0, 0.7))
    product.kill()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert [writer.unexpected for writer in writers] == [[] for _ in writers]


def test_every_acknowledged_record_survives_every_kill_once(victim: Product) -> None:
    victim.api_key = victim.new_key(slug=_SLUG)
    chance = random.Random(_SEED)
    writers = [Writer(victim, number) for number in range(_WRITERS)]
    for kill in range(_KILLS):
        kill_while_they_write(victim, writers, chance)
        if kill == 0:
            victim.launch()
            time.sleep(chance.uniform(1, 4))
            victim.kill()
        victim.start()
    acknowledged = [(one.number, number) for one in writers for number in one.acknowledged]
    assert len(acknowledged) >= 4 * _KILLS

    # The product has caught up by itself, and the graph is the image of the store.
    assert eventually(lambda: inside(victim, f"behind({_SLUG!r})") == 0, seconds=60)
    report = inside(victim, f"report({_SLUG!r})")
    assert report["graph_nodes"] == report["stored_nodes"]
    assert report["graph_edges"] == report["stored_edges"]
    counts = {(kind, key): many for kind, key, many in inside(victim, f"keys({_SLUG!r})")}
    for record in sent(acknowledged):
        assert counts[record["kind"], record["key"]] == 1, record

    # Sent again nothing changes, and every key leads to its one node.
    for writer in writers:
        last = batch(writer.number, writer.acknowledged[-1])
        again = victim.request("POST", "/api/v1/records", body={"records": last}).json()
        assert {outcome["status"] for outcome in again["outcomes"]} == {"unchanged"}
        for outcome in again["outcomes"]:
            asked = urlencode({"kind": outcome["kind"], "key": outcome["key"]})
            (found,) = victim.request("GET", f"/api/v1/resolve?{asked}").json()["items"]
            assert (found["uid"], found["resolved"]) == (outcome["uid"], True)
        source, chunk = again["outcomes"][0]["uid"], again["outcomes"][3]["uid"]
        upstream = victim.request("GET", f"/api/v1/nodes/{chunk}/upstream").json()
        assert source in {node["uid"] for node in upstream["nodes"]}
    body = {"records": list(sent(acknowledged))}
    again = victim.request("POST", "/api/v1/records", body=body).json()
    assert (again["unchanged"], again["received"]) == (len(body["records"]),) * 2


def sent(acknowledged: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Every record that was acknowledged."""
    for writer, number in acknowledged:
        yield from batch(writer, number)
