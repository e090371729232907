"""Faults that other products had, sent here as native records (addresses of the reports beside each)."""

import json
from typing import Any

import pytest

from tests.api.caller import Caller
from tests.api.test_reading import uid
from tests.api.world import record
from tests.thorough import THOROUGH


def document(api: Caller, text: str) -> None:
    api.records(
        record("source", "s", title="S", creators=[{"name": "A"}]),
        record("source_version", "s@1", source="s", license="CC0-1.0"),
        record("document", "d", source_version="s@1", text=text),
    )


def codes(outcome: dict[str, Any]) -> list[str]:
    return sorted(warned["code"] for warned in outcome["warnings"])


def test_offsets_in_utf16_units(api: Caller) -> None:
    """tilgovi/dom-anchor-text-position#6: every character beyond the BMP shifted the highlight."""
    document(api, "🤔🤔🤔🤔:thinking about provenance")
    spans: list[dict[str, Any]] = [
        {"start": 4, "end": 13, "unit": "codepoint"},
        {"start": 8, "end": 17, "unit": "utf16"},
        {"start": 8, "end": 17},
    ]
    outcomes = api.records(
        *(
            record("chunk", f"c{n}", document="d", interval=span, text=":thinking")
            for n, span in enumerate(spans)
        )
    )
    # All three are the same passage, so each is flagged as standing where others do.
    told = [set(codes(o)) - {"interval_ambiguous"} for o in outcomes]
    assert told == [set(), {"interval_converted"}, {"interval_relocated"}]
    assert [w["pointer"] for w in outcomes[2]["warnings"] if w["code"] == "interval_relocated"] == [
        "/records/2/interval"
    ]
    for outcome, span in zip(outcomes, spans, strict=True):
        kept = api.get(f"/nodes/{outcome['uid']}").body["fields"]["interval"]
        assert (kept["start"], kept["end"]) == (span["start"], span["end"])
        assert kept["unit"] == span.get("unit", "codepoint")


def test_chunks_whose_offsets_were_found_by_search(api: Caller) -> None:
    """langchain-ai/langchain#21475, #17642: repeated text, and a start of -1."""
    document(api, "chunk chunk")
    chunks = [
        ("c0", "chunk", 0, 5),
        ("c1", "chun", 0, 4),
        ("c2", "chunk", 0, 5),
        ("c3", "chunk", -1, 4),
    ]
    outcomes = api.records(
        *(
            record("chunk", key, document="d", text=text, interval={"start": start, "end": end})
            for key, text, start, end in chunks
        )
    )
    assert "rejected" not in {o["status"] for o in outcomes}
    assert len({o["uid"] for o in outcomes}) == 4
    assert [codes(o) for o in outcomes] == [
        ["interval_ambiguous"],
        [],
        ["interval_ambiguous"],
        ["interval_unverifiable"],
    ]
    text = api.get(f"/nodes/{outcomes[3]['uid']}").body["fields"]["text"]
    assert text == "chunk"


def test_two_markers_of_one_document(api: Caller) -> None:
    """onyx-dot-app/onyx#14334: the footer showed one number, the text the other."""
    document(api, "Fees fell in May. They rose again in June.")
    api.records(
        record("chunk", "docA#2", document="d", interval={"start": 0, "end": 17}),
        record("chunk", "docA#7", document="d", interval={"start": 18, "end": 42}),
        record(
            "context",
            "x",
            items=[{"chunk": "docA#2", "position": 4}, {"chunk": "docA#7", "position": 8}],
        ),
        record("answer", "a", context="x", text="Fees fell [4]. They rose later [8]."),
        record("claim", "k4", answer="a", interval={"start": 0, "end": 9}),
        record("claim", "k8", answer="a", interval={"start": 15, "end": 30}),
        record("citation", "q4", claim="k4", marker="[4]", chunk="docA#2"),
        record("citation", "q8", claim="k8", marker="[8]", position=8),
    )
    cards = [api.get(f"/citations/{uid(api, 'citation', key)}").body for key in ("q4", "q8")]
    assert [(c["marker"], c["passage"]["text"], c["in_context"]) for c in cards] == [
        ("[4]", "Fees fell in May.", True),
        ("[8]", "They rose again in June.", True),
    ]
    assert cards[0]["document"] == cards[1]["document"]


