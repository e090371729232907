"""What the demo's answers claim and cite, as its API and its pages tell it, against what is known of them.

Claims and their places: openinference_truth.jsonl. Facts of the sources: read from the heads of
the articles by hand.
"""

import html
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

import tests.formats
from demo.files import DATA, read_json, read_lines, read_text
from tests.flows.demo_answers import get, read_answers
from tests.flows.session import Session
from tests.servers.product import Product

pytestmark = pytest.mark.one_pair

TRUTH: Final = {
    row["file"].removesuffix(".json"): row
    for row in read_lines(Path(tests.formats.__file__).parent / "openinference_truth.jsonl")
}
OUTSIDE: Final = ["haystack_00", "haystack_03", "haystack_04", "haystack_05"]
# Source → creators, publisher, version, licence; None: the source does not state it.
STATED: Final[dict[str, tuple[list[str], str, str | None, str]]] = {
    "PMC176545": (
        ["Bozdech Zbynek", "Llinás Manuel", "Pulliam Brian Lee", "Wong Edith D", "Zhu Jingchun",
         "DeRisi Joseph L"],
        "Public Library of Science", "2021-01-05 08:21:03", "LicenseRef-CC-BY",
    ),
    "PMC193604": (
        ["Peng Ying", "Stoleru Dan", "Levine Joel D", "Hall Jeffrey C", "Rosbash Michael"],
        "Public Library of Science", "2021-01-05 08:21:03", "LicenseRef-CC-BY",
    ),
    "PMC212319": (
        ["Li Hai-Sheng", "Shome Kuntala", "Rojas Raúl", "Rizzo Megan A",
         "Vasudevan Chandrasekaran", "Fluharty Eric", "Santy Lorraine C", "Casanova James E",
         "Romero Guillermo"],
        "BioMed Central", "2022-01-04 23:15:02", "CC-BY-4.0",
    ),
    "PMC212687": (
        ["Lee Alfred Ian", "Fugmann Sebastian D", "Cowell Lindsay G", "Ptaszek Leon M",
         "Kelsoe Garnett", "Schatz David G"],
        "Public Library of Science", "2021-01-05 08:21:03", "LicenseRef-CC-BY",
    ),
    "PMC212690": (
        ["Brown Glenn Otis"], "Public Library of Science", "2021-01-05 08:25:30",
        "LicenseRef-CC-BY",
    ),
    "PMC212691": (
        ["Lee Ethan", "Salic Adrian", "Krüger Roland", "Heinrich Reinhart", "Kirschner Marc W"],
        "Public Library of Science", "2021-01-05 08:21:03", "LicenseRef-CC-BY",
    ),
    "sotu-2024": (
        ["Joseph R. Biden Jr."], "The White House", None,
        "LicenseRef-public-domain-US-federal-government-work",
    ),
}  # fmt: skip
# A version that has no name is told by its date.
SPEECH_VERSION: Final = "of 7 March 2024"
# The two claims that their model trimmed and joined: the article has other blanks between the words.
NORMALISED: Final = ["llamaindex_00", "llamaindex_05"]


@pytest.fixture(scope="module")
def answers(demo_stack: Product) -> dict[str, Any]:
    return read_answers(demo_stack)


