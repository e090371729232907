"""Verbatim overlaps with what a reader may not see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.marks import Span
from citations.masking import masked, merged, overlaps

pytestmark = pytest.mark.engine_free

SECRET = "The reserves of the bank had fallen below the legal minimum by March."


def test_short_overlaps_are_no_quotation() -> None:
    assert overlaps("They wrote: " + SECRET[:39] + "!", [SECRET]) == []
    assert overlaps("", [SECRET]) == []
    assert overlaps(SECRET, []) == []


def test_overlap_of_forty_is_found_to_its_ends() -> None:
    text = "They wrote: " + SECRET[5:45] + "!"
    assert overlaps(text, ["x", SECRET]) == [Span(12, 52)]
    assert overlaps(f"<{SECRET}> and <{SECRET}>", [SECRET]) == [Span(1, 70), Span(77, 146)]


def test_masked_text_keeps_its_offsets_and_spaces() -> None:
    assert masked("one two three", [Span(2, 7), Span(12, 99)]) == "on█ ███ thre█"
    assert merged([Span(5, 7), Span(0, 2), Span(2, 3), Span(6, 9)]) == [Span(0, 3), Span(5, 9)]


@given(st.text("ab ", max_size=40), st.text("ab ", max_size=40))
def test_exactly_the_common_stretches_are_found(text: str, hidden: str) -> None:
    least = 4
    expected = {
        at
        for start in range(len(text) - least + 1)
        if text[start : start + least] in hidden
        for at in range(start, start + least)
    }
    found = {at for s in overlaps(text, [hidden], least) for at in range(s.start, s.end)}
    assert found == expected
