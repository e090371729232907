"""Which passage an answer's marker means: the one that the prompt prints under its number."""

import time
from typing import Any

import pytest

from lineage.formats.markers import number_before
from lineage.formats.openinference import to_records
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.formats.openinference_traces import documents, of_kind, only, request, span

pytestmark = pytest.mark.engine_free

ALPHA = {"id": "a", "content": "Alpha is one."}
BETA = {"id": "b", "content": "Beta is two."}
FOUND: dict[str, Any] = documents("retrieval.documents", ALPHA, BETA)


def records_of(prompt: str, answer: str = "Yes.") -> list[Any]:
    told: dict[str, Any] = {"llm.input_messages.0.message.content": prompt, "output.value": answer}
    return to_records(request(span(1, "RETRIEVER", **FOUND), span(2, "LLM", at=1, **told)))


def read(prompt: str) -> tuple[dict[str, int], str]:
    """The position of each passage, and how positions are known."""
    context = only(records_of(prompt), "context")
    positions = {item["chunk"]["key"]: item["position"] for item in context["items"]}
    return positions, context["attributes"]["positions_known_from"]


def opened(prompt: str, answer: str) -> list[str | None]:
    """The chunks that the answer's markers open, None for one outside the context."""
    records = records_of(prompt, answer)
    for index, record in enumerate(records):
        assert isinstance(parse_record(index, record), NativeRecord), record
    at = {item["position"]: item["chunk"]["key"] for item in only(records, "context")["items"]}
    return [at.get(citation["position"]) for citation in of_kind(records, "citation")]


@pytest.mark.parametrize(
    "prompt",
    [
        "[2] {a}\n[5] {b}",
        "[02] {a}\n[05] {b}",
        "[2]: {a} [5]: {b}",
        "【2】{a} 【5】{b}",
        "[doc-2] {a}\n[doc-5] {b}",
        "[doc2] {a} [doc5] {b}",
        "[Doc 2] {a} [Doc 5] {b}",
        "[document_2] {a} [document_5] {b}",
        "[ref 2] {a}\n[ref 5] {b}",
        "[Source: 2]\n{a}\n\n[Source: 5]\n{b}",
        "[chunk#2] {a}\n[chunk#5] {b}",
        "[^2] {a}\n[^5] {b}",
        "[^2]: {a}\n[^5]: {b}",
        "[c2] {a}\n[c5] {b}",
        "【2†a.pdf】{a}\n【5†b.pdf】{b}",
        "[2]\n{a}\n[5]\n{b}",
        "[2] A title\n{a}\n\n[5] Another title, of 1999\n{b}",
        "[2] On the work of Smith [3]\n{a}\n[5] A reply to [2]\n{b}",
        "[2] a.pdf\nhttps://example.org/a\n\n{a}\n\n[5] b.pdf\nhttps://example.org/b\n\n{b}",
        "[2](https://example.org/a) A title\n{a}\n[5](https://example.org/b) A title\n{b}",
        "Document [2](Title: Of alpha) {a}\nDocument [5](Title: Of beta) {b}",
        "Document 2:\n{a}\nDocument 5:\n{b}",
        "Document 2\n{a}\nDocument 5\n{b}",
        "Document #2: {a}\nDocument #5: {b}",
        "Source 2 {a} Source 5 {b}",
        "Excerpt 2:\n{a}\nExcerpt 5:\n{b}",
        "Trecho 2: {a}\nTrecho 5: {b}",
        "<result index='2'>{a}</result><result index='5'>{b}</result>",
        "Passage no. 2 of 9: {a} Passage no. 5 of 9: {b}",
        "### Document 2 - Of alpha\n{a}\n### Document 5 - Of beta\n{b}",
        "**[2]** {a}\n**Source 5:** {b}",
        "--- Document 2 ---\n{a}\n--- Document 5 ---\n{b}",
        "Doc 2 (Title: Of alpha)\n{a}\nDoc 5 (Title: Of beta)\n{b}",
        "<doc id=2>{a}</doc><doc id=5>{b}</doc>",
        '<doc id="2">\n{a}\n</doc>\n<doc id="5">\n{b}\n</doc>',
        "<doc id='doc-2' lang='en'>{a}</doc><doc id='doc-5' lang='en'>{b}</doc>",
        (
            '<documents>\n<document index="2">\n<source>a.pdf</source>\n<document_content>\n{a}\n'
            '</document_content>\n</document>\n<document index="5">\n<source>b.pdf</source>\n'
            "<document_content>\n{b}\n</document_content>\n</document>\n</documents>"
        ),
        '<source title="Of 7" id="2">{a}</source><source title="Of 8" id="5">{b}</source>',
        "<doc_2>{a}</doc_2>\n<doc_5>{b}</doc_5>",
        "Context: [2] {a} [5] {b}",
        "Context: [2]\n{a}\n[5]\n{b}",
        "(2) {a}\n(5) {b}",
        "2. {a}\n5. {b}",
        "2) {a}\n5) {b}",
        "[1] What nobody traced. [2] {a}\n[3] Nor this.\n[5] {b}",
        "Cite as [1] or [9].\n\n[2] {a}\n[5] {b}",
        "Rules:\n1. Cite as [n].\n2. Be brief.\n\n[2] {a}\n[5] {b}",
    ],
)
def test_number_printed_before_a_passage_is_its_position(prompt: str) -> None:
    prompt = prompt.format(a=ALPHA["content"], b=BETA["content"])
    assert read(f"Use these:\n{prompt}\nWhat is one?") == ({"a": 2, "b": 5}, "prompt")
    assert read(prompt) == ({"a": 2, "b": 5}, "prompt")