def test_citations_of_what_was_not_in_the_context(api: Caller) -> None:
    """IgorGanapolsky/ThumbGate#3098: [999] against one source passed as grounded."""
    document(api, "Revenue was flat. Cash rose.")
    sent = api.records(
        record("chunk", "k1", document="d", interval={"start": 0, "end": 17}),
        record("chunk", "k2", document="d", interval={"start": 18, "end": 28}),
        record("retrieval", "r", candidates=[{"chunk": "k1", "kept": True}, {"chunk": "k2"}]),
        record("context", "x", retrieval="r", items=[{"chunk": "k1", "position": 1}]),
        record("answer", "a", context="x", text="Revenue grew 8% [999]. Costs fell [2]. Cash rose [k2]."),
        *(record("claim", f"c{n}", answer="a", interval=i) for n, i in enumerate(
            [{"start": 0, "end": 15}, {"start": 23, "end": 33}, {"start": 39, "end": 48}]
        )),
        record("citation", "q0", claim="c0", marker="[999]", position=999),
        record("citation", "q1", claim="c1", marker="[2]", position=2),
        record("citation", "q2", claim="c2", marker="[k2]", chunk="k2"),
    )  # fmt: skip
    assert "rejected" not in {o["status"] for o in sent}
    assert [codes(o) for o in sent[-3:]] == [["citation_outside_context"]] * 3
    cards = [api.get(f"/citations/{o['uid']}").body for o in sent[-3:]]
    assert [c["in_context"] for c in cards] == [False, False, False]
    assert {c["verdict"] for c in cards} == {"not checked"}
    assert [c["passage"] and c["passage"]["text"] for c in cards] == [None, None, "Cash rose."]
    # A citation that resolves counts as cited, in the context or not.
    impact = api.get(f"/nodes/{uid(api, 'chunk', 'k2')}/impact").body
    assert [(item["key"], item["grade"]) for item in impact["items"]] == [("a", "cited")]


def test_a_source_that_was_taken_down_and_is_retrieved_again(api: Caller) -> None:
    """infiniflow/ragflow#6462, #7130: a deleted document was still found."""
    document(api, "One is one. Two is two. Three is three.")
    places = [(0, 11), (12, 23), (24, 39)]
    api.records(
        *(
            record("chunk", f"c{n}", document="d", interval={"start": start, "end": end})
            for n, (start, end) in enumerate(places, 1)
        ),
        record("index_snapshot", "i1", collection="i", chunks=["c1", "c2", "c3"]),
    )

    def ask(name: str) -> dict[str, dict[str, Any]]:
        candidates = [{"chunk": "c2", "rank": 1, "kept": True}]
        outcomes = api.records(
            record("retrieval", f"r-{name}", index_snapshot="i1", candidates=candidates),
            record(
                "context",
                f"x-{name}",
                retrieval=f"r-{name}",
                items=[{"chunk": "c2", "position": 1}],
            ),
            record("answer", f"a-{name}", context=f"x-{name}", text="Two is two. [1]"),
            record("claim", f"k-{name}", answer=f"a-{name}", text="Two is two."),
            record("citation", f"q-{name}", claim=f"k-{name}", marker="[1]", position=1),
        )
        return {o["kind"]: o for o in outcomes}

    before = ask("1")
    case = api.post(
        "/cases", {"kind": "revocation", "targets": [{"kind": "source", "key": "s"}], "reason": "r"}
    ).body["uid"]
    api.post(f"/cases/{case}/dry-run")
    assert api.post(f"/cases/{case}/approve").status == 200
    after = ask("2")
    assert "rejected" not in {o["status"] for o in after.values()}
    assert "withdrawn_upstream" in codes(after["answer"])
    for answer in (before["answer"], after["answer"]):
        assert api.get(f"/answers/{answer['uid']}").body["state"] == "stale"
    for citation in (before["citation"], after["citation"]):
        card = api.get(f"/citations/{citation['uid']}").body
        assert (card["status"], card["passage"], card["passage_hidden"]) == (
            "revoked",
            None,
            "revocation",
        )
    chunk = api.get(f"/nodes/{uid(api, 'chunk', 'c2')}").body
    assert (chunk["state"], chunk["withdrawn_by"]) == ("withdrawn", [case])
    assert "Two is two" not in json.dumps(chunk)


