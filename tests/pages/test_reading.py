"""What a claim's sign is and what the banner says, from hand-made values."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citations.answer import (
    MOST_OPEN,
    AnswerPage,
    ClaimView,
    Opened,
    Paragraph,
    Rail,
    ReasonOfState,
    Segment,
)
from citations.card import Card
from citations.marks import pieces_of
from citations.pages.reading import OpenPages, gravest, reading, sign_of
from citations.status import Notice, Status

AT = datetime(2026, 3, 1, tzinfo=UTC)


def card(
    uid: str, *, reason: str | None = None, chunk: str | None = "chk_a", status: str = "not_checked"
) -> Card:
    return Card(
        uid=uid, hidden=False, marker="[1]", marker_pieces=pieces_of("[1]"), in_context=True, position=1,
        confidence=None, quote=None, verdict="not_checked", standing="stands",
        status=Status(status, None, None, None), reason=reason, notices=(), flags=(),
        bibliography=None, retrieved_at=None, fetched_at=None, checked_at=None, passage=None,
        passage_hidden=None, candidates=(), runs=(), claim_uid=None, claim_text=None, claim_pieces=(),
        answer_uid=None, source_uid=None, version_uid=None, document_uid=None, chunk_uid=chunk,
        context_uid=None, source_address=None, deep_link=None, paged=False, attributes={},
    )  # fmt: skip


def claim(
    uid: str, *citations: str, standing: str = "stands", verdict: str = "not_checked"
) -> ClaimView:
    return ClaimView(
        uid, "text", 0, 1, verdict, standing, "", masked=False, citations=citations, flags=()
    )


def page(
    *paragraphs: Paragraph, claims: tuple[ClaimView, ...] = (), cards: tuple[Card, ...] = (),
    reasons: tuple[ReasonOfState, ...] = (),
) -> AnswerPage:  # fmt: skip
    return AnswerPage(
        uid="ans_a", question=None, question_pieces=(), text="", paragraphs=paragraphs, state="current",
        reasons=reasons, claims=claims, cards=cards, rail=Rail((), (), (), (), 0, 0), occurred_at=AT,
        recorded_at=AT, resolved=True, abstained=None, model=None, provider=None, parameters={},
        session=None, user=None, unit=None, prompt=None, snapshots=(), runs=(), context_uid=None,
        retrieval_uids=(), earlier=(), later=(), served_from=None, flags=(), attributes={},
    )  # fmt: skip


def text(words: str, *claims: str) -> Segment:
    return Segment(pieces_of(words), claims, ())


def marker(*citations: str) -> Segment:
    return Segment(pieces_of("[1]"), (), citations)


@pytest.mark.parametrize(
    ("one", "cards", "expected"),
    [
        (claim("a"), {}, "uncited"),
        (claim("a", "q"), {}, "uncited"),
        (
            claim("a", "q"),
            {"q": card("q", reason="citation_outside_context", chunk=None)},
            "outside",
        ),
        (claim("a", "q", standing="check"), {"q": card("q")}, "check"),
        (claim("a", "q", standing="fallen", verdict="supported"), {"q": card("q")}, "fallen"),
        (claim("a", "q", verdict="contradicted"), {"q": card("q")}, "contradicted"),
        (claim("a", "q"), {"q": card("q", status="expired")}, "rights"),
        (claim("a", "q"), {"q": card("q")}, "stands"),
    ],
)
def test_sign_of_a_claim(one: ClaimView, cards: dict[str, Card], expected: str) -> None:
    assert sign_of(one, cards) == expected


def test_gravest_of_nothing_is_no_sign() -> None:
    assert (gravest([]), gravest(["stands", "fallen", "check"])) == ("", "fallen")


def test_reading_shows_where_nested_claims_begin_once_and_the_gravest_sign_of_both() -> None:
    paragraph = Paragraph(
        (text("Outer ", "a"), text("inner", "a", "b"), text(" rest.", "a"), marker("q")), ("q",)
    )
    claims = (claim("a", "q"), claim("b", "q", standing="check"))
    read = reading(page(paragraph, claims=claims, cards=(card("q"),)))
    stretches = read.paragraphs[0].stretches
    assert [stretch.begins for stretch in stretches] == [("a",), ("b",), (), ()]
    assert [stretch.sign for stretch in stretches] == ["stands", "check", "stands", ""]
    assert [stretch.says for stretch in stretches] == ["", "check", "", ""]
    assert read.signs == (("check", 1), ("stands", 1))
    assert (read.claims_total, read.troubled) == (2, 1)


def test_reading_opens_one_card_of_a_paragraph_and_with_expand_all_each_once() -> None:
    paragraph = Paragraph((text("A", "a"), marker("q", "p"), marker("q")), ("q", "p"))
    shown = page(paragraph, claims=(claim("a", "q", "p"),), cards=(card("q"), card("p")))
    one = reading(shown, Opened(frozenset({"q", "p"})))
    assert [each.uid for each in one.paragraphs[0].opened] == ["q"]
    every = reading(shown, Opened(first=0))
    assert [each.uid for each in every.paragraphs[0].opened] == ["q", "p"]
    closed = reading(shown)
    assert closed.paragraphs[0].opened == ()


def test_reading_opens_no_more_cards_than_a_page_can_bear() -> None:
    uids = [f"q{at}" for at in range(2 * MOST_OPEN + 1)]
    shown = page(
        Paragraph((text("A", "a"), marker(*uids)), tuple(uids)),
        claims=(claim("a", *uids),), cards=tuple(card(uid) for uid in uids),
    )  # fmt: skip
    found = {
        first: (read.open_pages, [each.uid for each in read.paragraphs[0].opened])
        for first in (0, MOST_OPEN, 2 * MOST_OPEN, 10_000)
        if (read := reading(shown, Opened(first=first)))
    }
    total = len(uids)
    assert found == {
        0: (OpenPages(1, MOST_OPEN, total, None, MOST_OPEN + 1), uids[:MOST_OPEN]),
        MOST_OPEN: (
            OpenPages(MOST_OPEN + 1, 2 * MOST_OPEN, total, 1, 2 * MOST_OPEN + 1),
            uids[MOST_OPEN : 2 * MOST_OPEN],
        ),
        2 * MOST_OPEN: (OpenPages(total, total, total, MOST_OPEN + 1, None), uids[-1:]),
        10_000: (OpenPages(total, total, total, MOST_OPEN + 2, None), []),
    }
    few = page(Paragraph((marker("q"),), ("q",)), cards=(card("q"),))
    assert reading(few, Opened(first=0)).open_pages is None


def test_reading_keeps_citations_whose_marker_stands_nowhere() -> None:
    read = reading(page(Paragraph((text("A"),), ()), cards=(card("q"),)))
    assert [each.uid for each in read.loose] == ["q"]


def test_reading_names_what_a_case_touches_among_the_cited_and_counts_cases_beyond_three() -> None:
    noticed = replace(card("q"), notices=(Notice("cas_1", "correction", AT, "src_a"),))
    reasons = tuple(ReasonOfState(f"cas_{n}", "correction", "cited", AT) for n in range(1, 6))
    read = reading(page(cards=(noticed,), reasons=reasons))
    assert read.causes[0].markers == (("[1]", "q"),)
    assert read.causes[1].markers == ()
    assert (len(read.causes), read.causes_beyond) == (3, 2)
