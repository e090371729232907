"""Plain answers to claims: expected words, markers and offsets are written by hand."""

import time

import pytest

from lineage.formats.claims import SplitClaim, claims_of
from lineage.formats.markers import Marker

pytestmark = pytest.mark.engine_free

Told = list[tuple[str, list[tuple[str, tuple[int, ...]]]]]


def told(text: str) -> Told:
    """Each claim's words with its markers."""
    return [
        (
            text[claim.start : claim.end],
            [(marker.text, marker.positions) for marker in claim.markers],
        )
        for claim in claims_of(text)
    ]


@pytest.mark.parametrize(
    "text", ["", "   \n\n \t", "[1]", "[1] [2]", "…", "---\n***", "[^1]: Smith 2003"]
)
def test_nothing_said_claims_nothing(text: str) -> None:
    assert claims_of(text) == []


def test_interval_is_code_points_without_marker() -> None:
    assert claims_of("  🤔 thinks. [2]  ") == [SplitClaim(2, 11, (Marker("[2]", (2,)),))]


def test_claim_spans_sentences_up_to_its_marker() -> None:
    assert told("Fees rose. They fell again. [1] Then nothing [2]") == [
        ("Fees rose. They fell again.", [("[1]", (1,))]),
        ("Then nothing", [("[2]", (2,))]),
    ]


def test_stop_after_marker_belongs_to_no_claim() -> None:
    assert told("Fees fell [4]. They rose later [8].") == [
        ("Fees fell", [("[4]", (4,))]),
        ("They rose later", [("[8]", (8,))]),
    ]


def test_markers_without_words_between_are_one_group() -> None:
    assert told("One [1][2], [3] two [1, 4]【5】") == [
        ("One", [("[1]", (1,)), ("[2]", (2,)), ("[3]", (3,))]),
        ("two", [("[1, 4]", (1, 4)), ("【5】", (5,))]),
    ]


@pytest.mark.parametrize(
    ("marker", "printed", "positions"),
    [
        ("[12]", "[12]", (12,)),
        ("[0]", "[0]", (0,)),
        ("[999]", "[999]", (999,)),
        ("[1, 2;3]", "[1, 2;3]", (1, 2, 3)),
        ("[2-4]", "[2-4]", (2, 3, 4)),
        ("[2–4, 3]", "[2–4, 3]", (2, 3, 4)),
        ("[1-900]", "[1-900]", (1, 900)),
        ("[7-5]", "[7-5]", (7, 5)),
        ("[^3]", "[^3]", (3,)),
        ("[doc-3]", "[doc-3]", (3,)),
        ("[Source 2]", "[Source 2]", (2,)),
        ("[1](https://example.org/a)", "[1]", (1,)),
        ("【2†page 4】", "【2†page 4】", (2,)),
        ("[doc-1, doc-2]", "[doc-1, doc-2]", (1, 2)),
        ("[Source 1; Source 2]", "[Source 1; Source 2]", (1, 2)),
        ("[Source 1, 2; Doc 7]", "[Source 1, 2; Doc 7]", (1, 2, 7)),
        ("[Snippet 3]", "[Snippet 3]", (3,)),
        ("[Fonte 1, Fonte 2]", "[Fonte 1, Fonte 2]", (1, 2)),
        ("[c1, c3]", "[c1, c3]", (1, 3)),
        ("[^1, ^2]", "[^1, ^2]", (1, 2)),
        ("[1 and 3]", "[1 and 3]", (1, 3)),
        ("[ref 1 & ref 3]", "[ref 1 & ref 3]", (1, 3)),
        ("[doc-2 – doc-4]", "[doc-2 – doc-4]", (2, 3, 4)),
        ("[doc-2-4]", "[doc-2-4]", (2, 3, 4)),
        ("[1]–[3]", "[1]–[3]", (1, 2, 3)),
        ("[1]-[3]", "[1]-[3]", (1, 2, 3)),
        ("[1] – [3]", "[1] – [3]", (1, 2, 3)),
        ("[doc-1]–[doc-3]", "[doc-1]–[doc-3]", (1, 2, 3)),
        ("[1, 3]–[5, 9]", "[1, 3]–[5, 9]", (1, 3, 4, 5, 9)),
        ("[1]–[900]", "[1]–[900]", (1, 900)),
        ("[1](/a#x)–[3](/b)", "[1]–[3]", (1, 2, 3)),
        ("【1】–【3】", "【1】–【3】", (1, 2, 3)),
        ("【doc 1, doc 2】", "【doc 1, doc 2】", (1, 2)),
        ("[[2]](https://example.org/a)", "[[2]]", (2,)),
        ("[[2]]", "[[2]]", (2,)),
        ("【4:0†source】", "【4:0†source】", (0,)),
        ("【4:13†a.pdf†L10-L20】", "【4:13†a.pdf†L10-L20】", (13,)),
    ],
)
def test_marker_as_printed_and_its_positions(
    marker: str, printed: str, positions: tuple[int, ...]
) -> None:
    assert told(f"A fact {marker} more.") == [("A fact", [(printed, positions)]), ("more.", [])]