@pytest.mark.parametrize(
    "prompt",
    [
        "{a}\n{b}",
        "[2] {a}\n{b}",
        "[2] {a}\n[2] {b}",
        "[k2] {a}\n[k5] {b}",
        "[A] {a}\n[B] {b}",
        "[2024] {a}\n[2025] {b}",
        "[1, 2] {a}\n[3-5] {b}",
        "chunk: 2\n\n{a}\n\nchunk: 5\n\n{b}",
        "page_label: 2\nsource: 7\n\n{a}\n\npage_label: 5\nsource: 8\n\n{b}",
        "Cite as [2].\n\n{a}\n\nAs in [5].\n\n{b}",
        "In 2\n{a}\nin 5\n{b}",
        "1. Be brief.\n2. Cite.\n\n{a}\n5. Be kind.\n\n{b}",
        "[2] Be brief.\n\nThe sources:\n\n{a}\n\n[5] Be kind.\n\nMore sources:\n\n{b}",
        '<doc id="9f2-2">{a}</doc><doc id="9f2-5">{b}</doc>',
    ],
)
def test_passages_without_a_number_that_can_be_read_are_counted_and_said_to_be(prompt: str) -> None:
    prompt = prompt.format(a=ALPHA["content"], b=BETA["content"])
    assert read(prompt) == ({"a": 1, "b": 2}, "order")


@pytest.mark.parametrize(
    ("prompt", "answer", "chunks"),
    [
        ("[doc-0] {a}\n[doc-1] {b}", "So it is [doc-0]. And so [doc-1].", ["a", "b"]),
        ("[doc-2] {a} [doc-3] {b}", "So [doc-3]. And so [doc-2]. Or [doc-1].", ["b", "a", None]),
        ("[0] {a}\n[1] {b}", "So it is [0]. And so [1]. Or not [2].", ["a", "b", None]),
        ("[^1] {b}\n[^0] {a}", "So it is [^1].", ["b"]),
        ("<doc id=1>{b}</doc><doc id=0>{a}</doc>", "So it is [1]. And so [0].", ["b", "a"]),
        ("Document 0:\n{a}\nDocument 1:\n{b}", "So it is [Document 1].", ["b"]),
        ("{b}\n{a}", "So it is [1]. Or not [3].", ["b", None]),
        # Results of a search, counted from 0 within the message of their tool.
        ("[4]\n【4:1†b.pdf】 {b}\n【4:2†a.pdf】 {a}", "So it is 【4:1†b.pdf】.", ["b"]),
        ("{b}\n{a}", "So it is 【4:0†b.pdf】. And so 【4:1†a.pdf】.", ["b", "a"]),
        ("{b}\n{a}", "So it is 【4:0†b.pdf】. And so 【8:0†a.pdf】.", []),
        ("[0] {a} [1] {b}", "So it is [0]–[1].", ["a", "b"]),
    ],
)
def test_marker_opens_the_passage_that_bears_its_number(
    prompt: str, answer: str, chunks: list[str | None]
) -> None:
    prompt = prompt.format(a=ALPHA["content"], b=BETA["content"])
    assert opened(prompt, answer) == chunks


@pytest.mark.parametrize(
    "text",
    ["[" * 600, "<doc " * 120, "<doc id=" * 75, "Document 4 " * 54, "[4] " * 150, "#" * 600,
     "[4]" + "\n" * 597, "<doc id=4 " + "n=" * 290, "=" * 300 + "\n" * 300],
)  # fmt: skip
def test_hostile_text_before_a_passage_is_read_quickly(text: str) -> None:
    started = time.process_time()
    for _ in range(20):
        number_before(text)
    assert time.process_time() - started < 0.5
