"""The reading endpoints: exact members, order, pages, addresses that moved."""

from typing import Any

import pytest

from tests.api.caller import Caller
from tests.api.world import AT, TEXT, answer, record, source


def uid(api: Caller, kind: str, key: str) -> str:
    (item,) = api.get(f"/resolve?kind={kind}&key={key}").body["items"]
    assert isinstance(item["uid"], str)
    return item["uid"]


@pytest.fixture
def world(graph: object, api: Caller) -> Caller:
    """A caller whose workspace holds the small world, in the graph as well."""
    api.records(*source(), *answer())
    return api


def test_resolve_gives_digest_and_time(world: Caller) -> None:
    assert world.get("/resolve?kind=document&key=d").body == {
        "items": [
            {
                "uid": uid(world, "document", "d"),
                "digest": "sha256:c601d009ef4866c5b1d850cded9fc5dda404b0a1b1a71c3f955a33825c5730f6",
                "occurred_at": AT,
                "resolved": True,
            }
        ],
        "next": None,
        "total": 1,
    }


def test_resolve_lists_placeholders_and_no_unknown_key(world: Caller) -> None:
    world.records(record("claim", "k", answer={"key": "later", "namespace": "n"}, text="A."))
    (item,) = world.get("/resolve?kind=answer&key=later&namespace=n").body["items"]
    assert (item["resolved"], item["digest"], item["occurred_at"]) == (False, None, None)
    for query in (
        "kind=answer&key=later",
        "kind=answer&key=never&namespace=n",
        "kind=document&key=never",
    ):
        assert world.get(f"/resolve?{query}").body == {"items": [], "next": None, "total": 0}


def test_a_placeholders_uid_leads_on_once_it_is_settled(world: Caller) -> None:
    world.records(record("claim", "k", answer="later", text="A."))
    placeholder = uid(world, "answer", "later")
    world.records(record("answer", "later", text="A."))
    settled = uid(world, "answer", "later")
    assert settled != placeholder
    for kind, rest in (("nodes", ""), ("nodes", "/impact?limit=2"), ("answers", "")):
        reply = world.get(f"/{kind}/{placeholder}{rest}")
        assert reply.status == 301
        assert reply.headers["Location"] == f"/api/v1/{kind}/{settled}{rest}"


def test_a_node_has_the_members_of_the_contract(world: Caller) -> None:
    node = world.get(f"/nodes/{uid(world, 'chunk', 'c1')}").body
    assert set(node) == {
        "uid", "kind", "key", "namespace", "label", "state", "resolved", "hidden", "occurred_at",
        "recorded_at", "fields", "attributes", "withdrawn_by", "flags",
    }  # fmt: skip
    assert (node["kind"], node["key"], node["namespace"]) == ("chunk", "c1", "")
    assert (node["state"], node["resolved"], node["hidden"]) == ("active", True, False)
    assert node["occurred_at"] == AT
    assert node["fields"]["interval"] == {
        "start": 0, "end": 13, "unit": "codepoint", "in": "document",
    }  # fmt: skip
    assert node["fields"]["document"]["uid"] == uid(world, "document", "d")


def test_search_finds_by_word_doi_key_and_uid(world: Caller) -> None:
    source_uid = uid(world, "source", "s")
    for q in ("handbook", "10.1234/HB", "https://doi.org/10.1234/hb", "s", source_uid):
        found = world.get(f"/search?q={q}&kind=source").body
        assert [item["uid"] for item in found["items"]] == [source_uid], q
    (item,) = found["items"]
    assert item == {
        "uid": source_uid, "kind": "source", "key": "s", "label": "Handbook", "state": "active",
    }  # fmt: skip


def test_parameters_left_blank_are_as_if_absent(world: Caller) -> None:
    """A form with nothing chosen sends them so."""
    node = f"/nodes/{uid(world, 'source', 's')}"
    for blank, absent in (
        ("/resolve?kind=source&key=s&namespace=", "/resolve?kind=source&key=s"),
        ("/search?q=handbook&kind=&limit=&cursor=", "/search?q=handbook"),
        (f"{node}/downstream?depth=", f"{node}/downstream"),
        (f"{node}/impact?grade=&state=&state=", f"{node}/impact"),
        (f"{node}/impact?grade=&grade=cited", f"{node}/impact?grade=cited"),
        ("/cases?state=", "/cases"),
    ):
        without = world.get(absent)
        assert without.status == 200
        assert world.get(blank).body == without.body
    assert world.get("/search?q=").body == {"items": [], "next": None, "total": 0}


