"""The contract on a running product: records in, lineage and citations out."""

import gzip
import random

from tests.contract.client import ContractClient
from tests.contract.library import TIDES, item, library
from tests.servers.product import Product


def test_any_order_any_split_any_number_of_times(client: ContractClient) -> None:
    records = library()
    random.Random(11).shuffle(records)
    first = client.send(records)
    assert {outcome["status"] for outcome in first.values()} <= {"stored", "accepted"}
    random.Random(12).shuffle(records)
    half = len(records) // 2
    again = client.send(records[:half]) | client.send(records[half:])
    assert {outcome["status"] for outcome in again.values()} <= {"unchanged", "accepted"}
    assert {k: o["uid"] for k, o in again.items()} == {k: o["uid"] for k, o in first.items()}


def test_each_answer_has_its_strongest_grade_and_nobody_is_blamed(client: ContractClient) -> None:
    client.send(library())
    assert client.grades("source", "tides") == {
        "quotes": "cited", "knows": "in_context", "dropped": "retrieved",
    }  # fmt: skip
    # One run read both works: that does not make them one.
    assert "moss" not in client.grades("document", "tides.txt")
    # To be in the snapshot that was searched is not to have been found.
    assert client.grades("chunk", "tides-2") == {}
    # A component reaches what its runs made.
    assert client.grades("component", "reader") == {
        "quotes": "cited", "knows": "cited", "dropped": "cited", "moss": "cited",
    }  # fmt: skip
    assert client.grades("component", "writer") == {"quotes": "produced"}
    assert client.grades("index_snapshot", "shelf@1") == dict.fromkeys(
        ("quotes", "knows", "dropped", "moss"), "produced"
    )


def test_upstream_of_a_claim_is_what_it_cites_not_all_its_answer_had(
    client: ContractClient,
) -> None:
    client.send(library())
    found = client.get(f"/nodes/{client.uid('claim', 'knows-c')}/upstream", depth=20)
    keys = {node["key"] for node in found["nodes"]}
    assert {"knows-q", "moss-1", "moss.txt", "moss@1", "moss"} <= keys
    assert not keys & {"tides-1", "knows", "knows-x"}
    ends = {uid for edge in found["edges"] for uid in (edge["from"], edge["to"])}
    assert ends <= {node["uid"] for node in found["nodes"]}


def test_a_citation_names_who_made_it_and_shows_the_passage_in_its_place(
    client: ContractClient,
) -> None:
    client.send(library())
    card = client.get(f"/citations/{client.uid('citation', 'quotes-q')}")
    assert [creator["name"] for creator in card["creators"]] == ["Author of On tides"]
    assert card["publisher"]["name"] == "Press"
    assert (card["title"], card["version"], card["license"]) == ("On tides", "1", "CC-BY-4.0")
    passage = card["passage"]
    assert passage["before"] + passage["text"] + passage["after"] == TIDES
    assert passage["text"] == "Tides follow the moon."
    assert (passage["highlights"], passage["anchor"]) == ([{"start": 0, "end": 22}], "exact")
    assert (card["marker"], card["in_context"]) == ("[1]", True)


def test_a_key_that_is_used_again_leaves_old_citations_their_passage(
    client: ContractClient,
) -> None:
    client.send(library())
    later = {"occurred_at": "2026-05-03T09:00:00Z"}
    client.send(
        [
            item("document", "tides.txt", source_version="tides@1", text="Quite another text.")
            | later,
            item("chunk", "tides-1", document="tides.txt", interval={"start": 0, "end": 5}) | later,
        ]
    )
    card = client.get(f"/citations/{client.uid('citation', 'quotes-q')}")
    assert card["passage"]["text"] == "Tides follow the moon."
    # Both passages go by that key; the newest is named first.
    uids = client.get("/resolve", kind="chunk", key="tides-1", namespace=client.namespace)["items"]
    assert len(uids) == 2
    assert client.get(f"/nodes/{uids[0]['uid']}")["fields"]["text"] == "Quite"


def test_intervals_in_any_unit_and_those_that_cannot_hold(client: ContractClient) -> None:
    # 𝄞 is one code point, two UTF-16 units, four bytes.
    places = {
        "code points": {"start": 2, "end": 6},
        "utf16": {"start": 4, "end": 8, "unit": "utf16"},
        "utf8": {"start": 8, "end": 12, "unit": "utf8"},
    }
    impossible = {
        "negative": {"start": -2, "end": 3},
        "inverted": {"start": 5, "end": 2},
        "beyond": {"start": 2, "end": 700},
    }
    outcomes = client.send(
        [
            item("source", "m", title="Music", creators=[{"name": "A"}]),
            item("source_version", "m@1", source="m", license="CC0-1.0"),
            item("document", "m.txt", source_version="m@1", text="𝄞𝄞clef and staff"),
            *(
                item("chunk", k, document="m.txt", interval=i, text="clef")
                for k, i in places.items()
            ),
            *(item("chunk", k, document="m.txt", interval=i) for k, i in impossible.items()),
        ]
    )
    for key in places:
        codes = {warned["code"] for warned in outcomes["chunk", key]["warnings"]}
        assert not codes & {"interval_unverifiable", "interval_relocated"}, (key, codes)
    for key in impossible:
        outcome = outcomes["chunk", key]
        told = [w["pointer"] for w in outcome["warnings"] if w["code"] == "interval_unverifiable"]
        assert outcome["status"] in ("stored", "accepted")
        assert told == [f"/records/{outcome['index']}/interval"]


def test_a_bad_record_among_good_ones_and_a_bad_body(client: ContractClient) -> None:
    status, body = client.try_post(
        "/records",
        {
            "records": [
                {"kind": "riddle", "key": "x"},
                item("agent", f"{client.namespace}-a", name="A"),
            ]
        },
    )
    assert status in (200, 202)
    refused, kept = body["outcomes"]
    assert (refused["status"], refused["problem"]["pointer"]) == ("rejected", "/records/0/kind")
    assert kept["status"] in ("stored", "accepted")
    for data, headers, expected in (
        (b'{"records": [', {}, 400),
        (gzip.compress(b" " * (70 << 20), 1), {"Content-Encoding": "gzip"}, 413),
    ):
        answer = client.product.request(
            "POST", "/api/v1/records", body=data, key=client.key, headers=headers
        )
        assert (answer.status, answer.headers["content-type"]) == (
            expected,
            "application/problem+json",
        )


def test_what_does_not_exist_is_404_and_who_has_no_key_401(client: ContractClient) -> None:
    for path in ("/api/v1/nodes/src_" + "0" * 26, "/api/v1/nothing"):
        assert client.product.request("GET", path, key=client.key).status == 404
    answer = client.product.request("GET", "/api/v1/search?q=x", key="")
    assert (answer.status, answer.headers["www-authenticate"][:6]) == (401, "Bearer")


def test_the_document_and_the_health_of_the_product(stack: Product) -> None:
    document = stack.request("GET", "/api/v1/openapi.json", key="").json()
    assert "/api/v1/records" in document["paths"]
    for path in ("/healthz", "/readyz"):
        assert stack.request("GET", path, key="").status == 200
