"""Where the support of a citation stands in its passage, and when it is not marked at all."""

from typing import Any

import pytest

from citations.anchoring import Anchored, Support, anchor_support, surroundings
from citations.marks import Span
from lineage.types import Interval
from lineage.vocabulary import Anchor

pytestmark = pytest.mark.engine_free

DOCUMENT = (
    "Corals spawn once a year. Larvae remain competent to settle for up to 105 days. "
    "Survival falls below ten per cent by day 60. Currents alone do not explain it."
)
# "Larvae remain … 105 days. Survival falls"
PASSAGE = (26, 94)


def anchored(text: str | None = None, **support: Any) -> Anchored:
    around = surroundings(text or DOCUMENT[slice(*PASSAGE)], DOCUMENT, PASSAGE)
    return anchor_support(around, Support(**support))


@pytest.mark.parametrize(
    ("support", "anchor"),
    [
        ({}, None),
        ({"claim_text": "  "}, None),
        ({"quote": "Fish eat the larvae before they can settle"}, Anchor.UNVERIFIABLE),
        # The quote is not there; the claim is no substitute for it.
        (
            {"quote": "Fish eat the larvae of most corals", "claim_text": "Survival falls"},
            Anchor.UNVERIFIABLE,
        ),
        # Stands beside the passage only.
        ({"quote": "Corals spawn once a year."}, Anchor.UNVERIFIABLE),
        ({"quote": "al"}, Anchor.AMBIGUOUS),
        ({"selector": {"type": "FragmentSelector", "value": "p3"}}, None),
        ({"selector": {"type": "TextQuoteSelector", "exact": 7}}, None),
    ],
)
def test_what_is_not_at_one_place_is_not_marked(
    support: dict[str, Any], anchor: Anchor | None
) -> None:
    assert anchored(**support) == Anchored(anchor=anchor)


@pytest.mark.parametrize(
    ("support", "marked", "anchor"),
    [
        ({"quote": "up to 105 days"}, "up to 105 days", Anchor.EXACT),
        ({"claim_text": "up to 105 days"}, "up to 105 days", Anchor.EXACT),
        ({"quote": "up  to\n105 days"}, "up to 105 days", Anchor.NORMALISED),
        (
            {"quote": "Larvae remained competent to settle for up to 105 days."},
            "Larvae remain competent to settle for up to 105 days.",
            Anchor.RELOCATED,
        ),
        (
            {"selector": {"type": "TextQuoteSelector", "exact": "al", "prefix": "Surviv"}},
            "al",
            Anchor.EXACT,
        ),
        (
            {"selector": [{"refinedBy": {"type": "TextQuoteSelector", "exact": "105"}}]},
            "105",
            Anchor.EXACT,
        ),
        ({"interval": Interval(0, 6, within="chunk")}, "Larvae", Anchor.EXACT),
        ({"interval": Interval(26, 32)}, "Larvae", Anchor.EXACT),
        ({"interval": Interval(0, 4, within="chunk"), "quote": "105"}, "105", Anchor.RELOCATED),
        # An impossible interval leaves the quote to speak.
        ({"interval": Interval(9, 2), "quote": "105"}, "105", Anchor.EXACT),
        ({"interval": Interval(0, 9999), "claim_text": "105"}, "105", Anchor.EXACT),
    ],
)
def test_support_is_marked_where_it_stands(
    support: dict[str, Any], marked: str, anchor: Anchor
) -> None:
    found = anchored(**support)
    (span,) = found.highlights
    assert DOCUMENT[slice(*PASSAGE)][span.start : span.end] == marked
    assert (found.anchor, found.cut, found.before, found.after) == (anchor, False, (), ())


def test_support_that_goes_on_is_cut_and_marked_in_the_neighbour() -> None:
    found = anchored(quote="Survival falls below ten per cent by day 60.")
    assert found == Anchored(
        highlights=(Span(54, 68),), after=(Span(0, 30),), anchor=Anchor.EXACT, cut=True
    )
    assert DOCUMENT[94 : 94 + 30] == " below ten per cent by day 60."


def test_support_that_begins_before_is_cut_too() -> None:
    found = anchored(claim_text="once a year. Larvae remain")
    assert found == Anchored(
        highlights=(Span(0, 13),), before=(Span(13, 26),), anchor=Anchor.EXACT, cut=True
    )


def test_support_interval_across_the_edge_is_cut() -> None:
    found = anchored(interval=Interval(80, 100))
    assert found == Anchored(
        highlights=(Span(54, 68),),
        after=(Span(0, 6),),
        anchor=Anchor.EXACT,
        cut=True,
        as_stated=True,
    )


def test_a_surer_place_across_the_edge_wins_over_a_near_one_inside() -> None:
    """Nine tenths of the quote stand in the passage, all of it in the passage and its neighbour."""
    found = anchored(quote=DOCUMENT[26:100])
    assert (found.anchor, found.cut) == (Anchor.EXACT, True)
    assert found.highlights == (Span(0, 68),)


def test_passage_without_a_document_is_searched_alone() -> None:
    around = surroundings("Larvae remain competent", None, None)
    assert anchor_support(around, Support(quote="competent")) == Anchored(
        highlights=(Span(14, 23),), anchor=Anchor.EXACT
    )
    # Its place in the document is unknown, so an interval there says nothing.
    assert anchor_support(around, Support(interval=Interval(0, 6))) == Anchored()