@pytest.mark.parametrize(
    "text",
    [
        "The year [2024] is no position.",
        "Protein [GBP]/Frat binds.",
        "A gap [ ] and [x] and [] and [1",
        "See [k2] for more.",
        "Call `rows[1]` here.",
        "V(D)J and VPAC(2) receptors.",
        "At [4:0] or [10:30] nothing; nor [1 2], [1, x] or [Sources].",
        "By [Article 5] and [Section 2] of the law, as [Figure 3] and [Table 1] show.",
    ],
)
def test_what_is_no_marker_stays_in_its_sentence(text: str) -> None:
    assert told(text) == [(text, [])]


def test_a_spaced_hyphen_or_a_word_between_markers_is_no_range() -> None:
    assert told("One [1] - [3] two [4] to [6]") == [
        ("One", [("[1]", (1,)), ("[3]", (3,))]),
        ("two", [("[4]", (4,))]),
        ("to", [("[6]", (6,))]),
    ]


def test_code_block_has_no_markers() -> None:
    assert [markers for _, markers in told("Run\n```\na[1]\n```\nnow [2]")] == [[("[2]", (2,))]]


def test_paragraph_starts_a_new_claim() -> None:
    assert told("No source here.\n\nA source here [1]\n \nTail") == [
        ("No source here.", []),
        ("A source here", [("[1]", (1,))]),
        ("Tail", []),
    ]


def test_line_break_alone_does_not() -> None:
    assert told("First line\nsecond line [1]") == [("First line\nsecond line", [("[1]", (1,))])]


def test_list_items_and_headings_claim_for_themselves() -> None:
    assert told("# Fees\n- Fell\n- Rose [1]\n2. Held [2]\n| a | b [3] |") == [
        ("Fees", []),
        ("Fell", []),
        ("Rose", [("[1]", (1,))]),
        ("Held", [("[2]", (2,))]),
        ("a | b", [("[3]", (3,))]),
    ]


def test_paragraph_of_markers_cites_what_stands_before() -> None:
    assert told("Fees fell.\n\n[1] [2]\n\nEnd.") == [
        ("Fees fell.", [("[1]", (1,)), ("[2]", (2,))]),
        ("End.", []),
    ]


def test_footnote_definitions_claim_nothing() -> None:
    assert told("Fees fell.[^1]\n\n[^1]: Smith, 2003.\n[2]: https://example.org") == [
        ("Fees fell.", [("[^1]", (1,))])
    ]


def test_brackets_around_a_marker_are_trimmed() -> None:
    assert told("Fees fell ([1]), says Smith.") == [
        ("Fees fell", [("[1]", (1,))]),
        ("says Smith.", []),
    ]


def test_what_has_no_marker_is_one_claim_a_sentence() -> None:
    text = "It fell! Did it? “Yes.” Dr. J. Smith et al. agreed, e.g. in 3.5 cases. 好的。再见。"
    assert [words for words, _ in told(text)] == [
        "It fell!",
        "Did it?",
        "“Yes.”",
        "Dr. J. Smith et al. agreed, e.g. in 3.5 cases.",
        "好的。",
        "再见。",
    ]
    assert all(markers == [] for _, markers in told(text))


def test_sentences_after_the_last_marker_are_uncited() -> None:
    assert told("Fees fell. So I think [1]. They may rise. Who knows?") == [
        ("Fees fell. So I think", [("[1]", (1,))]),
        ("They may rise.", []),
        ("Who knows?", []),
    ]


@pytest.mark.parametrize(
    "text",
    ["." * 200_000 + "x", "[1" * 100_000, "`" * 100_001, "a [1] " * 50_000, "[1, " * 50_000,
     "[" * 200_000, "[1]–" * 50_000, "[doc doc " * 25_000, "【4:" * 70_000, "[1 and " * 30_000],
)  # fmt: skip
def test_hostile_text_takes_one_pass(text: str) -> None:
    started = time.process_time()
    claims_of(text)
    assert time.process_time() - started < 3


def test_markers_that_the_sender_names_are_markers_whatever_they_look_like() -> None:
    text = "Fees rose [k2]. Costs fell (Smith 2003), they say [3]."
    assert claims_of(text, markers=["[k2]", "(Smith 2003)"]) == [
        SplitClaim(0, 9, (Marker("[k2]", ()),)),
        SplitClaim(16, 26, (Marker("(Smith 2003)", ()),)),
        SplitClaim(41, 49, (Marker("[3]", (3,)),)),
    ]


@pytest.mark.parametrize("marker", ["[K2]", "[k]", "k2", "(?:x)", "["])
def test_named_markers_are_taken_literally(marker: str) -> None:
    (claim, *_) = claims_of("Fees rose [k2].", markers=[marker])
    assert [m.text for m in claim.markers] == {"k2": ["k2"], "[": ["["]}.get(marker, [])


def test_short_chunk_names_are_markers_and_isotopes_are_not() -> None:
    assert claims_of("Fees rose [c1].") == [SplitClaim(0, 9, (Marker("[c1]", (1,)),))]
    assert claims_of("Dated by [C14].") == [SplitClaim(0, 15)]
