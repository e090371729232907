"""POST /records from outside: outcomes, pointers, repetition, the graph away."""

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.api.caller import Caller, assert_problem
from tests.api.world import answer, record, source


def codes(outcome: dict[str, Any]) -> list[tuple[str, str]]:
    return [(warned["code"], warned["pointer"]) for warned in outcome["warnings"]]


@pytest.mark.parametrize(
    ("body", "headers", "slug", "status"),
    [
        (b'{"records": [', {}, "body-unreadable", 400),
        (b"", {}, "body-unreadable", 400),
        (b'{"records": {}}', {}, "body-unreadable", 400),
        (b"{}", {"content_type": "text/plain"}, "media-type-unsupported", 415),
        (b"x", {"Content-Encoding": "br"}, "media-type-unsupported", 415),
        (b"x", {"Content-Encoding": "gzip"}, "body-unreadable", 400),
        (gzip.compress(b" " * (80 << 20), 1), {"Content-Encoding": "gzip"}, "body-too-large", 413),
        (b" " * ((16 << 20) + 1), {}, "body-too-large", 413),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_body_that_is_unusable_as_a_whole(
    api: Caller, body: bytes, headers: dict[str, str], slug: str, status: int
) -> None:
    reply = api.call("POST", "/api/v1/records", body, **headers)
    assert_problem(reply, slug, status, "/records" if body == b'{"records": {}}' else None)


def test_one_bad_record_loses_no_other(graph: object, api: Caller) -> None:
    reply = api.post(
        "/records",
        {
            "records": [
                {"kind": "unknown_kind", "key": "x"},
                record("source", "good", title="<script>alert(1)</script> \u202eevil"),
                {"kind": "source", "title": "no key"},
                {"kind": "source", "key": "k" * 2_001, "title": "long"},
                {"kind": "source", "key": "k" * 2_000, "title": "long enough"},
                {"kind": "source", "key": "s", "title": "T", "creators": [{"name": 3}]},
                "record",
            ]
        },
    )
    assert reply.status == 200
    assert {name: reply.body[name] for name in ("received", "stored", "unchanged", "rejected")} == {
        "received": 7, "stored": 2, "unchanged": 0, "rejected": 5,
    }  # fmt: skip
    refused = [
        (o["index"], o["problem"]["type"], o["problem"]["status"], o["problem"]["pointer"])
        for o in reply.body["outcomes"]
        if o["status"] == "rejected"
    ]
    assert refused == [
        (0, "/problems/unknown-kind", 422, "/records/0/kind"),
        (2, "/problems/key-missing", 422, "/records/2/key"),
        (3, "/problems/key-too-long", 422, "/records/3/key"),
        (5, "/problems/wrong-type", 422, "/records/5/creators/0/name"),
        (6, "/problems/not-an-object", 422, "/records/6"),
    ]
    stored = reply.body["outcomes"][1]
    assert (stored["kind"], stored["key"], stored["problem"]) == ("source", "good", None)
    node = api.get(f"/nodes/{stored['uid']}").body
    assert node["fields"]["title"] == "<script>alert(1)</script> \u202eevil"


def test_records_sent_again_in_another_order_and_split_change_nothing(
    graph: object, api: Caller
) -> None:
    records = [*source(), *answer()]
    random.Random(1).shuffle(records)
    first = {(o["kind"], o["key"]): o for o in api.records(*records)}
    assert {o["status"] for o in first.values()} == {"stored"}
    random.Random(2).shuffle(records)
    for part in (records[:3], records[3:]):
        for outcome in api.records(*part):
            assert outcome["status"] == "unchanged"
            assert outcome["uid"] == first[outcome["kind"], outcome["key"]]["uid"]


def test_lines_and_gzip_are_read_alike(graph: object, api: Caller) -> None:
    lines = b"\n".join(json.dumps(each).encode() for each in [*source(), {"kind": "agent"}])
    reply = api.call(
        "POST", "/api/v1/records", gzip.compress(lines), "application/x-ndjson",
        **{"Content-Encoding": "gzip"},
    )  # fmt: skip
    assert [o["status"] for o in reply.body["outcomes"]] == ["stored"] * 5 + ["rejected"]
    assert reply.body["outcomes"][5]["problem"]["pointer"] == "/records/5/key"


def test_warnings_have_their_place_in_the_request(graph: object, api: Caller) -> None:
    outcomes = api.records(
        record("source_version", "v", source="nowhere", occurred_at="2026-03-01T10:00:00"),
        record("retrieval", "r", candidates=[{"chunk": "nowhere", "rank": 1}]),
    )
    assert set(codes(outcomes[0])) == {
        ("time_without_zone", "/records/0/occurred_at"),
        ("license_unknown", "/records/0/license"),
        ("unresolved_reference", "/records/0/source"),
    }
    assert codes(outcomes[1]) == [("unresolved_reference", "/records/1/candidates/0/chunk")]


def test_while_the_graph_is_away_records_are_accepted(graph_away: None, api: Caller) -> None:
    reply = api.post("/records", {"records": [*source(), {"kind": "x", "key": "y"}]})
    assert reply.status == 202
    assert [o["status"] for o in reply.body["outcomes"]] == ["accepted"] * 5 + ["rejected"]
    assert (reply.body["stored"], reply.body["rejected"]) == (5, 1)
    uid = reply.body["outcomes"][0]["uid"]
    assert api.get(f"/nodes/{uid}").body["key"] == "s"
    reply = api.post("/records", {"records": source()})
    assert reply.body["unchanged"] == 5
    away = api.get(f"/nodes/{uid}/upstream")
    assert_problem(away, "graph-away", 503)
    assert int(away.headers["Retry-After"]) > 0


def test_the_example_of_the_guide_is_stored_as_it_stands(graph: object, api: Caller) -> None:
    guide = (Path(settings.BASE_DIR) / "docs" / "guide" / "api.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", guide, re.DOTALL)
    outcomes = api.records(*json.loads(example)["records"])
    assert {outcome["status"] for outcome in outcomes} == {"stored"}
    assert [outcome["warnings"] for outcome in outcomes] == [[], [], [], []]
    assert api.get(f"/nodes/{outcomes[3]['uid']}").body["fields"]["text"] == "Alpha is one."


@pytest.mark.engine_free
def test_the_guide_names_every_warning_of_the_reader() -> None:
    """Codes that reading a record can earn, as they stand in lineage/formats."""
    guide = (Path(settings.BASE_DIR) / "docs" / "guide" / "api.md").read_text("utf-8")
    readers = ("records", "reading", "values", "storable", "implied")
    folder = Path(settings.BASE_DIR) / "lineage" / "formats"
    code = "".join((folder / f"{name}.py").read_text("utf-8") for name in readers)
    codes = set(re.findall(r'(?:warn|Warned)\(\s*"([a-z_]+)"', code))
    assert len(codes) > 8
    assert {each for each in codes if f"`{each}`" not in guide} == set()