def test_neighbours_are_bounded_and_hold_no_half_words() -> None:
    document = "word " * 200 + "PASSAGE" + " other" * 200
    around = surroundings("PASSAGE", document, (1000, 1007))
    assert around.before == "word " * 60
    assert around.after == " other" * 50
    assert (around.more_before, around.more_after) == (True, True)
    longer = surroundings("PASSAGE", "x" * 500 + "PASSAGE" + "wordy " * 100, (500, 507))
    assert longer.before == "x" * 300  # no word that could be left out
    assert longer.after == "wordy " * 50
    cut = surroundings("PASSAGE", "words " * 100 + "PASSAGE" + "y" + " other" * 100, (600, 607))
    assert cut.after == "y" + " other" * 49 + " "
    assert len(cut.before) == 300


@pytest.mark.parametrize("place", [(5, 3), (0, 999), (-1, 3)])
def test_a_place_outside_of_the_document_has_no_neighbours(place: tuple[int, int]) -> None:
    around = surroundings("PASSAGE", "the document", place)
    assert (around.before, around.after, around.start) == ("", "", None)
    assert (around.more_before, around.more_after) == (False, False)


SCIENTIST = "\U0001f469\u200d\U0001f52c"
WHOLE_CHARACTERS = (
    f"a {SCIENTIST} e\u0301 \U0001f1e7\U0001f1f7\U0001f1f5\U0001f1f9 \U0001f44d\U0001f3fd z"
)


@pytest.mark.parametrize(
    "interval",
    [
        Interval(2, 3),  # the woman alone
        Interval(0, 4),  # up to the joiner
        Interval(4, 5),  # what she holds
        Interval(6, 7),  # a letter without its accent
        Interval(7, 9),  # the accent and what follows
        Interval(9, 10),  # half a flag
        Interval(10, 12),  # halves of two flags
        Interval(14, 15),  # a hand without its skin
        Interval(2, 4, "utf16"),  # the woman's two units
        Interval(2, 3, "utf16"),  # the first of these: half a pair
        Interval(2, 6, "utf8"),
        Interval(2, 5, "utf8"),
        Interval(2, 3, within="chunk"),
    ],
)
def test_an_interval_that_cuts_a_visible_character_marks_nothing(interval: Interval) -> None:
    text = WHOLE_CHARACTERS
    around = surroundings(text, text, (0, len(text)))
    nothing = Anchored(anchor=Anchor.UNVERIFIABLE)
    assert anchor_support(around, Support(interval=interval)) == nothing
    # Nor if its own words are quoted: they stand nowhere as whole characters.
    if interval.unit == "codepoint":
        quote = text[interval.start : interval.end]
        assert anchor_support(around, Support(interval=interval, quote=quote)) == nothing
    # What else the citation says counts.
    found = anchor_support(around, Support(interval=interval, claim_text="z"))
    assert (found.anchor, [text[each.start : each.end] for each in found.highlights]) == (
        Anchor.EXACT, ["z"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("interval", "marked"),
    [
        (Interval(2, 5), SCIENTIST),
        (Interval(2, 7, "utf16"), SCIENTIST),
        (Interval(6, 8), "e\u0301"),
        (Interval(9, 11), "\U0001f1e7\U0001f1f7"),
        (Interval(14, 16), "\U0001f44d\U0001f3fd"),
    ],
)
def test_an_interval_of_whole_characters_is_marked(interval: Interval, marked: str) -> None:
    text = WHOLE_CHARACTERS
    found = anchor_support(surroundings(text, text, (0, len(text))), Support(interval=interval))
    assert [text[each.start : each.end] for each in found.highlights] == [marked]
    assert (found.anchor, found.as_stated) == (Anchor.EXACT, True)


@pytest.mark.parametrize(
    "support", [{"quote": "\U0001f469"}, {"interval": Interval(0, 1, within="chunk")}]
)
def test_a_passage_that_ends_amid_a_character_marks_no_half_of_it(support: dict[str, Any]) -> None:
    around = surroundings("\U0001f469", f"a {SCIENTIST} b", (2, 3))
    assert anchor_support(around, Support(**support)) == Anchored(anchor=Anchor.UNVERIFIABLE)


@pytest.mark.parametrize(
    ("support", "as_stated"),
    [
        ({"interval": Interval(26, 32)}, True),
        ({"interval": Interval(26, 32), "claim_text": "Larvae"}, True),
        ({"interval": Interval(26, 32), "quote": "Larvae"}, False),
        ({"selector": {"type": "TextPositionSelector", "start": 26, "end": 32}}, True),
        (
            {
                "interval": Interval(26, 32),
                "selector": {"type": "TextQuoteSelector", "exact": "Larvae"},
            },
            False,
        ),
        ({"quote": "Larvae"}, False),
    ],
)
def test_an_offset_alone_was_compared_with_nothing(
    support: dict[str, Any], as_stated: bool
) -> None:
    found = anchored(**support)
    assert (found.anchor, len(found.highlights)) == (Anchor.EXACT, 1)
    assert found.as_stated is as_stated