@pytest.fixture(scope="module")
def cards(answers: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """(trace, what is known of the claim, card of its only citation) of all claims."""
    return [
        (name, told, answers[name]["cards"][claim["citations"][0]])
        for name, truth in TRUTH.items()
        for told, claim in zip(truth["claims"], answers[name]["claims"], strict=True)
    ]


def chunk_key(name: str, told: Any) -> str | None:
    """The chunk at the position that the claim cites; None where its context has none."""
    context: list[str] = TRUTH[name]["context"]
    return context[told["cited"] - 1] if told["cited"] <= len(context) else None


def retrieved_at(name: str) -> datetime:
    """When the trace's retrieval ended: the last of its retriever spans; to the microsecond."""
    ends = [
        int(span["endTimeUnixNano"])
        for resource in read_json(DATA / "traces" / f"{name}.json")["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
        if {"key": "openinference.span.kind", "value": {"stringValue": "RETRIEVER"}}
        in span["attributes"]
    ]
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=max(ends) // 1000)


def test_all_claims_stand_where_they_are_known_to_stand(answers: dict[str, Any]) -> None:
    assert sorted(answers) == sorted(TRUTH)
    for name, truth in TRUTH.items():
        answer = answers[name]
        assert (answer["question"], answer["text"]) == (truth["question"], truth["answer"])
        assert [(claim["interval"], claim["text"]) for claim in answer["claims"]] == [
            ({"start": told["answer_start"], "end": told["answer_end"]}, told["claim"])
            for told in truth["claims"]
        ]
        assert {claim["verdict"] for claim in answer["claims"]} == {"not checked"}
    assert sum(len(answer["claims"]) for answer in answers.values()) == 26


def test_each_claim_cites_the_chunk_at_its_position(
    demo_stack: Product, cards: list[tuple[str, Any, Any]]
) -> None:
    assert len(cards) == 26
    for name, told, card in cards:
        assert (card["marker"], card["position"]) == (f"[{told['cited']}]", told["cited"])
        key = chunk_key(name, told)
        cited = card["chunk"] and get(demo_stack, f"/nodes/{card['chunk']}")["key"]
        assert cited == key, name
        assert card["in_context"] is (key is not None)


def test_four_positions_outside_their_context_are_kept_and_told(
    cards: list[tuple[str, Any, Any]],
) -> None:
    outside = [(name, card) for name, _, card in cards if not card["in_context"]]
    assert [name for name, _ in outside] == OUTSIDE
    for _, card in outside:
        assert card["reason"] == "citation_outside_context"
        assert [flag["code"] for flag in card["flags"]] == ["citation_outside_context"]
        nothing = ("passage", "creators", "publisher", "title", "version", "license", "chunk",
                   "document", "source", "source_version")  # fmt: skip
        assert {name: card[name] for name in nothing} == dict.fromkeys(nothing)
    assert all(card["reason"] is None for _, _, card in cards if card["in_context"])


def test_each_citation_names_creators_publisher_version_and_licence(
    cards: list[tuple[str, Any, Any]],
) -> None:
    met = set()
    for _, told, card in cards:
        if not card["in_context"]:
            continue
        source = told["gold"]["source_id"]
        met.add(source)
        creators, publisher, version, licence = STATED[source]
        assert [creator["name"] for creator in card["creators"]] == creators
        assert {creator["role"] for creator in card["creators"]} == {"creator"}
        assert card["publisher"]["name"] == publisher
        assert (card["version"], card["license"]) == (version, licence)
    assert met == set(STATED)


def test_each_citation_says_when_it_was_retrieved_and_whether_it_holds(
    cards: list[tuple[str, Any, Any]],
) -> None:
    for name, _, card in cards:
        assert datetime.fromisoformat(card["retrieved_at"]) == retrieved_at(name)
        # Nobody has asked the sources since.
        assert card["checked_at"] is None
        assert card["status"] == ("not_checked" if card["in_context"] else "unknown")


def test_each_passage_stands_in_its_place_with_its_neighbours(
    cards: list[tuple[str, Any, Any]],
) -> None:
    for name, told, card in cards:
        if not card["in_context"]:
            continue
        article = read_text(DATA / "articles" / f"{told['gold']['source_id']}.txt")
        start, end = place_of(chunk_key(name, told))
        passage = card["passage"]
        assert passage["text"] == article[start:end]
        before, after = len(passage["before"]), len(passage["after"])
        assert (
            passage["before"] + passage["text"] + passage["after"]
            == (article[start - before : end + after])
        )
        # At most half a word less than 300, unless the article begins or ends there.
        assert min(start, 270) <= before <= 300
        assert min(len(article) - end, 270) <= after <= 300


def test_each_claim_is_marked_where_its_evidence_is_known_to_stand(
    cards: list[tuple[str, Any, Any]],
) -> None:
    partly = []
    for name, told, card in cards:
        if not card["in_context"]:
            continue
        start, end = place_of(chunk_key(name, told))
        gold = told["gold"]
        article = read_text(DATA / "articles" / f"{gold['source_id']}.txt")
        text = article[gold["start"] : gold["end"]]
        first = max(gold["start"], start)
        last = min(gold["start"] + len(text.rstrip()), end)
        (span,) = card["passage"]["highlights"]
        assert (span["start"] + start, span["end"] + start) == (first, last), name
        expected = "normalised" if name in NORMALISED else "exact"
        assert card["passage"]["anchor"] == expected, name
        if told["support"] == "partial":
            assert (first, last) != (gold["start"], gold["end"])
            partly.append(name)
    # Where the evidence goes on beyond the passage, the part within is marked.
    assert partly == ["haystack_02", "llamaindex_02"]


def test_each_page_of_a_citation_puts_it_into_words(
    demo_stack: Product, cards: list[tuple[str, Any, Any]]
) -> None:
    session = Session.of_demo(demo_stack, "reader")
    for _, told, card in cards:
        answer = session.get(f"/citations/{card['uid']}")
        assert answer.status == 200
        page = answer.body.decode()
        words = words_of(page)
        if not card["in_context"]:
            assert "Nothing supports this marker." in words
            continue
        creators, publisher, version, licence = STATED[told["gold"]["source_id"]]
        for fact in (*creators[:6], publisher, version or SPEECH_VERSION, licence):
            assert fact in words, (card["uid"], fact)
        assert "Retrieved29 November 2026, 18:41 UTC" in words
        assert "Source checkednot since it was retrieved" in words
        passage = card["passage"]
        for piece in (passage["text"], passage["before"], passage["after"]):
            assert " ".join(piece.split()) in words
        # What stands beyond the passage is marked among its neighbours.
        (span,) = passage["highlights"]
        marked = " ".join(passage["text"][span["start"] : span["end"]].split())
        marks = [words_of(each) for each in re.findall(r"<mark.*?</mark>", page, re.DOTALL)]
        assert marked in marks


def place_of(key: str | None) -> tuple[int, int]:
    """Where a chunk stands: its key ends with its place."""
    assert key is not None
    start, end = key.split("-")[-2:]
    return int(start), int(end)


def words_of(page: str) -> str:
    """What a page says, blanks reduced to one."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())
