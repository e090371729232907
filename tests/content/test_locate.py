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


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("the efficient flow", "the e\ufb03cient \ufb02ow"),  # ligatures
        ("in sea water", "in\u00a0sea\u2009water"),  # no-break and thin spaces
        ("says \"so\", it's", "says \u201cso\u201d, it\u2019s"),  # typeset quotation marks
        ("2003-2004", "2003\u20132004"),
        ("and so on...", "and so on\u2026"),
        ("provenance", "prove\u00adnance"),
        ("zerowidth", "zero\u200bwidth"),
        ("\u05e9\u05dc\u05d5\u05dd 105", "\u200f\u05e9\u05dc\u05d5\u05dd\u200e 105"),  # right to left
        ("caf\u00e9 na\u00efve", "cafe\u0301 nai\u0308ve"),  # NFC quoted from NFD
        ("love \u2764 it", "love \u2764\ufe0f it"),
        ("survival of the larvae", "survival\n\n\f  of the larvae"),  # a page break
        ("provenance of it", "prove-\n\f nance of it"),  # a word over a page break
        ("Revenue 10 12", "Revenue\t10\t12"),  # cells of a table
        ("Revenue 10 12", "Revenue | 10 | 12"),
        ("Revenue | 10 | 12", "Revenue  10  12"),
    ],
)  # fmt: skip
def test_what_a_reader_does_not_see_makes_no_difference(quote: str, place: str) -> None:
    text = f"Before it all. {place}, and then the rest."
    found = locate(text, quote)
    assert found.anchor is Anchor.NORMALISED
    # Marks of direction around a word are no part of it.
    assert text[found.start : found.end] == place.lstrip("\u200f")


def test_characters_that_a_reader_does_see_make_one() -> None:
    assert locate("It was a|b in code.", "a b") == NOWHERE
    assert locate("It took 10² days.", "10 days") == NOWHERE


SCIENTIST = "👩\u200d🔬"


@pytest.mark.parametrize(
    ("text", "quote", "start"),
    [
        (f"{SCIENTIST} met 👩 there", "👩", 8),
        ("🇧🇷🇺🇸 or 🇷🇺", "🇷🇺", 8),  # not the second half of one flag and the first of the next
        ("👍🏽 or 👍", "👍", 6),
        ("cafe\u0301 or cafe", "cafe", 9),
        ("가\u11a8 or 가", "가", 6),
        ("a\r\nb \nb", "\nb", 5),
    ],
)
def test_no_visible_character_is_cut_in_two(text: str, quote: str, start: int) -> None:
    assert locate(text, quote) == Located(start, start + len(quote), Anchor.EXACT)


@pytest.mark.parametrize(
    ("text", "quote"), [(f"{SCIENTIST} wrote it", "👩"), ("cafe\u0301 noir", "cafe")]
)
def test_a_part_of_a_visible_character_is_nowhere(text: str, quote: str) -> None:
    assert locate(text, quote) == NOWHERE


def test_the_head_of_a_page_within_a_quote_is_covered_and_its_ends_are_found() -> None:
    first = "Larvae of many corals remain competent to settle on distant reefs"
    second = "for up to one hundred and five days after they were spawned."
    text = f"Earlier words. {first}\n\n412\n\fJournal of Reefs\n{second} Later words."
    found = locate(text, f"{first} {second}")
    assert found.anchor is Anchor.RELOCATED
    assert text[found.start : found.end] == text[15 : text.index(" Later")]


def test_capital_letters_make_no_quote_unlike() -> None:
    text = "It says: I signed a bipartisan deal to cut another trillion dollars. So it says."
    found = locate(text, "i signed a Bipartisan deal to cut another TRILLION dollars.")
    assert text[found.start : found.end] == text[9:68]


def test_words_around_tell_near_places_apart() -> None:
    text = "First, the larvae settle after ten days. Second, the larvae settle after six days."
    quote = "the larvae settled after two days"
    assert locate(text, quote) == AMBIGUOUS
    found = locate(text, quote, prefix="Second, ")
    assert text[found.start : found.end] == "the larvae settle after six days"
