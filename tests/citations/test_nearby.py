"""What became of a passage is told from the words around it, as the whole texts would tell it, and quickly."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.differences import Comparison
from citations.marks import Span
from citations.nearby import nearby
from citations.place_now import near_by

pytestmark = pytest.mark.engine_free

LEFT = "".join(f"Left {n} is a sentence of its own. " for n in range(400))
RIGHT = "".join(f"Right {n} is a sentence of its own. " for n in range(400))
WAS = "Revenue rose by four per cent in the second quarter of the year."
IS = "Revenue rose by six per cent in the second quarter of the year."
HERE = Span(len(LEFT), len(LEFT) + len(WAS))


def test_a_changed_passage_is_found_between_its_neighbours() -> None:
    old, new = f"{LEFT}{WAS} {RIGHT}", f"A new beginning. {LEFT}{IS} {RIGHT}And an end."
    found = near_by(old, new, HERE)
    assert found is not None
    assert new[found.start : found.end] == IS
    here, there = nearby(old, new, HERE) or (Span(0, 0), Span(0, 0))
    # A landmark of 64 on either side.
    assert (here.end - here.start) == len(WAS) + 2 * 64
    assert new[there.start : there.start + 64] == old[here.start : here.start + 64]
    assert new[there.end - 64 : there.end] == old[here.end - 64 : here.end]


def test_a_passage_that_went_leaves_nothing() -> None:
    assert near_by(f"{LEFT}{WAS} {RIGHT}", f"{LEFT}{RIGHT}", HERE) is None


@pytest.mark.parametrize(
    "new",
    [
        RIGHT + LEFT,  # neighbours in another order
        LEFT + "x" * 60_000 + IS + RIGHT,  # far apart
        "Nothing of it. " * 3_000,  # no neighbour at all
        LEFT + LEFT + IS + RIGHT + RIGHT,  # each of them twice
    ],
)
def test_where_the_neighbours_do_not_tell_nothing_is_guessed(new: str) -> None:
    assert nearby(f"{LEFT}{WAS} {RIGHT}", new, HERE) is None


def test_the_ends_of_a_text_are_landmarks_where_they_are_near() -> None:
    found = near_by(WAS, f"So it is. {IS} That is all.", Span(0, len(WAS)))
    assert found == Comparison(WAS, f"So it is. {IS} That is all.").continued(Span(0, len(WAS)))
    assert nearby(WAS, IS, Span(0, len(WAS))) == (Span(0, len(WAS)), Span(0, len(IS)))


@given(
    # Of words that stand several times one cannot tell which of them were kept.
    words=st.lists(st.integers(0, 9_999), min_size=8, max_size=30, unique=True),
    changes=st.lists(st.tuples(st.integers(0, 29), st.sampled_from(["new", "", "two more"])), max_size=5),
    elsewhere=st.lists(st.integers(0, 399), max_size=12),
)  # fmt: skip
def test_it_tells_what_the_whole_texts_tell(
    words: list[int], changes: list[tuple[int, str]], elsewhere: list[int]
) -> None:
    changed = [f"word{each}" for each in words]
    passage = " ".join(changed)
    for at, word in changes:
        if at < len(changed):
            changed[at] = word
    after = " ".join(filter(None, changed))
    old, new = f"{LEFT}{passage} {RIGHT}", f"{LEFT}{after} {RIGHT}"
    for number in elsewhere:
        new = new.replace(f"Left {number} is", f"Left {number} was").replace(
            f"Right {number} is", f"Right {number} was"
        )
    here = Span(len(LEFT), len(LEFT) + len(passage))
    whole = Comparison(old, new).continued(here)
    near = near_by(old, new, here)
    told = [None if span is None else new[span.start : span.end] for span in (near, whole)]
    assert told[0] == told[1]


def test_a_book_is_not_compared_for_one_passage() -> None:
    rnd = random.Random(3)
    vocabulary = ["".join(rnd.choices("abcdefghijklm", k=7)) for _ in range(6_000)]
    words = rnd.choices(vocabulary, k=90_000)
    old = " ".join(words)
    start = old.index(" ", 350_000) + 1
    passage = Span(start, old.index(" ", start + 900))
    new = f"{old[: start + 300]} otherwise {old[start + 400 :]}"
    assert len(old) > 700_000
    began = time.process_time()
    found = near_by(old, new, passage)
    assert time.process_time() - began < 0.1
    assert found is not None
    assert "otherwise" in new[found.start : found.end]
