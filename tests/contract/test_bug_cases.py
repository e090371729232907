"""Faults of others and every limit of ingestion, in one body to the running product: each has its
outcome and its place, and nothing else is lost.
"""

import gzip
import json
from typing import Any

import pytest

from tests.contract.client import ContractClient
from tests.contract.faulty_records import MIB, OUTSIDE, REFUSED, STORED, codes
from tests.flows.inside import inside
from tests.servers.product import Product


@pytest.fixture(scope="module")
def sent(stack: Product, contract_key: str) -> tuple[ContractClient, dict[str, Any]]:
    """All of it in one body, the refused among the others; and what was answered."""
    client = ContractClient(stack, contract_key)
    records: list[Any] = [record for record, _ in STORED]
    for number, (record, *_) in enumerate(REFUSED):
        records.insert(5 * number + 2, record)
    named = [
        {"namespace": client.namespace, **record} if isinstance(record, dict) else record
        for record in records
    ]
    return client, client.post("/records", {"records": named})


def test_each_fault_is_refused_in_its_place_and_the_rest_is_stored(
    sent: tuple[ContractClient, dict[str, Any]],
) -> None:
    _, body = sent
    assert (body["received"], body["stored"], body["rejected"]) == (
        len(STORED) + len(REFUSED), len(STORED), len(REFUSED),
    )  # fmt: skip
    refused = [outcome for outcome in body["outcomes"] if outcome["status"] == "rejected"]
    assert [
        (one["index"], one["problem"]["type"], one["problem"]["status"], one["problem"]["pointer"])
        for one in refused
    ] == [
        (5 * number + 2, f"/problems/{slug}", status, f"/records/{5 * number + 2}{pointer}")
        for number, (_, slug, status, pointer) in enumerate(REFUSED)
    ]
    assert all(one["uid"] is None for one in refused)


def test_each_doubtful_record_is_stored_and_warned_in_its_place(
    sent: tuple[ContractClient, dict[str, Any]],
) -> None:
    _, body = sent
    stored = [outcome for outcome in body["outcomes"] if outcome["status"] != "rejected"]
    assert [(one["kind"], one["key"], codes(one)) for one in stored] == [
        (record["kind"], record["key"], warnings) for record, warnings in STORED
    ]
    assert {one["status"] for one in stored} == {"stored"}


def test_intervals_are_as_good_as_their_texts_prove(
    stack: Product, sent: tuple[ContractClient, dict[str, Any]]
) -> None:
    client, _ = sent
    assert inside(stack, f"anchors({client.namespace!r})") == {
        "d01-1": "exact", "d01-2": "exact", "d01-3": "relocated",
        "d02-c0": "exact", "d02-c1": "exact", "d02-c2": "exact", "d02-c3": "unverifiable",
        "docA#2": "exact", "docA#7": "exact", "k1": "exact", "k2": "exact", "d16": "exact",
        "negative": "unverifiable", "inverted": "unverifiable", "beyond": "unverifiable",
        "tokens": "unverifiable",
    }  # fmt: skip
    intervals = {
        key: client.get(f"/nodes/{client.uid('chunk', key)}")["fields"]["interval"]
        for key in ("d01-1", "d01-2", "d01-3", "d02-c3")
    }
    # As sent, the unit with it.
    told = {key: (one["start"], one["end"], one["unit"]) for key, one in intervals.items()}
    assert told == {
        "d01-1": (4, 13, "codepoint"), "d01-2": (8, 17, "utf16"), "d01-3": (8, 17, "codepoint"),
        "d02-c3": (-1, 4, "codepoint"),
    }  # fmt: skip
    # Two chunks of one interval stay two; a chunk of no interval keeps the text that it brought.
    assert client.uid("chunk", "d02-c0") != client.uid("chunk", "d02-c2")
    assert client.get(f"/nodes/{client.uid('chunk', 'd02-c3')}")["fields"]["text"] == "chunk"


def test_markers_open_their_own_chunk_and_those_of_nothing_say_so(
    sent: tuple[ContractClient, dict[str, Any]],
) -> None:
    client, _ = sent
    cards = {
        key: client.get(f"/citations/{client.uid('citation', key)}")
        for key in ("d03-4", "d03-8", "d04-999", "d04-2", "d04-k2")
    }
    told = {
        key: (
            card["marker"],
            card["in_context"],
            (card["passage"] or {}).get("text"),
            card["reason"],
            [flag["code"] for flag in card["flags"]],
        )
        for key, card in cards.items()
    }
    assert told == {
        "d03-4": ("[4]", True, "Fees fell in May.", None, []),
        "d03-8": ("[8]", True, "They rose in June.", None, []),
        "d04-999": ("[999]", False, None, OUTSIDE, [OUTSIDE]),
        "d04-2": ("[2]", False, None, OUTSIDE, [OUTSIDE]),
        "d04-k2": ("[k2]", False, "Cash rose.", None, [OUTSIDE]),
    }
    answer = client.get(f"/answers/{client.uid('answer', 'd04')}")
    assert {claim["verdict"] for claim in answer["claims"]} == {"not checked"}
    # What is cited counts as cited, in the context or not; what is not in it is in no count.
    assert client.grades("chunk", "k2") == {"d04": "cited"}
    assert client.grades("chunk", "k1") == {"d04": "in_context"}


def test_what_was_sent_comes_back_as_it_was_or_as_json_can_say_it(
    sent: tuple[ContractClient, dict[str, Any]],
) -> None:
    client, _ = sent

    def fields(kind: str, key: str) -> Any:
        node = client.get(f"/nodes/{client.uid(kind, key)}")
        json.dumps(node, allow_nan=False)
        return node["fields"]

    scores = [candidate.get("score") for candidate in fields("retrieval", "d15")["candidates"]]
    assert scores == [None, None, None, 0.0]
    assert fields("chunk", "d16")["text"] == (
        "<script>alert(1)</script><img src=x onerror=alert(2)> revenue <b>rose</b> &amp; fell"
    )
    assert fields("source", "signs")["title"] == "a\u202eb\u0007c\u200b"
    assert fields("source", "nul")["title"] == "a\u2400b\ufffdc"
    assert client.get(f"/nodes/{client.uid('source', 'k' * 2_000)}")["key"] == "k" * 2_000
    assert client.get(f"/nodes/{client.uid('source', 'a/b%2Fc 🤔?#')}")["key"] == "a/b%2Fc 🤔?#"


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b" " * (16 * MIB + 1), {}, 413),
        (gzip.compress(b"0" * 65 * MIB, 1), {"Content-Encoding": "gzip"}, 413),
        (gzip.compress(b'{"records": []}')[:-9], {"Content-Encoding": "gzip"}, 400),
        (b'{"records": []}', {"Content-Encoding": "gzip"}, 400),
        (b'{"records": [', {}, 400),
        (b'{"records": []}', {"Content-Type": "text/csv"}, 415),
    ],
    ids=["too large", "too large unpacked", "cut off", "not gzip", "not JSON", "another type"],
)
def test_a_body_that_is_unusable_as_a_whole_is_a_problem(
    client: ContractClient, body: bytes, headers: dict[str, str], status: int
) -> None:
    answer = client.product.request(
        "POST", "/api/v1/records", body=body, key=client.key, headers=headers
    )
    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status
