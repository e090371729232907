"""Word diffs: every expectation below is written by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations import differences
from citations.differences import Comparison, Kind, Verdict, difference, verdict_on
from citations.marks import Span

pytestmark = pytest.mark.engine_free

OLD = "The limit is 10 days. Ask the office first.\n\nFees apply to everybody.\n\nThe end.\n"


def told(old: str, new: str) -> str:
    """The difference with [-removed-] and {+added+}."""
    signs = {Kind.SAME: "{}", Kind.REMOVED: "[-{}-]", Kind.ADDED: "{{+{}+}}"}
    return "".join(signs[each.kind].format(each.text) for each in difference(old, new).stretches)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("Same words.", "Same words.", Verdict.UNCHANGED),
        ("", "", Verdict.UNCHANGED),
        ("Same  words.\n", "Same words. ", Verdict.COSMETIC),
        ("an exam-\nple of it", "an example of it", Verdict.COSMETIC),
        ("It\u2019s \u201cso\u201d \u2013 yes\u2026", 'It\'s "so" - yes...', Verdict.COSMETIC),
        ("\u00abso\u00bb", '"so"', Verdict.COSMETIC),
        ("\ufb01ne cafe\u0301", "fine caf\u00e9", Verdict.COSMETIC),
        ("a\u200bb", "ab", Verdict.COSMETIC),
        ("it\u02bcs \ufb03x", "it's ffix", Verdict.COSMETIC),
        # Each of these may say something else.
        ("It must not.", "It must NOT.", Verdict.CHANGED),
        ("Let's eat Grandma", "Let's eat, Grandma", Verdict.CHANGED),
        ("-5", "5", Verdict.CHANGED),
        ("3.5", "35", Verdict.CHANGED),
        ("10 %", "10", Verdict.CHANGED),
        ("It rose?", "It rose.", Verdict.CHANGED),
        ("into", "in to", Verdict.CHANGED),
        ("", "x", Verdict.CHANGED),
    ],
)
def test_verdict(old: str, new: str, verdict: Verdict) -> None:
    assert verdict_on(old, new) is verdict
    assert verdict_on(new, old) is verdict


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("", "All new.", "{+All new.+}"),
        ("All gone.", "", "[-All gone.-]"),
        ("It is 10 days.", "It is 12 days.", "It is [-10 -]{+12 +}days."),
        ("1,240 of 3.5", "1,241 of 3.5", "[-1,240 -]{+1,241 +}of 3.5"),
        ("a b", "a", "a [-b-]"),
        ("a b.", "a.", "a [-b-]."),
        ("a  b\nc", "a b c", "a b c"),  # only white space: nothing
        ("don't go", "don\u2019t go", "[-don't -]{+don\u2019t +}go"),
        # Sentences are inserted where they begin, not in the middle of what is alike.
        ("One. Two.", "One. More. Two.", "One. {+More. +}Two."),
        ("One.", "One. And more.", "One. {+And more.+}"),
        ("A.\n\nB old.\n\nC.", "A.\n\nC.", "A.\n\n[-B old.\n\n-]C."),
        # Scripts without spaces change character by character.
        ("\u4eca\u5929\u5929\u6c14\u597d", "\u4eca\u5929\u5929\u6c14\u574f", "\u4eca\u5929\u5929\u6c14[-\u597d-]{+\u574f+}"),
        # A word that survives by chance between two new halves of a sentence is not kept.
        (
            "Members of all committees vote by the showing of hands.",
            "Nobody in this building can speak the old language.",
            "[-Members of all committees vote by the showing of hands-]{+Nobody in this building can speak the old language+}.",
        ),
    ],
)  # fmt: skip
def test_what_is_removed_and_added(old: str, new: str, expected: str) -> None:
    assert told(old, new) == expected


def test_in_long_texts_without_spaces_phrases_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "_LONG", 10)
    old, new = (
        "\u4eca\u5929\u597d\u3002\u660e\u5929\u3002",
        "\u4eca\u5929\u574f\u3002\u660e\u5929\u3002",
    )
    expected = "[-\u4eca\u5929\u597d-]{+\u4eca\u5929\u574f+}\u3002\u660e\u5929\u3002"
    assert told(old, new) == expected


def test_what_changed_is_counted_in_words() -> None:
    found = difference(OLD, OLD.replace("10 days", "twelve whole days").replace("Fees", "Taxes"))
    assert (found.changes, found.removed, found.added, found.coarse) == (2, 2, 3, False)


def test_places_are_those_of_each_text() -> None:
    old, new = "a b c d", "a x y c d"
    assert [(e.text, e.old, e.new) for e in difference(old, new).stretches] == [
        ("a ", 0, 0),
        ("b ", 2, 2),
        ("x y ", 4, 2),
        ("c d", 4, 6),
    ]


words = st.lists(st.sampled_from([*"abcdefg", "the", ".", ",", "\n\n", "caf\u00e9", "\u4eca"]), max_size=60)  # fmt: skip


@given(words, words)
def test_both_texts_stand_in_the_difference(old: list[str], new: list[str]) -> None:
    one, other = " ".join(old), " ".join(new)
    found = difference(one, other)
    kept = [each for each in found.stretches if each.kind is not Kind.ADDED]
    come = [each for each in found.stretches if each.kind is not Kind.REMOVED]
    for text, told_of in ((one, kept), (other, come)):
        assert "".join("".join(each.text for each in told_of).split()) == "".join(text.split())
    for each in found.stretches:
        text, at = (one, each.old) if each.kind is Kind.REMOVED else (other, each.new)
        assert text[at:].startswith(each.text.rstrip())


@pytest.mark.parametrize(
    ("passage", "new", "expected"),
    [
        ("Ask the office first.", OLD, "Ask the office first."),
        ("Ask the office first.", OLD.replace("first", "in time"), "Ask the office in time."),
        # A change at an end of the passage is its own, one beyond it is not.
        ("Ask the office first.", OLD.replace("days.", "days. Stop!"), "Ask the office first."),
        ("Ask the office first.", OLD.replace("Ask", "Do ask"), "Do ask the office first."),
        ("Ask the office first.", OLD.replace("Ask the office", "Call our desk"), None),
        ("Ask the office first.", OLD.replace("Ask", "Phone"), "Phone the office first."),
        # Moved away with its neighbours kept: the alignment does not know it any more.
        ("Fees apply to everybody.", OLD.replace("Fees apply to everybody.\n\n", ""), None),
        ("Fees apply to everybody.", "Something else altogether", None),
        ("Fees apply to everybody.", "", None),
    ],
)
def test_a_passage_is_followed_into_the_new_text(
    passage: str, new: str, expected: str | None
) -> None:
    start = OLD.index(passage)
    found = Comparison(OLD, new).continued(Span(start, start + len(passage)))
    assert (new[found.start : found.end] if found else None) == expected
