"""Texts that say the same, however they came, have one digest; others have not."""

import unicodedata

import pytest

from lineage.content.folded import folded, folded_digest
from lineage.content.tombstones import buried_as, recognised_by

pytestmark = pytest.mark.engine_free

SAID = "The \u201cnaïve\u201d keeper's log\u2014of well-known tides\u2014tells of 1.5 metres, œuvre included."


@pytest.mark.parametrize(
    "other",
    [
        SAID.upper(),
        SAID.replace(" ", "\n  "),
        SAID.replace(" ", ""),
        SAID.replace(" ", "\u00a0"),
        unicodedata.normalize("NFD", SAID),
        SAID.replace("\u201c", '"').replace("\u201d", '"').replace("\u2014", "-"),
        SAID.replace("'", "\u2019"),
        SAID.replace("well-known", "well-\nknown"),
        SAID.replace("tides", "ti\u00addes"),
        SAID.replace("tides", "t\u200bi\ufeffd\u202ees"),
        SAID.replace("included", "\uff49\uff4e\uff43\uff4c\uff55\uff44\uff45\uff44"),
        f"| {SAID.replace('tells', '| tells')} |",
    ],
)
def test_what_no_reader_sees_makes_no_difference(other: str) -> None:
    assert other != SAID
    assert folded(other) == folded(SAID)
    assert folded_digest(other) == folded_digest(SAID)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("1.5", "15"),
        ("keeper", "keepers"),
        ("tides,", "tides."),
        ("naïve", "naive"),
        ("metres", ""),
    ],
)
def test_another_word_or_number_is_another_text(word: str, other: str) -> None:
    assert folded(SAID.replace(word, other)) != folded(SAID) or word not in SAID


def test_by_hand() -> None:
    assert folded(" Straße \u2013 İ\t\ufb01n ") == "strassei\u0307fin"
    assert folded("\u200b\n-|") == ""
    assert folded("\ud800 A") == "\ud800a"


def test_short_texts_and_rules_are_like_any_other() -> None:
    """64 code points; a line of dashes is none, however long; what came shorter is known all the same."""
    assert buried_as("x" * 63) == []
    assert len(buried_as("x" * 64)) == 2
    assert len(buried_as("-" * 200)) == 1
    spaced = "w o r d " * 10
    assert len(spaced) >= 64 > len("word" * 10)
    assert set(recognised_by("word" * 10)) == {buried_as(spaced)[1]}
    assert recognised_by("x" * 31) == []
