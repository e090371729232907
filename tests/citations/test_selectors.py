"""What selectors select in a document, and that what is written for a highlight selects it again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.anchoring import Support, anchor_support, surroundings
from citations.pointing import pointer_of, selected_by
from citations.selectors import resolve
from lineage.content.graphemes import whole
from lineage.content.locate import AMBIGUOUS, NOWHERE, Located
from lineage.formats.selectors import read_selectors, written
from lineage.types import Interval
from lineage.vocabulary import Anchor

pytestmark = pytest.mark.engine_free

TEXT = "One two. Page one ends.\fTwo two. Page two ends.\fThree two."
PAGES = {0: (0, 23), 1: (24, 47), 2: (48, 58)}


def quote(exact: str, **around: Any) -> dict[str, Any]:
    return {"type": "TextQuoteSelector", "exact": exact, **around}


def position(start: int, end: int) -> dict[str, Any]:
    return {"type": "TextPositionSelector", "start": start, "end": end}


def page(number: int, *refinements: dict[str, Any]) -> dict[str, Any]:
    fragment = {"type": "FragmentSelector", "value": f"page={number}"}
    return fragment | ({"refinedBy": list(refinements)} if refinements else {})


CSS = {"type": "CssSelector", "value": "#a"}


@pytest.mark.parametrize(
    "selector",
    [
        None,
        CSS,
        page(2),  # a page is no highlight
        position(4, 4),
        position(50, 99),  # beyond the text
        page(9, position(0, 3)),  # of a page whose place is not known
        page(3, position(6, 99)),  # beyond the page
        page(1, quote("Three two.")),  # on another page
        CSS | {"refinedBy": position(4, 7)},
        quote("not there at all"),
        quote("not there at all") | {"refinedBy": quote("two")},
    ],
)
def test_what_has_no_place_is_nowhere(selector: Any) -> None:
    assert resolve(TEXT, read_selectors(selector), PAGES) == NOWHERE


@pytest.mark.parametrize(
    "selector",
    [
        quote("two"),
        [quote("two"), position(0, 3)],  # the position is of other words
        [quote("One two."), quote("Two two.")],  # alternatives at different places
        [position(0, 3), position(4, 7)],
        page(2, quote("e")),
    ],
)
def test_what_has_several_places_has_none(selector: Any) -> None:
    assert resolve(TEXT, read_selectors(selector), PAGES) == AMBIGUOUS


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        (position(4, 7), Located(4, 7, Anchor.EXACT)),
        (quote("Two two."), Located(24, 32, Anchor.EXACT)),
        (quote("Two  two."), Located(24, 32, Anchor.NORMALISED)),
        (quote("two", prefix="Three "), Located(54, 57, Anchor.EXACT)),
        (quote("two", prefix="two ends. Tree "), Located(54, 57, Anchor.EXACT)),  # nearly
        # A position tells equal words apart.
        ([quote("two"), position(54, 57)], Located(54, 57, Anchor.EXACT)),
        ([position(54, 57), quote("two")], Located(54, 57, Anchor.EXACT)),
        # Words count for more than a position.
        ([quote("Two two."), position(0, 8)], Located(24, 32, Anchor.RELOCATED)),
        ([quote("Two two."), CSS], Located(24, 32, Anchor.EXACT)),
        # Within a page; over its end into the next one.
        (page(2, position(4, 7)), Located(28, 31, Anchor.EXACT)),
        (page(2, quote("two", prefix="Two ")), Located(28, 31, Anchor.EXACT)),
        (quote("Page one ends. Two two."), Located(9, 32, Anchor.NORMALISED)),
        # Within words; within what cannot be resolved, if the words are the only ones.
        (quote("Three two.") | {"refinedBy": quote("two")}, Located(54, 57, Anchor.EXACT)),
        (position(24, 47) | {"refinedBy": position(4, 7)}, Located(28, 31, Anchor.EXACT)),
        (CSS | {"refinedBy": quote("Three")}, Located(48, 53, Anchor.EXACT)),
        ({"type": "FragmentSelector", "value": "char=24,27"}, Located(24, 27, Anchor.EXACT)),
    ],
)
def test_what_has_one_place_is_found(selector: Any, found: Located) -> None:
    assert resolve(TEXT, read_selectors(selector), PAGES) == found


def test_a_position_that_cuts_a_visible_character_selects_nothing() -> None:
    assert resolve("a 👩\u200d🔬 b", read_selectors(position(2, 3)), {}) == NOWHERE
    assert resolve("a 👩\u200d🔬 b", read_selectors(position(2, 5)), {}).start == 2


texts = st.text(st.sampled_from("ab .,\n👩\u200d🔬e\u0301\u05d0\u202e"), min_size=1, max_size=60)


@given(texts, st.data())
def test_what_is_written_for_a_highlight_selects_it_again(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    middle = data.draw(st.integers(0, len(text)))
    pages = {0: (0, middle), 1: (middle, len(text))}
    around = surroundings(text, text, (0, len(text)))
    found = anchor_support(around, Support(interval=Interval(start, end)))
    pointer = pointer_of(around, found, pages)
    if not whole(text, start, end):
        assert (found.highlights, pointer) == ((), None)
        return
    assert pointer is not None
    assert pointer.place == (start, end)
    again = resolve(text, read_selectors(written(selected_by(pointer))), pages)
    # Of words that stand elsewhere, too, or within one visible character, there may be no place.
    assert (again.start, again.end) in {(start, end), (None, None)}


def test_a_page_holds_its_highlight_and_none_holds_one_over_its_end() -> None:
    around = surroundings(TEXT, TEXT, (0, len(TEXT)))
    within = pointer_of(around, anchor_support(around, Support(quote="Page two")), PAGES)
    assert within is not None
    assert within.page == (1, (24, 47))
    assert written(selected_by(within)) == {
        "type": "FragmentSelector", "conformsTo": "http://tools.ietf.org/rfc/rfc3778", "value": "page=2",
        "refinedBy": [
            {"type": "TextPositionSelector", "start": 9, "end": 17},
            {"type": "TextQuoteSelector", "exact": "Page two",
             "prefix": "ne two. Page one ends.\fTwo two. ", "suffix": " ends.\fThree two."},
        ],
    }  # fmt: skip
    over = pointer_of(around, anchor_support(around, Support(quote="ends.\fTwo")), PAGES)
    assert over is not None
    assert over.page is None
    assert [one["type"] for one in written(selected_by(over))] == [
        "TextPositionSelector", "TextQuoteSelector",
    ]  # fmt: skip
    # A page by itself, where nothing is highlighted and the source has pages.
    assert written(selected_by(None, page_index=4)) == page(5) | {
        "conformsTo": "http://tools.ietf.org/rfc/rfc3778"
    }
    assert written(selected_by(None, page_index=4, paged=False)) is None
    assert written(selected_by(None)) is None
