"""Every code of the vocabulary has a word, an icon that exists, and a tone; unknown codes are shown as they came."""

import pytest
from django.utils.translation import override

from lineage.pages import icons, signs, words
from lineage.templatetags import product
from lineage.vocabulary import (
    CASE_KINDS,
    COMPONENT_KINDS,
    GRADE_BY_WORD,
    KINDS,
    REINSTATEMENT,
    RUN_KINDS,
    Anchor,
)

pytestmark = pytest.mark.one_pair

TABLES = {
    name: getattr(signs, name)
    for name in (
        "ANSWER_STATES", "NODE_STATES", "SOURCE_STATUSES", "STANDINGS", "VERDICTS", "CASE_STATES",
        "CASE_KINDS", "GRADES",
    )
}  # fmt: skip


def test_word_of_an_unknown_code_is_shown_as_it_came() -> None:
    assert signs.word(signs.CASE_KINDS, "something_new").label == "something new"
    assert words.text(words.KINDS, "something_new") == "something new"


@pytest.mark.parametrize("name", TABLES)
def test_words_have_an_icon_that_exists(name: str) -> None:
    assert {word.icon for word in TABLES[name].values()} <= icons.PATHS.keys()


def test_words_cover_the_vocabulary() -> None:
    assert words.KINDS.keys() == KINDS.keys()
    assert signs.CASE_KINDS.keys() == {*CASE_KINDS, REINSTATEMENT}
    assert words.COMPONENT_KINDS.keys() == set(COMPONENT_KINDS)
    assert words.RUN_KINDS.keys() == set(RUN_KINDS)
    assert signs.GRADES.keys() == GRADE_BY_WORD.keys() == set(words.GRADE_ORDER)
    assert words.ANCHORS.keys() == set(Anchor)
    assert len(words.STAGES) == 8


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        ("", ""),
        ("2003", "2003"),
        ("2003-10", "October 2003"),
        ("2003-13", "2003-13"),
        ("spring 2003", "spring 2003"),
        ("2003-10-17", '<time datetime="2003-10-17">17 October 2003</time>'),
    ],
)
def test_day_shows_what_is_stated_and_no_more(value: str | None, expected: str) -> None:
    assert product.day(value) == expected


def test_instant_says_that_it_is_utc() -> None:
    assert product.instant("2026-05-12T16:03:00+02:00") == (
        '<time datetime="2026-05-12T14:03:00Z">12 May 2026, 14:03&nbsp;UTC</time>'
    )


def test_dates_are_written_in_the_language_of_the_reader() -> None:
    with override("pt-br"):
        assert "12 de maio de 2026" in product.instant("2026-05-12T14:03:00Z")


@pytest.mark.parametrize(
    ("marker", "expected"), [("[1]", "1"), ("【12】", "12"), ("[doc-3]", "doc-3"), ("[]", "[]")]
)
def test_bare_marker_keeps_what_stands_between_the_brackets(marker: str, expected: str) -> None:
    assert product.bare_marker(marker) == expected


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("see https://example.org/x", ""),
        ("https://example.org/x", "https://example.org/x"),
        ("10.1371/journal.pbio.0020089", "https://doi.org/10.1371/journal.pbio.0020089"),
        ({"url": "https://example.org"}, ""),
    ],
)
def test_link_of_evidence_leads_to_the_web_only(piece: object, expected: str) -> None:
    assert product.link_of(piece) == expected


@pytest.mark.parametrize(
    ("valid_until", "over"),
    [
        (None, False), ("", False), ("next spring", False), ("9999", False), ("1999", True),
        ("1999-12", True), ("9999-12", False), ("1999-12-31", True), ("9999-12-31", False),
        ("1999-12-31T23:59:59Z", True), ("9999-12-31T00:00:00", False),
    ],
)  # fmt: skip
def test_an_end_of_validity_is_over_only_where_it_is_a_date_that_has_passed(
    valid_until: str | None, over: bool
) -> None:
    assert product.lapsed(valid_until) is over


def test_a_day_that_the_name_of_a_version_contains_is_not_said_again() -> None:
    assert product.names_day("2021-01-05 08:21:03", "2021-01-05T08:21:03Z")
    assert not product.names_day("v2", "2021-01-05")
    assert not product.names_day(None, None)


def test_figures_have_the_decimal_sign_of_the_reader() -> None:
    assert product.figure(20.9312) == "20.93"
    with override("pt-br"):
        assert product.figure(20.9312) == "20,93"