def test_upstream_and_downstream_are_nodes_and_edges(world: Caller) -> None:
    up = world.get(f"/nodes/{uid(world, 'citation', 'a-q')}/upstream?depth=20").body
    keys = {node["key"] for node in up["nodes"]}
    assert {"a-q", "c1", "d", "s@1", "s"} <= keys
    assert "c2" not in keys
    assert up["truncated"] is False
    assert all("attributes" not in node for node in up["nodes"])
    quoted = [edge for edge in up["edges"] if edge["type"] == "WAS_QUOTED_FROM"]
    assert quoted == [
        {
            "type": "WAS_QUOTED_FROM",
            "from": uid(world, "citation", "a-q"),
            "to": uid(world, "chunk", "c1"),
            "properties": {},
        }
    ]
    down = world.get(f"/nodes/{uid(world, 'source', 's')}/downstream?depth=20").body
    assert "a" in {node["key"] for node in down["nodes"]}
    assert world.get(f"/nodes/{uid(world, 'source', 's')}/downstream?depth=1").body["truncated"]


def test_impact_pages_newest_first_and_counts_before_filters(graph: object, api: Caller) -> None:
    api.records(*source())
    for number, at in enumerate(("2026-03-01", "2026-03-03", "2026-03-02", None)):
        records = answer(f"a{number}", cited="c1" if number < 2 else "c2")
        for each in records:
            each["occurred_at"] = f"{at}T10:00:00Z" if at else None
        api.records(*records)
    path = f"/nodes/{uid(api, 'chunk', 'c1')}/impact"
    whole = api.get(path).body
    assert set(whole) == {"counts", "items", "next", "total"}
    assert whole["counts"] == {
        "cited": 2, "in_context": 2, "retrieved": 0, "possible": 0, "produced": 0, "served": 0,
    }  # fmt: skip
    assert [(i["key"], i["grade"], i["state"], i["occurred_at"]) for i in whole["items"]] == [
        ("a1", "cited", "current", "2026-03-03T10:00:00Z"),
        ("a2", "in_context", "current", "2026-03-02T10:00:00Z"),
        ("a0", "cited", "current", "2026-03-01T10:00:00Z"),
        ("a3", "in_context", "current", None),
    ]
    assert all(item["because"][0] == uid(api, "chunk", "c1") for item in whole["items"])
    paged: list[dict[str, Any]] = []
    cursor = ""
    while len(paged) < 4:
        page = api.get(f"{path}?limit=1{cursor}").body
        assert page["total"] == 4, page
        paged += page["items"]
        cursor = f"&cursor={page['next']}"
    assert (paged, page["next"]) == (whole["items"], None)
    cited = api.get(f"{path}?grade=cited&grade=served&state=current").body
    assert (cited["total"], cited["counts"]) == (2, whole["counts"])
    assert api.get(f"{path}?state=stale").body["total"] == 0


def test_an_answer_has_its_claims_and_its_evidence(world: Caller) -> None:
    body = world.get(f"/answers/{uid(world, 'answer', 'a')}").body
    assert (body["text"], body["question"]) == ("Alpha is one. [1]", "What is alpha?")
    assert (body["state"], body["reasons"]) == ("current", [])
    assert (body["context"], body["retrieval"]) == (
        uid(world, "context", "a-ctx"),
        uid(world, "retrieval", "a-ret"),
    )
    (claim,) = body["claims"]
    assert claim["uid"] == uid(world, "claim", "a-k")
    assert claim["interval"] == {"start": 0, "end": 13}
    assert (claim["verdict"], claim["standing"]) == ("not checked", "stands")
    assert claim["citations"] == [uid(world, "citation", "a-q")]


def test_a_citation_has_its_source_and_passage(world: Caller) -> None:
    body = world.get(f"/citations/{uid(world, 'citation', 'a-q')}").body
    assert (body["marker"], body["claim"]) == ("[1]", uid(world, "claim", "a-k"))
    assert [(c["name"], c["role"], c["orcid"]) for c in body["creators"]] == [
        ("Ada", "creator", "0000-0002-1825-0097")
    ]
    assert (body["publisher"]["name"], body["title"]) == ("House", "Handbook")
    assert (body["version"], body["license"]) == ("1", "CC-BY-4.0")
    assert (body["retrieved_at"], body["checked_at"]) == (AT, None)
    assert (body["in_context"], body["verdict"], body["reason"]) == (True, "not checked", None)
    assert body["passage"] == {
        "text": "Alpha is one.",
        "before": "",
        "after": TEXT[13:],
        "heading_path": ["One"],
        "page": None,
        "highlights": [{"start": 0, "end": 13}],
        "anchor": "exact",
        "grade": "exact",
    }


def test_a_citation_outside_the_context_has_no_passage(world: Caller) -> None:
    world.records(record("citation", "q9", claim="a-k", marker="[9]", position=9))
    body = world.get(f"/citations/{uid(world, 'citation', 'q9')}").body
    assert (body["in_context"], body["reason"]) == (False, "citation_outside_context")
    absent = ("passage", "creators", "publisher", "title", "version", "license", "chunk")
    assert {name: body[name] for name in absent} == dict.fromkeys(absent)
