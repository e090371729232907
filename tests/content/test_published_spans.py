"""Gold spans and passages of published benchmarks: in every unit, and wrong by a few characters.

A highlight that is off by one is worse than none: what cannot be proved has no place.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from citations.anchoring import Anchored, Support, anchor_support, surroundings
from lineage.content.intervals import verify
from lineage.content.locate import locate
from lineage.types import Interval
from lineage.vocabulary import HIGHLIGHTED, Anchor
from tests.thorough import THOROUGH

pytestmark = pytest.mark.engine_free

CHECKOUT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).parent / "data"


class Span(NamedTuple):
    """A quotation and where it stands in the text (code points)."""

    text: str
    start: int
    end: int

    def nearby(self) -> "Span":
        """The same quotation in the few thousand characters around it."""
        first = max(0, self.start - 2_000)
        return Span(self.text[first : self.end + 2_000], self.start - first, self.end - first)

    @property
    def quote(self) -> str:
        return self.text[self.start : self.end]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def spans() -> list[Span]:
    articles = CHECKOUT / "demo" / "data" / "articles"
    found = rows("charspans.jsonl")
    texts = {
        source: (articles / f"{source}.txt").read_bytes().decode()
        for source in {row["source"] for row in found}
    }
    spans = [Span(texts[row["source"]], row["start"], row["end"]) for row in found]
    assert [span.quote for span in spans] == [row["text"] for row in found]
    assert len(spans) == 231
    return spans


def in_unit(text: str, at: int, unit: str) -> int:
    encoding, width = {"codepoint": ("utf-32-le", 4), "utf16": ("utf-16-le", 2), "utf8": ("utf-8", 1)}[unit]  # fmt: skip
    return len(text[:at].encode(encoding)) // width


def shifts() -> Iterator[tuple[int, int]]:
    """By how much start and end are wrong: either or both, in both directions."""
    for by in (*range(-5, 0), *range(1, 6)):
        yield from ((by, 0), (0, by), (by, by))


@pytest.mark.parametrize("unit", ["codepoint", "utf16", "utf8"])
def test_a_right_interval_in_any_unit_is_exact_with_its_quote_and_without(
    spans: list[Span], unit: str
) -> None:
    for span in spans:
        sent = Interval(in_unit(span.text, span.start, unit), in_unit(span.text, span.end, unit), unit)  # fmt: skip
        for quote in (span.quote, None):
            verified = verify(span.text, sent, quote)
            assert (verified.start, verified.end) == (span.start, span.end)
            assert verified.anchor is Anchor.EXACT


@pytest.mark.parametrize("unit", ["codepoint", "utf16", "utf8"])
def test_a_wrong_interval_is_put_right_by_its_quote_or_has_no_place(
    spans: list[Span], unit: str
) -> None:
    placed = 0
    for span in map(Span.nearby, spans):
        start, end = in_unit(span.text, span.start, unit), in_unit(span.text, span.end, unit)
        for first, last in shifts():
            verified = verify(span.text, Interval(start + first, end + last, unit), span.quote)
            # Wrong by white space only: the words are the same, and nothing is to be told.
            assert verified.anchor is Anchor.NORMALISED or "interval" in verified.warnings[-1].code
            if verified.start is None:
                assert verified.anchor not in HIGHLIGHTED
            else:
                placed += 1
                assert (verified.start, verified.end) == (span.start, span.end)
                assert verified.anchor is not Anchor.EXACT
    # Only what lies inside a character, or before or behind the text, stays without a place.
    assert placed > 0.97 * len(spans) * len(list(shifts()))


def some(mistakes: Iterator[tuple[int, int]], number: int) -> list[tuple[int, int]]:
    """All of them in the long run of the tests, every sixth otherwise: each time others."""
    every = 1 if THOROUGH else 6
    return list(mistakes)[number % every :: every]


def chunks_around(span: Span) -> Iterator[tuple[int, int]]:
    """Passages that hold the span, begin or end in its middle, or touch only its first words."""
    middle = (span.start + span.end) // 2
    yield max(0, span.start - 50), min(len(span.text), span.end + 20)
    yield max(0, span.start - 200), middle
    yield middle, min(len(span.text), span.end + 200)
    yield span.start, span.end


def marked(chunk: tuple[int, int], found: Anchored) -> tuple[int, int] | None:
    """What is highlighted in the passage itself, in code points of the document."""
    if not found.highlights:
        return None
    (mark,) = found.highlights
    return chunk[0] + mark.start, chunk[0] + mark.end


def test_the_passage_marks_the_very_characters_or_none(spans: list[Span]) -> None:
    """Whatever the unit and whatever the mistake, in passages cut around and across the span."""
    for number, span in enumerate(map(Span.nearby, spans)):
        for chunk in chunks_around(span):
            around = surroundings(span.text[slice(*chunk)], span.text, chunk)
            true = max(span.start, chunk[0]), min(span.end, chunk[1])
            for unit in ("codepoint", "utf16", "utf8"):
                start = in_unit(span.text, span.start, unit)
                end = in_unit(span.text, span.end, unit)
                sent = Support(interval=Interval(start, end, unit))
                assert marked(chunk, anchor_support(around, sent)) == true
            for first, last in some(shifts(), number):
                wrong = Interval(span.start + first, span.end + last)
                found = anchor_support(around, Support(quote=span.quote, interval=wrong))
                assert marked(chunk, found) in {true, None}
            assert marked(chunk, anchor_support(around, Support(quote=span.quote))) in {true, None}


def test_units_taken_for_another_are_found_by_the_quote_or_not_at_all(spans: list[Span]) -> None:
    """UTF-8 offsets sent as code points: off by one to hundreds."""
    for span in spans:
        sent = Interval(
            in_unit(span.text, span.start, "utf8"), in_unit(span.text, span.end, "utf8")
        )
        verified = verify(span.text, sent, span.quote)
        assert (verified.start, verified.end) in {(span.start, span.end), (None, None)}


def test_a_typeset_quote_is_found_as_the_plain_one(spans: list[Span]) -> None:
    """Straight for curly, hyphens for dashes: 49 spans have one of them."""
    plain = str.maketrans("’‘“”—–", "''\"\"--")
    grades = []
    for span in spans:
        quote = span.quote.translate(plain)
        if quote != span.quote:
            found = locate(span.text, quote)
            grades.append(found.anchor)
            assert (found.start, found.end) == (span.start, span.end)
    assert grades == [Anchor.NORMALISED] * 49


@pytest.mark.parametrize("kind", ["un", "evaluated"])
def test_passages_that_contradict_their_interval_are_told(kind: str) -> None:
    """Their documents are not held: each is longer or shorter than its interval says."""
    passages = [row for row in rows("mtrag.jsonl") if row["set"] == kind]
    assert len(passages) == {"un": 23, "evaluated": 8}[kind]
    for row in passages:
        verified = verify(None, Interval(row["start"], row["end"]), row["text"])
        assert verified.anchor is Anchor.UNVERIFIABLE
        assert [warned.code for warned in verified.warnings] == ["interval_unverifiable"]


def test_of_contradicting_passages_only_the_one_that_the_document_holds_is_placed() -> None:
    """The document as one passage of each overlap has it; the other is nowhere in it at its interval."""
    passages = [row for row in rows("mtrag.jsonl") if row["set"] == "un"]
    contradicting = 0
    for one in passages:
        for other in passages:
            if one["document"] == other["document"] and one["start"] < other["start"] < one["end"]:
                contradicting += 1
                document = "\x00" * one["start"] + one["text"]
                verified = verify(document, Interval(other["start"], other["end"]), other["text"])
                assert (verified.start, verified.end) == (None, None)
                assert verified.anchor is Anchor.UNVERIFIABLE
                assert [warned.code for warned in verified.warnings] == ["interval_unverifiable"]
    assert contradicting == 12
