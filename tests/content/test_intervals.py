"""Intervals: every unit, every fault, and what is proved, moved or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.content.intervals import Verified, code_points, slice_digest, verify
from lineage.types import Interval
from lineage.vocabulary import Anchor

pytestmark = pytest.mark.engine_free

EMOJI = "🤔🤔🤔🤔:thinking about provenance"


def codes(verified: Verified) -> list[tuple[str, str]]:
    return [(warned.code, warned.pointer) for warned in verified.warnings]


@pytest.mark.parametrize(
    ("interval", "detail"),
    [
        (Interval(-1, 4), "-1–4 is negative"),
        (Interval(0, -4), "0–-4 is negative"),
        (Interval(9, 3), "9–3 ends before it begins"),
        (Interval(5, 9999), "5–9999 reaches beyond the text, which ends at 30"),
        (Interval(5, 2**31), "5–2147483648 is beyond any text"),
        (Interval(0, 35, "utf16"), "utf16 0–35 reaches beyond the text, which ends at 34"),
        (Interval(0, 43, "utf8"), "utf8 0–43 reaches beyond the text, which ends at 42"),
        (Interval(1, 8, "utf16"), "utf16 1–8 begins or ends inside a character"),
        (Interval(0, 7, "utf16"), "utf16 0–7 begins or ends inside a character"),
        (Interval(4, 6, "utf8"), "utf8 4–6 begins or ends inside a character"),
        (Interval(0, 2, "token"), "token offsets say nothing without the tokenizer that made them"),
        (Interval(0, 2, "line"), "the unit is unknown"),
    ],
)
def test_impossible_interval_is_kept_without_a_place(interval: Interval, detail: str) -> None:
    for quote in (None, "thinking"):
        verified = verify(EMOJI, interval, quote)
        assert (verified.start, verified.end, verified.anchor) == (None, None, Anchor.UNVERIFIABLE)
        assert codes(verified) == [("interval_unverifiable", "/interval")]
        assert verified.warnings[0].detail == detail


def test_another_text_that_stands_nowhere_is_unverifiable() -> None:
    verified = verify("chunk chunk", Interval(0, 5), "something else entirely")
    assert verified.anchor is Anchor.UNVERIFIABLE
    assert (verified.start, verified.end) == (None, None)
    assert codes(verified) == [("interval_unverifiable", "/interval")]


def test_another_text_that_stands_twice_is_ambiguous() -> None:
    verified = verify("chunk chunk", Interval(1, 4), "chunk")
    assert (verified.start, verified.end, verified.anchor) == (None, None, Anchor.AMBIGUOUS)
    assert codes(verified) == [("interval_ambiguous", "/interval")]


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(4, 13), []),
        (Interval(8, 17, "utf16"), [("interval_converted", "/interval")]),
        (Interval(16, 25, "utf8"), [("interval_converted", "/interval")]),
        # In UTF-16 units without saying so: found by its only place, and told.
        (Interval(8, 17), [("interval_relocated", "/interval")]),
    ],
)
def test_units_of_the_same_quote_meet(interval: Interval, expected: list[tuple[str, str]]) -> None:
    verified = verify(EMOJI, interval, ":thinking")
    assert (verified.start, verified.end) == (4, 13)
    relocated = expected == [("interval_relocated", "/interval")]
    assert verified.anchor is (Anchor.RELOCATED if relocated else Anchor.EXACT)
    assert codes(verified) == expected


def test_conversion_names_both_intervals() -> None:
    verified = verify(EMOJI, Interval(8, 17, "utf16"), None)
    assert [w.detail for w in verified.warnings] == ["utf16 8–17 is code points 4–13"]


@pytest.mark.parametrize(
    ("text", "interval", "quote"),
    [
        ("one  two\nthree", Interval(0, 14), "one two three"),
        ("cafe\u0301 open", Interval(0, 5), "café"),
        ("prove\u00adnance", Interval(0, 11), "provenance"),
        ("prove-\nnance", Interval(0, 12), "provenance"),
        ("prove\u00ad\r\n  nance", Interval(0, 15), "provenance"),
        ("well-\r\nknown fact", Interval(0, 17), "well-known fact"),
        ("\u1112\u1161\u11ab", Interval(0, 3), "한"),
    ],
)
def test_invisible_differences_are_normalised(text: str, interval: Interval, quote: str) -> None:
    assert verify(text, interval, quote) == Verified(
        interval.start, interval.end, Anchor.NORMALISED
    )


def test_white_space_around_the_words_is_no_part_of_them() -> None:
    """A mark that is too long by a space is wrong by a character."""
    found = Verified(4, 11, Anchor.NORMALISED)
    assert verify("and one two\n\tthree", Interval(3, 13), "one two") == found
    assert verify("and one two\u200b three", Interval(4, 12), "one two") == found
    assert verify("ab ab ab", Interval(3, 5), "ab ") == Verified(3, 6, Anchor.NORMALISED)
    assert verify("and one two\nthree", Interval(4, 11), " one two\n") == Verified(
        3, 12, Anchor.NORMALISED
    )


def test_near_match_elsewhere_is_relocated() -> None:
    text = "Alpha stays here. Larvae remained competent to settle for up to 105 days. Omega."
    verified = verify(text, Interval(0, 10), "Larvae remain competent to settle for up to 105 days")
    assert verified.start is not None
    assert text[verified.start : verified.end] == (
        "Larvae remained competent to settle for up to 105 days"
    )
    assert verified.anchor is Anchor.RELOCATED
    assert codes(verified) == [("interval_relocated", "/interval")]


def test_interval_without_a_text_to_compare_is_exact() -> None:
    assert verify("abcdef", Interval(2, 4), None) == Verified(2, 4, Anchor.EXACT)
    assert verify("abc", Interval(3, 3), None) == Verified(3, 3, Anchor.EXACT)
    assert verify("", Interval(0, 0), "") == Verified(0, 0, Anchor.EXACT)


def test_unknown_text_keeps_what_was_said_without_a_warning() -> None:
    assert verify(None, Interval(2, 4), "cd") == Verified(2, 4, Anchor.UNVERIFIABLE)
    assert verify(None, Interval(2, 4, "utf8"), None) == Verified(None, None, Anchor.UNVERIFIABLE)
    assert verify(None, None, "cd") == Verified(None, None, Anchor.UNVERIFIABLE)
    assert codes(verify(None, Interval(4, 2), None)) == [("interval_unverifiable", "/interval")]


def test_a_text_that_is_longer_than_its_interval_is_told_before_its_document_is_known() -> None:
    verified = verify(None, Interval(2, 4), "cde")
    assert (verified.start, verified.end, verified.anchor) == (2, 4, Anchor.UNVERIFIABLE)
    assert [warned.detail for warned in verified.warnings] == [
        "2–4 is 2 characters long, the text 3; what it lies in is not known"
    ]
    assert verify("abcdefg", Interval(2, 5), "cde") == Verified(2, 5, Anchor.EXACT)


def test_text_without_an_interval_is_located_if_unique() -> None:
    assert verify("one two three", None, "two") == Verified(4, 7, Anchor.EXACT)
    assert verify("one two\nthree", None, "two three") == Verified(4, 13, Anchor.NORMALISED)
    twice = verify("two two", None, "two")
    assert (twice.start, twice.anchor) == (None, Anchor.AMBIGUOUS)
    assert codes(twice) == [("interval_ambiguous", "/text")]
    nowhere = verify("one", None, "two")
    assert (nowhere.start, nowhere.anchor) == (None, Anchor.UNVERIFIABLE)
    assert codes(nowhere) == [("interval_unverifiable", "/text")]
    assert verify("one", None, None) == Verified(None, None, None)
    assert verify("one", None, "  ") == Verified(None, None, None)


def test_slice_digest_is_that_of_the_text_in_it() -> None:
    # printf %s two | sha256sum
    assert slice_digest("one two three", 4, 7) == (
        "sha256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
    )


texts = st.text(
    st.one_of(
        st.sampled_from("abc \r\n\u0301\u0308é🤔👩\u200d🔬\u00ad\ud83d\ude00"),
        st.characters(exclude_categories=()),
    ),
    max_size=40,
)


@given(texts, st.data())
def test_converting_there_and_back_is_the_same_place(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    def units(count: int, unit: str) -> int:
        if unit == "utf8":
            return len(text[:count].encode("utf-8", "surrogatepass"))
        return sum(2 if ord(character) > 0xFFFF else 1 for character in text[:count])

    for unit in ("utf16", "utf8"):
        sent = Interval(units(start, unit), units(end, unit), unit)
        verified = verify(text, sent, text[start:end])
        assert (verified.start, verified.end, verified.anchor) == (start, end, Anchor.EXACT)


@given(texts, st.sampled_from(["utf16", "utf8"]))
def test_every_position_is_one_place_or_none(text: str, unit: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if unit == "utf16":
        size = sum(2 if ord(character) > 0xFFFF else 1 for character in text)
    places = [code_points(text, position, unit) for position in range(size + 2)]
    assert [place for place in places if place is not None] == list(range(len(text) + 1))
    assert places[0] == 0
    assert places[size] == len(text)
    assert places[size + 1] is None


@given(texts, st.integers(-5, 60), st.integers(-5, 60), st.none() | texts)
def test_what_is_verified_is_in_the_text(
    text: str, start: int, end: int, quote: str | None
) -> None:
    for unit in ("codepoint", "utf16", "utf8"):
        verified = verify(text, Interval(start, end, unit), quote)
        if verified.anchor in {Anchor.EXACT, Anchor.NORMALISED, Anchor.RELOCATED}:
            assert verified.start is not None
            assert verified.end is not None
            assert 0 <= verified.start <= verified.end <= len(text)
            if verified.anchor is Anchor.EXACT and quote is not None:
                assert text[verified.start : verified.end] == quote
        else:
            assert (verified.start, verified.end) == (None, None)
            assert verified.warnings
