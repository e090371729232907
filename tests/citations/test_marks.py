"""Characters that nobody can see become visible marks; highlights cut the text, never escape it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.marks import Piece, Span, needs_mark, pieces_of

pytestmark = pytest.mark.engine_free


def test_no_text_has_no_pieces() -> None:
    assert pieces_of("") == ()
    assert pieces_of("", [Span(0, 5)]) == ()


def test_invisible_characters_are_named() -> None:
    assert pieces_of("a\u202ecod.exe\x00\u200b") == (
        Piece("a"),
        Piece("U+202E", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        Piece("cod.exe"),
        Piece("U+0000", "U+0000"),
        Piece("U+200B", "U+200B ZERO WIDTH SPACE"),
    )


@pytest.mark.parametrize(
    "character", list("\u2066\u2069\u061c\ufeff\x1b\ud83d\ue000\u3164\U000e0041")
)
def test_deceiving_characters_need_a_mark(character: str) -> None:
    assert needs_mark(character)


@pytest.mark.parametrize("character", list("a é\n\t\r🤔\u200d\u00ad\u0301漢ع"))
def test_writing_needs_none(character: str) -> None:
    assert not needs_mark(character)


def test_markup_stays_as_it_was_written() -> None:
    text = "<b>rose</b> &amp; fell"
    assert pieces_of(text, [Span(0, 11)]) == (
        Piece("<b>rose</b>", highlighted=True),
        Piece(" &amp; fell"),
    )


def test_highlights_may_touch_overlap_and_reach_beyond() -> None:
    assert pieces_of("abcdef", [Span(1, 3), Span(2, 4), Span(5, 99), Span(-4, 0)]) == (
        Piece("a"),
        Piece("bcd", highlighted=True),
        Piece("e"),
        Piece("f", highlighted=True),
    )


def test_a_mark_inside_a_highlight_is_highlighted() -> None:
    assert pieces_of("a\u202eb", [Span(0, 3)]) == (
        Piece("a", highlighted=True),
        Piece("U+202E", "U+202E RIGHT-TO-LEFT OVERRIDE", highlighted=True),
        Piece("b", highlighted=True),
    )


@given(
    st.text(max_size=30),
    st.lists(st.builds(Span, st.integers(-5, 40), st.integers(-5, 40)), max_size=4),
)
def test_pieces_hold_the_whole_text_in_order(text: str, highlights: list[Span]) -> None:
    pieces = pieces_of(text, highlights)
    restored = "".join(
        chr(int(piece.text.removeprefix("U+"), 16)) if piece.mark else piece.text
        for piece in pieces
    )
    assert restored == text
    lit = [
        piece.highlighted for piece in pieces for _ in range(1 if piece.mark else len(piece.text))
    ]
    assert lit == [
        any(span.start <= at < span.end for span in highlights) for at in range(len(text))
    ]
