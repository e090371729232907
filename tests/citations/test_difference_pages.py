"""A difference laid out: what stayed is folded, nothing is lost, and no page is too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.difference_pages import DifferencePage, around, laid_out
from citations.differences import Kind, difference
from citations.marks import Span

pytestmark = pytest.mark.engine_free

LONG = " ".join(f"word{number}" for number in range(300))
HIDDEN = "\u202e"


def all_pages(old: str, new: str) -> list[DifferencePage]:
    found = difference(old, new)
    first = laid_out(found)
    return [laid_out(found, number) for number in range(1, first.pages + 1)]


def elements(page: DifferencePage) -> int:
    """As the templates print them: a paragraph or a fold a row, three a change, one a mark."""
    each = [shown for row in page.rows for shown in row.shown]
    marks = sum(bool(piece.mark) for shown in each for piece in shown.pieces)
    return 6 * len(page.rows) + 3 * sum(one.kind is not Kind.SAME for one in each) + marks


def printed(page: DifferencePage, *kinds: Kind) -> str:
    return "".join(
        "".join(piece.text for piece in shown.pieces) + shown.space
        for row in page.rows
        for shown in row.shown
        if shown.kind in kinds
    )


def test_equal_texts_have_one_page_with_a_fold() -> None:
    (page,) = all_pages(LONG, LONG)
    assert [row.folded for row in page.rows] == [300]
    assert (page.number, page.pages, page.earlier, page.later) == (1, 1, None, None)


def test_empty_texts_have_one_empty_page() -> None:
    assert all_pages("", "") == [DifferencePage((), 1, 1)]


def test_words_far_from_a_change_are_folded_and_those_near_it_are_not() -> None:
    (page,) = all_pages(LONG, LONG.replace("word150", "another"))
    assert [row.folded > 0 for row in page.rows] == [True, False, True]
    before, near, behind = page.rows
    told = [(shown.kind, "".join(piece.text for piece in shown.pieces)) for shown in near.shown]
    assert [each for each in told if each[0] is not Kind.SAME] == [
        (Kind.REMOVED, "word150"),
        (Kind.ADDED, "another"),
    ]
    assert 100 < len(told[0][1]) < 260
    assert before.folded + behind.folded + len(f"{told[0][1]} {told[-1][1]}".split()) == 299
    assert printed(page, Kind.SAME, Kind.REMOVED) == LONG
    assert LONG.startswith(printed(DifferencePage((before,), 1, 1), Kind.SAME))


def test_what_is_too_long_to_stand_in_the_page_is_only_counted() -> None:
    (page,) = all_pages(f"{LONG} " * 10 + "end", f"{LONG} " * 10 + "END")
    assert [(row.folded > 2_900, row.shown) for row in page.rows if row.folded] == [(True, ())]


def test_a_long_change_is_seen_in_part_and_folded_in_parts() -> None:
    (page,) = all_pages("Start. ", f"Start. {LONG} {LONG}")
    folds = [row for row in page.rows if row.folded]
    assert {row.kind for row in folds} == {Kind.ADDED}
    assert printed(page, Kind.SAME, Kind.ADDED) == f"Start. {LONG} {LONG}"


@pytest.mark.parametrize("number", [-3, 0, 1])
def test_pages_outside_are_the_nearest(number: int) -> None:
    assert laid_out(difference("a", "b"), number).number == 1
    assert laid_out(difference("a", "b"), 9).number == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "changed " * 20_000),
        (" ".join(f"a{n}. same{n}." for n in range(4_000)), " ".join(f"b{n}. same{n}." for n in range(4_000))),
        ("", HIDDEN * 9_000),
        ("x", f"a{HIDDEN} " * 6_000),
        ("", "x" * 200_000),
    ],
    ids=["words", "places", "marks in one word", "marks", "one word"],
)  # fmt: skip
def test_long_differences_have_pages_within_the_bounds_that_tell_all(old: str, new: str) -> None:
    pages = all_pages(old, new)
    assert len(pages) > 1
    assert max(map(elements, pages)) < 4_800
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    assert [page.later for page in pages[:-1]] == [page.number + 1 for page in pages[:-1]]
    told = "".join(printed(page, Kind.SAME, Kind.ADDED) for page in pages)
    assert told.replace("U+202E", HIDDEN).split() == new.split()


words = st.lists(st.sampled_from(["a", "b", "c.", "d\n\n", LONG[:700], "the"]), max_size=5).map(
    " ".join
)


@given(words, words)
def test_nothing_is_lost(old: str, new: str) -> None:
    pages = all_pages(old, new)
    # No text of these is so long that it is only counted.
    assert all(row.shown for page in pages for row in page.rows)
    told = "".join(printed(page, Kind.SAME, Kind.ADDED) for page in pages)
    assert "".join(told.split()) == "".join(new.split())


def test_around_a_passage_of_either_text() -> None:
    old = f"First. {LONG} Middle old. {LONG} Last."
    new = f"First new. {LONG} Middle new. {LONG} Last new."
    found = difference(old, new)
    for text, is_new in ((old, False), (new, True)):
        at = text.index("Middle")
        near = around(found, Span(at, at + 10), in_new=is_new)
        assert (near.changes, near.removed, near.added) == (1, 1, 1)
        kept = "".join(each.text for each in near.stretches if each.kind is not Kind.ADDED)
        assert "Middle old." in kept
        assert 500 < len(kept) < 900
    beyond = around(found, Span(10**7, 10**7 + 5))
    assert (beyond.stretches, beyond.changes) == ((), 0)
