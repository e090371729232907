"""Which words two texts share, found within the bounds for long ones."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from citations import alignment
from citations.alignment import Shared, align, words_of
from tests.thorough import long_only

pytestmark = pytest.mark.engine_free

letters = st.lists(st.sampled_from("abcd"), max_size=40)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n", []),
        ("Don't stop, 1,240 times!", ["Don't", "stop", ",", "1,240", "times", "!"]),
        ("io.example/lib-2 (x)", ["io.example", "/", "lib-2", "(", "x", ")"]),
        ("caf\u00e9 cafe\u0301", ["caf\u00e9", "cafe\u0301"]),
        ("\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e", ["\u0928\u092e\u0938\u094d\u0924\u0947", "\u0926\u0941\u0928\u093f\u092f\u093e"]),
        ("\u4eca\u5929 ok", ["\u4eca", "\u5929", "ok"]),
    ],
)  # fmt: skip
def test_words(text: str, words: list[str]) -> None:
    found = words_of(text)
    assert list(found.words) == words
    assert [
        text[at : at + len(word)] for at, word in zip(found.starts, words, strict=True)
    ] == words


@given(letters, letters)
def test_as_much_is_shared_as_can_be_in_order(old: list[str], new: list[str]) -> None:
    found = align(words_of(" ".join(old)), words_of(" ".join(new)))
    assert sum(each.length for each in found.shared) == LCSseq.similarity(old, new)
    assert found.shared[-1] == Shared(len(old), len(new), 0)
    assert not found.coarse


@given(letters, letters)
def test_beyond_the_bound_what_is_shared_is_still_shared(old: list[str], new: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "_MOST_AT_ONCE", 16)
        patch.setattr(alignment, "_MOST_IN_ALL", 64)
        one, other = words_of("\n".join(old)), words_of("\n".join(new))
        found = align(one, other)
    at_old = at_new = 0
    for each in found.shared:
        assert each.old >= at_old
        assert each.new >= at_new
        at_old, at_new = each.old + each.length, each.new + each.length
        assert one.words[each.old : at_old] == other.words[each.new : at_new]


def test_where_words_are_too_many_lines_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "_MOST_AT_ONCE", 30)
    old = "x x\nsame line\ny y\nz z\nsame line\n"
    new = "a a\nsame line\nb b b\nc c\nsame line\nd"
    found = align(words_of(old), words_of(new))
    assert found.coarse
    assert found.shared == (Shared(2, 2, 2), Shared(8, 9, 2), Shared(10, 12, 0))


@long_only
@pytest.mark.parametrize("between", [" ", "\n\n"])
def test_two_texts_of_a_megabyte_take_less_than_a_second(between: str) -> None:
    made = random.Random(7)
    vocabulary = [f"word{number}" for number in range(5_000)]
    old = [made.choice(vocabulary) for _ in range(110_000)]
    new = list(old)
    for _ in range(3_000):
        at = made.randrange(len(new))
        new[at : at + made.randrange(3)] = [made.choice(vocabulary)] * made.randrange(3)
    one, other = ("".join(w + (between if n % 60 == 59 else " ") for n, w in enumerate(some)) for some in (old, new))  # fmt: skip
    assert min(len(one), len(other)) > 950_000
    began = time.process_time()
    found = align(words_of(one), words_of(other))
    assert time.process_time() - began < 1
    assert not found.coarse
    assert sum(each.length for each in found.shared) > 105_000
