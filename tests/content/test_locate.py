"""Quotations: found exactly, but for invisible differences, nearly, or not at all."""

import hashlib
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.content.locate import AMBIGUOUS, NOWHERE, Located, locate
from lineage.content.normalise import normalised
from lineage.vocabulary import Anchor

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("", "quote"),
        ("text", ""),
        ("text", " \n"),
        ("some text", "absent"),
        ("the chunk", "chuck"),  # too short for a near match
        ("short", "a quote that is longer than its text"),
    ],
)
def test_absent_quote_is_nowhere(text: str, quote: str) -> None:
    assert locate(text, quote) == NOWHERE


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("chunk chunk", "chunk"),
        ("aaa", "aa"),
        ("one\ntwo one\ttwo", "one two"),
        # Two near places of the same worth.
        (
            "the larvae settle after ten days, the larvae settle after six days",
            "larvae settled after two days",
        ),
    ],
)
def test_quote_at_several_places_is_ambiguous(text: str, quote: str) -> None:
    assert locate(text, quote) == AMBIGUOUS


def test_words_around_tell_equal_places_apart() -> None:
    text = "first chunk one, second chunk  two, second chunk three"
    assert locate(text, "chunk", prefix="first ") == Located(6, 11, Anchor.EXACT)
    assert locate(text, "chunk", suffix=" two") == Located(24, 29, Anchor.EXACT)
    assert locate(text, "chunk", prefix="second", suffix="three") == Located(43, 48, Anchor.EXACT)
    assert locate(text, "chunk", prefix="second") == AMBIGUOUS
    assert locate(text, "chunk", prefix="fourth") == AMBIGUOUS


def test_normalised_place_covers_the_original_characters() -> None:
    text = "In 2004\u00a0the  prove-\nnance of cafe\u0301 was shown"
    found = locate(text, "the provenance of café")
    assert found.anchor is Anchor.NORMALISED
    assert text[found.start : found.end] == "the  prove-\nnance of cafe\u0301"


@pytest.mark.parametrize(
    ("quote", "place"),
    [("a well-known fact", "a well-\nknown fact"), ("the provenance of", "the prove-\nnance of")],
)
def test_words_broken_at_a_line_end_are_joined_either_way(quote: str, place: str) -> None:
    text = "It is a well-\nknown fact that the prove-\nnance of a text matters."
    found = locate(text, quote)
    assert found.anchor is Anchor.NORMALISED
    assert text[found.start : found.end] == place


def test_the_better_of_two_near_places_is_taken() -> None:
    text = (
        "The colonies were reared in filtered sea water for sixty days. "
        "The colony was kept in fresh water for six days."
    )
    found = locate(text, "the colonies were reared in filtered seawater for sixty days.")
    assert found.anchor is Anchor.RELOCATED
    assert found.similarity > 0.95
    assert text[found.start : found.end] == (
        "The colonies were reared in filtered sea water for sixty days."
    )


def test_a_quote_of_which_four_fifths_are_not_there_is_nowhere() -> None:
    text = "Dispersal of larvae between reefs is driven by currents and by behaviour."
    assert (
        locate(text, "Dispersal of seeds in forests is driven by birds, wind and rodents.")
        == NOWHERE
    )


def test_a_long_quote_is_found_by_its_ends() -> None:
    words = [hashlib.sha256(str(number).encode()).hexdigest()[:12] for number in range(400)]
    text = " ".join(words)
    quote = " ".join(words[100:200]).replace(words[150], "another")
    assert len(quote) > 1_000
    found = locate(text, quote)
    assert found.anchor is Anchor.RELOCATED
    assert text[found.start : found.end] == " ".join(words[100:200])
    other_middle = " ".join([*words[100:120], *words[300:360], *words[180:200]])
    assert locate(text, other_middle) == NOWHERE


def test_looking_for_an_absent_passage_in_an_article_is_quick() -> None:
    text = " ".join(f"the {n * 7919 % 1009} larvae of reef {n * 31 % 887}" for n in range(5_000))
    quote = " ".join(f"a {n * 6007 % 1013} taxes and forms {n * 17 % 881}" for n in range(35))
    started = time.perf_counter()
    assert locate(text, quote) == NOWHERE
    assert time.perf_counter() - started < 2


@given(
    st.text(st.sampled_from("ab-\n \u00ad\u0301\u0308é가\u1100\u1161\u11a8\r\u2010🤔"), max_size=30)
)
def test_normalising_keeps_the_way_back(text: str) -> None:
    for keep_hyphens in (False, True):
        plain = normalised(text, keep_hyphens=keep_hyphens)
        if not set(text) & set("-\n \u00ad\r\u2010"):
            assert plain.text == unicodedata.normalize("NFC", text)
        for at in range(len(plain.text)):
            start, end = plain.origin(at, at + 1)
            assert 0 <= start < end <= len(text)
            if at:
                assert plain.origin(at - 1, at)[0] <= start
            if plain.text[at] not in " -":
                assert plain.text[at] in unicodedata.normalize("NFC", text[start:end])
            if plain.text[at] == "-":
                assert set(text[start:end]) & set("-\u2010")
