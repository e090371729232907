"""Addresses at the very words: what is named, how it is written, and where nothing can be."""

from urllib.parse import unquote

import pytest

from citations.text_fragment import Words, deep_link, is_paged, source_address, text_directive

pytestmark = pytest.mark.engine_free

WORDS = Words("competent to settle for up to 105 days", "Larvae remain ", ". Survival falls.")


@pytest.mark.parametrize(
    "address",
    [None, "", "javascript:alert(1)", "data:text/html,x", "ftp://example.org/a", "urn:isbn:1",
     "https://example.org/a b", "http://[broken"],
)  # fmt: skip
def test_only_addresses_of_the_web_are_links(address: str | None) -> None:
    link = deep_link(address, WORDS)
    assert link is None or link.startswith("http://[broken")
    if address != "http://[broken":
        assert source_address(address, None) is None


def test_a_doi_is_an_address_where_the_source_states_no_other() -> None:
    assert source_address("javascript:x", "10.1234/a<b>") == "https://doi.org/10.1234/a%3Cb%3E"
    assert source_address("https://example.org/a", "10.1234/a") == "https://example.org/a"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.org/a", "https://example.org/a#:~:text=competent%20to%20settle%20for%20up%20to%20105%20days"),
        ("https://example.org/a#sec", "https://example.org/a#sec:~:text=competent%20to%20settle%20for%20up%20to%20105%20days"),
        ("https://example.org/a#sec:~:text=old", "https://example.org/a#sec:~:text=competent%20to%20settle%20for%20up%20to%20105%20days"),
    ],
)  # fmt: skip
def test_a_page_opens_at_the_words_and_keeps_its_own_fragment(address: str, expected: str) -> None:
    assert deep_link(address, WORDS) == expected
    assert deep_link(address, WORDS, media_type="text/html; charset=utf-8") == expected


def test_a_pdf_opens_at_the_page_and_other_files_at_their_beginning() -> None:
    pdf = "https://example.org/a.PDF?x=1#old"
    assert deep_link(pdf, WORDS, page_index=2) == "https://example.org/a.PDF?x=1#page=3"
    assert deep_link(pdf, WORDS) == pdf
    page = "https://example.org/get?id=1"
    assert deep_link(page, WORDS, media_type="application/pdf", page_index=0) == f"{page}#page=1"
    assert deep_link("https://example.org/a.docx", WORDS) == "https://example.org/a.docx"
    assert deep_link(page, WORDS, media_type="application/json") == page
    assert deep_link(page, None) == page
    assert [
        is_paged("https://example.org/a.pdf", None, page_known=False),
        is_paged(page, None, page_known=True),
        is_paged(page, "text/html", page_known=True),
        is_paged(None, "application/pdf", page_known=False),
        is_paged(page, None, page_known=False),
    ] == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (Words(""), ""),
        (Words(" \n\n "), ""),
        # What separates the terms, and what is no ASCII.
        (Words("well-known facts, salt & pepper too"), "text=well%2Dknown%20facts%2C%20salt%20%26%20pepper%20too"),
        (Words("Ä 日本 👩‍🔬 and so on"), "text=%C3%84%20%E6%97%A5%E6%9C%AC%20%F0%9F%91%A9%E2%80%8D%F0%9F%94%AC%20and%20so%20on"),
        # Three words or fewer go with what stands around them, within the block.
        (Words("105 days", "Heading\n\nup to ", ". Then\nmore text follows here"), "text=up%20to-,105%20days,-.%20Then%20more%20text"),
        (Words("105 days"), "text=105%20days"),
        # More, if they stand elsewhere, too: as a browser sees it.
        (Words("the larvae settle at last", "But The\nlarvae settle at  last. So ", " here."), "text=settle%20at%20last.%20So-,the%20larvae%20settle%20at%20last,-here."),
        # Half words are completed.
        (Words("mpetent to settle for u", "Larvae co", "p to 105"), "text=competent%20to%20settle%20for%20up"),
        # Over the end of a block: from the first words to the last.
        (Words("The first paragraph ends here now.\n\nThe second one begins."), "text=The%20first%20paragraph%20ends%20here,The%20second%20one%20begins."),
        (Words("a\tb"), "text=a,b"),
        # A line broken by the layout is no end of a block, nor is a word broken there two words.
        (Words("the prove-\nnance of\na text"), "text=the%20provenance%20of%20a%20text"),
    ],
)  # fmt: skip
def test_a_directive_names_the_words(words: Words, expected: str) -> None:
    assert text_directive(words) == expected


def test_many_words_are_named_by_the_first_and_the_last() -> None:
    many = " ".join(f"word{n}" for n in range(60))
    assert text_directive(Words(many)) == (
        "text=word0%20word1%20word2%20word3%20word4,word55%20word56%20word57%20word58%20word59"
    )
    # The first words stand before them, too: the ones before those tell where it begins.
    repeated = text_directive(Words(many, f"{many[:40]} and later "))
    assert unquote(repeated).startswith("text=word5 word and later-,word0 word1 word2 word3 word4,")
    assert text_directive(Words("x" * 400)) == f"text={'x' * 400}"