@pytest.mark.one_pair
@pytest.mark.parametrize("chunks", [5_000 if THOROUGH else 4_000])
def test_fan_out_is_counted_exactly_and_paged_to_its_end(api: Caller, chunks: int) -> None:
    """datahub-project/datahub#6756: lineage vanished beyond 3,581 upstreams."""
    each = 25
    answers = 2 * chunks // each  # every passage is in two contexts
    document(api, "x" * chunks)
    api.records(
        record("component", "p", component_kind="chunker", name="p", version="1"),
        record("run", "r", run_kind="chunk", component="p"),
    )
    passages = [
        record("chunk", f"c{n}", document="d", run="r", interval={"start": n, "end": n + 1})
        for n in range(chunks)
    ]
    for start in range(0, chunks, 1_000):
        api.records(*passages[start : start + 1_000])
    asked = []
    for n in range(answers):
        own = [f"c{(n * each + i) % chunks}" for i in range(each)]
        items = [{"chunk": key, "position": i} for i, key in enumerate(own, 1)]
        asked += [
            record("context", f"x{n}", items=items),
            record("answer", f"a{n}", context=f"x{n}", text=f"Answer {n}."),
        ]
    for start in range(0, len(asked), 200):
        api.records(*asked[start : start + 200])
    path = f"/nodes/{uid(api, 'component', 'p')}/impact?limit=200"
    first = api.get(path).body
    second = api.get(f"{path}&cursor={first['next']}").body
    assert (first["total"], first["counts"]["in_context"], second["next"]) == (
        answers,
        answers,
        None,
    )
    listed = {item["key"] for item in first["items"] + second["items"]}
    assert listed == {f"a{n}" for n in range(answers)}


def test_scores_that_are_no_numbers(api: Caller) -> None:
    """Arize-ai/phoenix#2054: NaN was accepted, then the page would not load."""
    body = (
        b'{"records":[{"kind":"retrieval","key":"r","candidates":['
        b'{"chunk":"a","score":NaN},{"chunk":"b","score":Infinity},'
        b'{"chunk":"c","score":null},{"chunk":"d","score":0.0}]}]}'
    )
    reply = api.call("POST", "/api/v1/records", body)
    (outcome,) = reply.body["outcomes"]
    told = [w["pointer"] for w in outcome["warnings"] if w["code"] == "score_not_finite"]
    assert told == ["/records/0/candidates/0/score", "/records/0/candidates/1/score"]
    node = api.get(f"/nodes/{outcome['uid']}").body
    assert [c.get("score") for c in node["fields"]["candidates"]] == [None, None, None, 0.0]
    json.dumps(node, allow_nan=False)


def test_html_in_passages_is_text(api: Caller) -> None:
    """infiniflow/ragflow#1491, #611: a passage was rendered as HTML."""
    text = "<script>alert(1)</script><img src=x onerror=alert(2)> revenue <b>rose</b> &amp; fell"
    document(api, text)
    api.records(
        record("source", "s", title='"><svg onload=alert(3)>', occurred_at="2026-04-01T00:00:00Z"),
        record("chunk", "c", document="d", interval={"start": 0, "end": len(text)}),
        record("context", "x", items=[{"chunk": "c", "position": 1}]),
        record("answer", "a", context="x", text="Revenue rose. [1]"),
        record("claim", "k", answer="a", interval={"start": 0, "end": 13}),
        record(
            "citation", "q", claim="k", marker="[1]", chunk="c", quote="revenue <b>rose</b>",
            support={"start": 54, "end": 73, "in": "chunk"},
        ),
    )  # fmt: skip
    card = api.get(f"/citations/{uid(api, 'citation', 'q')}").body
    assert card["passage"]["text"] == text
    assert card["title"] == '"><svg onload=alert(3)>'
    (span,) = card["passage"]["highlights"]
    assert text[span["start"] : span["end"]] == "revenue <b>rose</b>"


def test_one_file_ingested_again_and_again(api: Caller) -> None:
    """FalkorDB/GraphRAG-SDK#309: 17, 34, 51 chunks after three uploads of one file."""

    def ingest(*, size: int, text: str = "Alpha. Beta. Gamma.", version: str = "1") -> list[str]:
        place = f"s@{version}"
        revised = {} if version == "1" else {"revision_of": "s@1"}
        outcomes = api.records(
            record("source", "s", title="S"),
            record("source_version", place, source="s", version=version, **revised),
            record("document", f"d@{version}", source_version=place, text=text),
            *(
                record(
                    "chunk", f"d@{version}:{size}:{start}", document=f"d@{version}",
                    interval={"start": start, "end": min(start + size, len(text))},
                )
                for start in range(0, len(text), size)
            ),
        )  # fmt: skip
        return [o["uid"] for o in outcomes]

    first = ingest(size=7)
    assert ingest(size=7) == ingest(size=7) == first
    finer = ingest(size=5)
    assert finer[:3] == first[:3]
    assert not set(finer[3:]) & set(first)
    changed = ingest(size=7, text="Alpha. Beta! Gamma.", version="2")
    assert changed[0] == first[0]
    assert not set(changed[1:]) & set(first)
    version = api.get(f"/nodes/{changed[1]}").body
    assert version["fields"]["revision_of"]["uid"] == first[1]
