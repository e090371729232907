"""The answer's text cut by claims, markers and masks; markers stand where they were printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.marks import Piece, Span
from citations.segments import (
    Paragraph,
    PlacedClaim,
    PrintedMarker,
    Segment,
    paragraphs_of,
    place_markers,
)

pytestmark = pytest.mark.engine_free


def said(
    paragraphs: tuple[Paragraph, ...],
) -> list[list[tuple[str, tuple[str, ...], tuple[str, ...]]]]:
    """(text, claims, citations) of each segment."""
    return [
        [
            ("".join(piece.text for piece in segment.pieces), segment.claims, segment.citations)
            for segment in paragraph.segments
        ]
        for paragraph in paragraphs
    ]


def test_no_text_has_no_paragraphs() -> None:
    assert paragraphs_of("", [], []) == ()


def test_markers_without_a_place_are_added_and_told() -> None:
    text = "Fees fell. Costs rose."
    paragraphs = paragraphs_of(
        text,
        [PlacedClaim("k1", 0, 10)],
        [
            PrintedMarker("q1", "k1", "[1]"),
            PrintedMarker("q2", None, "[2]"),
            PrintedMarker("q3", "k1", ""),
        ],
    )
    (paragraph,) = paragraphs
    assert paragraph.segments == (
        Segment((Piece("Fees fell."),), ("k1",), ()),
        Segment((), (), ("q1",), printed=False),
        Segment((), (), ("q3",), printed=False),
        Segment((Piece(" Costs rose."),), (), ()),
        Segment((), (), ("q2",), printed=False),
    )
    assert paragraph.citations == ("q1", "q3", "q2")


def test_an_answer_whose_text_is_not_held_still_shows_its_markers() -> None:
    (paragraph,) = paragraphs_of("", [], [PrintedMarker("q1", None, "[1]")])
    assert paragraph.segments == (Segment((), (), ("q1",), printed=False),)


def test_two_documents_under_two_raw_numbers_keep_them() -> None:
    text = "Fees fell [4]. They rose later [8]."
    claims = [PlacedClaim("k1", 0, 9), PlacedClaim("k2", 15, 30)]
    markers = [PrintedMarker("q1", "k1", "[4]"), PrintedMarker("q2", "k2", "[8]")]
    assert said(paragraphs_of(text, claims, markers)) == [
        [
            ("Fees fell", ("k1",), ()),
            (" ", (), ()),
            ("[4]", (), ("q1",)),
            (". ", (), ()),
            ("They rose later", ("k2",), ()),
            (" ", (), ()),
            ("[8]", (), ("q2",)),
            (".", (), ()),
        ]
    ]


def test_the_same_marker_twice_goes_to_its_own_claim() -> None:
    text = "One [1] two [1]"
    claims = [PlacedClaim("k1", 0, 3), PlacedClaim("k2", 8, 11)]
    markers = [PrintedMarker("q2", "k2", "[1]"), PrintedMarker("q1", "k1", "[1]")]
    assert place_markers(text, claims, markers) == (
        {Span(12, 15): ("q2",), Span(4, 7): ("q1",)},
        [],
    )


def test_a_printed_group_stands_for_all_its_citations() -> None:
    text = "One [1, 2]."
    markers = [PrintedMarker("q1", "k1", "[1, 2]"), PrintedMarker("q2", "k1", "[1, 2]")]
    placed, loose = place_markers(text, [PlacedClaim("k1", 0, 3)], markers)
    assert placed == {Span(4, 10): ("q1", "q2")}
    assert loose == []


def test_a_marker_shared_by_two_claims_is_found_behind_the_second() -> None:
    text = "One and two [1].\n\nThree [2]."
    claims = [PlacedClaim("k1", 0, 3), PlacedClaim("k2", 8, 11), PlacedClaim("k3", 18, 23)]
    markers = [
        PrintedMarker("q1", "k1", "[1]"),
        PrintedMarker("q2", "k2", "[1]"),
        PrintedMarker("q3", "k2", "[2]"),  # behind the next claim, in another paragraph
    ]
    placed, loose = place_markers(text, claims, markers, [16])
    assert placed == {Span(12, 15): ("q1", "q2")}
    assert [each.citation_uid for each in loose] == ["q3"]


def test_a_bare_number_is_no_part_of_a_longer_one() -> None:
    placed, _ = place_markers(
        "In 2019 fees fell 9.", [PlacedClaim("k", 0, 7)], [PrintedMarker("q", "k", "9")]
    )
    assert placed == {Span(18, 19): ("q",)}
    assert (
        place_markers("In 2019", [PlacedClaim("k", 0, 2)], [PrintedMarker("q", "k", "19")])[0] == {}
    )


def test_a_marker_inside_its_claim_is_found_there() -> None:
    text = "Cash [3] rose"
    (paragraph,) = paragraphs_of(text, [PlacedClaim("k", 0, 13)], [PrintedMarker("q", "k", "[3]")])
    assert said((paragraph,)) == [
        [("Cash ", ("k",), ()), ("[3]", ("k",), ("q",)), (" rose", ("k",), ())]
    ]


def test_a_paragraph_of_markers_belongs_to_the_claim_before_it() -> None:
    placed, _ = place_markers(
        "One.\n\n[1]", [PlacedClaim("k", 0, 4)], [PrintedMarker("q", "k", "[1]")], [4]
    )
    assert placed == {Span(6, 9): ("q",)}


def test_claims_may_overlap_and_nest() -> None:
    claims = [PlacedClaim("b", 2, 6), PlacedClaim("a", 0, 4), PlacedClaim("c", 2, 3)]
    assert said(paragraphs_of("abcdefg", claims, [])) == [
        [
            ("ab", ("a",), ()),
            ("c", ("a", "b", "c"), ()),
            ("d", ("a", "b"), ()),
            ("ef", ("b",), ()),
            ("g", (), ()),
        ]
    ]


def test_paragraphs_are_told_apart_and_claims_may_span_them() -> None:
    text = "One.\n \nTwo\nlines. [1]\n\n"
    claims = [PlacedClaim("k", 0, 17)]
    paragraphs = paragraphs_of(text, claims, [PrintedMarker("q", "k", "[1]")])
    assert said(paragraphs) == [
        [("One.", ("k",), ())],
        [("Two\nlines.", ("k",), ()), (" ", (), ()), ("[1]", (), ("q",))],
    ]
    assert [paragraph.citations for paragraph in paragraphs] == [(), ("q",)]


def test_masked_stretches_hold_no_text() -> None:
    (paragraph,) = paragraphs_of("abcdef", [PlacedClaim("k", 1, 5)], [], [Span(2, 4)])
    assert paragraph.segments == (
        Segment((Piece("a"),), (), ()),
        Segment((Piece("b"),), ("k",), ()),
        Segment((Piece(""),), ("k",), (), masked=True),
        Segment((Piece("e"),), ("k",), ()),
        Segment((Piece("f"),), (), ()),
    )


spans = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted)


@given(st.text("ab[1] \n", max_size=30), st.lists(spans, max_size=4), st.lists(spans, max_size=2))
def test_every_character_stands_once_and_every_citation_is_reachable(
    text: str, claimed: list[list[int]], masks: list[list[int]]
) -> None:
    claims = [
        PlacedClaim(f"k{at}", start, end)
        for at, (start, end) in enumerate(claimed)
        if end <= len(text)
    ]
    markers = [PrintedMarker(f"q{claim.uid}", claim.uid, "[1]") for claim in claims]
    paragraphs = paragraphs_of(text, claims, markers, [Span(*each) for each in masks])
    shown = "".join(
        piece.text for paragraph in paragraphs for s in paragraph.segments for piece in s.pieces
    )
    if not any(start < end and start < len(text) for start, end in masks):
        assert "".join(shown.split()) == "".join(text.split())
    reached = [uid for p in paragraphs for s in p.segments for uid in s.citations]
    assert sorted(reached) == sorted(marker.citation_uid for marker in markers)
    assert [uid for p in paragraphs for uid in p.citations] == reached


@pytest.mark.parametrize(
    ("character", "start", "end"),
    [
        ("\U0001f469\u200d\U0001f52c", 0, 1),
        ("\U0001f469\u200d\U0001f52c", 2, 3),
        ("e\u0301", 0, 1),
        ("\U0001f1e7\U0001f1f7", 1, 2),
    ],
)
def test_a_claim_is_underlined_in_whole_characters(character: str, start: int, end: int) -> None:
    text = f"a{character}b"
    claim = PlacedClaim("k", 1 + start, 1 + end)
    assert said(paragraphs_of(text, [claim], [])) == [
        [("a", (), ()), (character, ("k",), ()), ("b", (), ())]
    ]
