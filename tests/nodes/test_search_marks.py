"""What of a title was found is marked as it was written; an excerpt stands around the first word."""

import pytest

from lineage.nodes.search_marks import EXCERPT, excerpt, found_in

pytestmark = pytest.mark.engine_free


def shown(text: str, *asked: str) -> str:
    for start, end in reversed(found_in(text, [[word] for word in asked])):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("", ["a"], ""),
        ("Nothing here", ["absent"], "Nothing here"),
        ("Nothing here", [], "Nothing here"),
        ("Photosynthesis and photons", ["photo"], "[Photo]synthesis and [photo]ns"),
        ("Morphoto", ["photo"], "Morphoto"),
        ("História da Fotossíntese", ["historia", "fotossi"], "[História] da [Fotossí]ntese"),
        # Decomposed: the accent stays with its letter.
        ("Fotossi\u0301ntese", ["fotossi"], "[Fotossi\u0301]ntese"),
        # One letter that folds to two, asked for by the first of them.
        ("Straße", ["stras"], "[Straß]e"),
        ("ﬁne", ["fi"], "[ﬁ]ne"),
        ("a_b-c", ["b", "c"], "a_[b]-[c]"),
        ("<b>bold</b>", ["b"], "<[b]>[b]old</[b]>"),
        ("axin axis", ["axi", "axin"], "[axin] [axi]s"),
    ],
)
def test_found_beginnings_are_marked(text: str, asked: list[str], expected: str) -> None:
    assert shown(text, *asked) == expected


def test_word_that_was_mistyped_is_marked_by_what_it_means() -> None:
    assert found_in("On photosynthesis", [["photosinthesis", "photosynthesis"]]) == [(3, 17)]


@pytest.mark.parametrize("text", ["", "Nothing here.", "  \n "])
def test_no_excerpt_without_the_words(text: str) -> None:
    assert excerpt(text, [["absent"]]) is None


def test_excerpt_is_one_line_around_the_first_word() -> None:
    before, after = "before " * 40, " after" * 80
    found = excerpt(f"{before}\n\nAxin  is it{after}", [["axi"]])
    assert found is not None
    assert found.startswith("… before before")
    assert "before Axin is it after" in found
    assert found.endswith("after …")
    assert len(found) <= EXCERPT + len("… ") + len(" …")
    assert excerpt("Axin is it.", [["axi"]]) == "Axin is it."


def test_excerpt_of_a_word_without_end_is_bounded() -> None:
    found = excerpt("x" * 300 + " axin" + "y" * 5_000, [["axin"]])
    assert found is not None
    assert len(found) <= EXCERPT + len("… ") + len(" …")
