"""The answer page: text, claims and markers in place; the evidence; what a reader may not see."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from citations.answer import AnswerPage, MarkerLink, ReasonOfState, SnapshotFact, answer_page
from citations.status import Status
from lineage.models import Node
from lineage.types import Moved, NotFound
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reader, reef, rivers, shown_answer, withdraw
from tests.ingest.sending import record

pytestmark = pytest.mark.django_db

TEXT = (
    "Larvae remain competent to settle for up to 105 days [1]. Silt smothers corals [2].\n\n"
    "Nobody knows more [9]."
)
CLAIMS = [(0, 52), (58, 78), (85, 102)]
CITATIONS: list[dict[str, Any]] = [
    {"claim": "k0", "marker": "[1]", "chunk": "c1"},
    {"claim": "k1", "marker": "[2]", "position": 2},
    {"claim": "k2", "marker": "[9]", "position": 9},
]


def told(workspace: Workspace, **version: Any) -> dict[str, Node]:
    return load(workspace, corals(**version), rivers(), reef(TEXT, CLAIMS, CITATIONS))


def printed(page: AnswerPage) -> list[list[str]]:
    return [
        ["".join(piece.text for piece in segment.pieces) for segment in paragraph.segments]
        for paragraph in page.paragraphs
    ]


def test_unknown_foreign_and_other_kinds_are_not_found_alike(workspace: Workspace) -> None:
    nodes = told(workspace)
    other = Workspace.objects.create(slug="other", name="other")
    for uid in ("ans_" + "a" * 26, "nonsense", nodes["q0"].uid):
        with pytest.raises(NotFound):
            answer_page(reader(workspace), uid)
    with pytest.raises(NotFound):
        answer_page(reader(other), nodes["a"].uid)


def test_an_answer_that_is_only_named_has_an_empty_page(workspace: Workspace) -> None:
    nodes = load(workspace, [record("claim", "k", answer="a", text="Something.")])
    page = shown_answer(workspace, nodes)
    assert (page.text, page.question, page.resolved, page.state) == (None, None, False, "current")
    assert (page.paragraphs, page.cards, page.rail.cited) == ((), (), ())
    (claim,) = page.claims
    assert (claim.uid, claim.start, claim.standing) == (nodes["k"].uid, None, "stands")


def test_placeholder_address_leads_on(workspace: Workspace) -> None:
    placeholder = load(workspace, [record("claim", "k", answer="a", text="Larvae")])["a"].uid
    nodes = told(workspace)
    with pytest.raises(Moved) as moved:
        answer_page(reader(workspace), placeholder)
    assert moved.value.uid == nodes["a"].uid


def test_text_is_cut_at_claims_and_markers(workspace: Workspace) -> None:
    nodes = told(workspace)
    page = shown_answer(workspace, nodes)
    assert page.text == TEXT
    assert page.question == "How long can larvae drift?"
    assert printed(page) == [
        [
            "Larvae remain competent to settle for up to 105 days",
            " ",
            "[1]",
            ". ",
            "Silt smothers corals",
            " ",
            "[2]",
            ".",
        ],
        ["Nobody knows more", " ", "[9]", "."],
    ]
    first, second = page.paragraphs
    assert [s.claims for s in first.segments if s.claims] == [
        (nodes["k0"].uid,),
        (nodes["k1"].uid,),
    ]
    assert first.citations == (nodes["q0"].uid, nodes["q1"].uid)
    assert second.citations == (nodes["q2"].uid,)
    assert [(claim.start, claim.end, claim.citations) for claim in page.claims] == [
        (0, 52, (nodes["q0"].uid,)),
        (58, 78, (nodes["q1"].uid,)),
        (85, 102, (nodes["q2"].uid,)),
    ]
    assert {(claim.verdict, claim.standing) for claim in page.claims} == {("not checked", "stands")}


def test_cards_come_in_the_order_of_their_markers(workspace: Workspace) -> None:
    nodes = load(workspace, corals(), rivers(), reef(TEXT, CLAIMS, list(reversed(CITATIONS))))
    page = shown_answer(workspace, nodes)
    assert [card.marker for card in page.cards] == ["[1]", "[2]", "[9]"]
    assert page.cards[0].passage is not None
    assert page.cards[2].reason == "citation_outside_context"


def test_evidence_is_cited_in_context_or_dropped(workspace: Workspace) -> None:
    nodes = load(workspace, corals(), rivers(), reef(TEXT, CLAIMS, CITATIONS[:1] + CITATIONS[2:]))
    rail = shown_answer(workspace, nodes).rail
    (document,) = rail.cited
    assert (document.title, document.publisher) == ("Dispersal of corals", "Open Press")
    assert document.markers == (MarkerLink("[1]", nodes["q0"].uid),)
    assert rail.outside == (MarkerLink("[9]", nodes["q1"].uid),)
    (beside,) = rail.in_context
    assert (beside.chunk_uid, beside.title, beside.position, beside.truncated) == (
        nodes["r1"].uid,
        "Silt",
        2,
        True,
    )
    assert beside.candidate is not None
    assert (beside.candidate.rank, beside.candidate.score, beside.candidate.rerank_rank) == (
        2,
        0.0,
        1,
    )
    assert [
        (each.chunk_uid, each.candidate.rank, each.candidate.score, each.candidate.drop_reason)
        for each in rail.dropped
        if each.candidate is not None
    ] == [
        (nodes["c2"].uid, 3, 0.4, "below_cutoff"),
        (nodes["c3"].uid, 4, None, None),
        (nodes["r2"].uid, 5, None, None),
    ]
    assert (rail.in_context_total, rail.dropped_total) == (1, 3)


def test_one_document_under_two_raw_numbers_is_named_once(workspace: Workspace) -> None:
    text = "Fees fell [4]. They rose later [8]."
    nodes = load(
        workspace,
        corals(),
        rivers(),
        reef(
            text,
            [(0, 9), (15, 30)],
            [
                {"claim": "k0", "marker": "[4]", "chunk": "c1"},
                {"claim": "k1", "marker": "[8]", "chunk": "c2"},
            ],
        ),
    )
    page = shown_answer(workspace, nodes)
    (document,) = page.rail.cited
    assert document.markers == (
        MarkerLink("[4]", nodes["q0"].uid),
        MarkerLink("[8]", nodes["q1"].uid),
    )
    assert [card.chunk_uid for card in page.cards] == [nodes["c1"].uid, nodes["c2"].uid]
    assert printed(page)[0].count("[4]") == printed(page)[0].count("[8]") == 1


def test_markers_that_lead_nowhere_are_all_told(workspace: Workspace) -> None:
    text = "Revenue grew 8% [999]. Costs fell [2]. Cash rose [k2]."
    source = [
        record("source", "s", title="S"),
        record("source_version", "v", source="s"),
        record("document", "d", source_version="v", text="One. Two."),
        record("chunk", "k1", document="d", interval={"start": 0, "end": 4}),
        record("chunk", "k2", document="d", interval={"start": 5, "end": 9}),
        record("retrieval", "ret", candidates=[{"chunk": "k1", "kept": True}, {"chunk": "k2"}]),
        record("context", "ctx", retrieval="ret", items=[{"chunk": "k1", "position": 1}]),
        record("answer", "a", context="ctx", text=text),
        record("claim", "c0", answer="a", interval={"start": 0, "end": 15}),
        record("claim", "c1", answer="a", interval={"start": 23, "end": 33}),
        record("claim", "c2", answer="a", interval={"start": 39, "end": 48}),
        record("citation", "q0", claim="c0", marker="[999]", position=999),
        record("citation", "q1", claim="c1", marker="[2]", position=2),
        record("citation", "q2", claim="c2", marker="[k2]", chunk="k2"),
    ]
    page = shown_answer(workspace, load(workspace, source))
    assert [(c.marker, c.in_context, c.reason) for c in page.cards] == [
        ("[999]", False, "citation_outside_context"),
        ("[2]", False, "citation_outside_context"),
        ("[k2]", False, None),
    ]
    assert [flag.code for flag in page.cards[2].flags] == ["citation_outside_context"]
    assert [link.marker for link in page.rail.outside] == ["[999]", "[2]", "[k2]"]
    assert page.cards[2].passage is not None  # retrieved, though not given to the model
    assert page.cards[2].passage.text == "Two."


def test_what_it_was_made_with_is_told(workspace: Workspace) -> None:
    nodes = told(workspace)
    page = shown_answer(workspace, nodes)
    assert (page.model, page.provider, page.session) == ("extractive-1", "example", "s-1")
    assert page.parameters == {"temperature": 0}
    assert page.prompt is not None
    assert (page.prompt.name, page.prompt.version, page.prompt.digest) == ("answer", "3", None)
    assert page.snapshots == (SnapshotFact(nodes["idx"].uid, "reefs", "2026-02-02T00:00:00Z"),)
    assert [(run.run_kind, run.name) for run in page.runs] == [("generate", "model")]
    assert (page.context_uid, page.retrieval_uids) == (nodes["ctx"].uid, (nodes["ret"].uid,))
    assert (page.user, page.unit, page.abstained) == (None, None, None)


def test_a_case_makes_state_reasons_standing_and_status_agree(workspace: Workspace) -> None:
    nodes = told(workspace)
    case = withdraw(workspace, nodes["s1"], "correction")
    page = shown_answer(workspace, nodes)
    assert page.state == "stale"
    assert page.reasons == (ReasonOfState(case.case.uid, "correction", "cited", case.at),)
    assert [claim.standing for claim in page.claims] == ["check", "stands", "stands"]
    assert [card.status.code for card in page.cards] == ["corrected", "not_checked", "unknown"]
    assert page.rail.cited[0].status == Status("corrected", case.at, case.case.uid, "correction")
    assert [each.status.code for each in page.rail.dropped] == [
        "corrected",
        "corrected",
        "not_checked",
    ]


def test_claims_on_a_hidden_version_and_verbatim_overlaps_are_masked(workspace: Workspace) -> None:
    text = TEXT + " Survival falls below ten per cent by day 60."
    nodes = load(
        workspace,
        corals(acl=["marine"]),
        rivers(),
        reef(text, CLAIMS, CITATIONS),
    )
    page = shown_answer(workspace, nodes, "rivers")
    assert page.text is not None
    assert len(page.text) == len(text)
    assert page.text == (
        "██████ ██████ █████████ ██ ██████ ███ ██ ██ ███ ████ [1]. Silt smothers corals [2].\n\n"
        "Nobody knows more [9]. ████████ █████ █████ ███ ███ ████ ██ ███ ███"
    )
    masked = [s for p in page.paragraphs for s in p.segments if s.masked]
    assert [(s.claims, [piece.text for piece in s.pieces]) for s in masked] == [
        ((nodes["k0"].uid,), [""]),
        ((), [""]),
    ]
    assert [(claim.masked, claim.text is None) for claim in page.claims] == [
        (True, True),
        (False, False),
        (False, False),
    ]
    assert [card.hidden for card in page.cards] == [True, False, False]
    assert (page.rail.cited[0].hidden, page.rail.cited[0].title) == (True, None)
    assert [(each.hidden, each.title) for each in page.rail.dropped] == [
        (True, None),
        (True, None),
        (False, "Silt"),
    ]
    everything = repr(page)
    for secret in ("competent", "Survival falls", "Dispersal", "Open Press"):
        assert secret not in everything
    assert shown_answer(workspace, nodes, "marine").text == text


def test_deceiving_characters_are_shown_as_marks(workspace: Workspace) -> None:
    nodes = load(workspace, [record("answer", "a", text="Safe \u202egpj.exe", question="a\u200bb")])
    page = shown_answer(workspace, nodes)
    assert page.text == "Safe \u202egpj.exe"
    assert [piece.mark for piece in page.paragraphs[0].segments[0].pieces] == [
        "",
        "U+202E RIGHT-TO-LEFT OVERRIDE",
        "",
    ]
    assert [piece.mark for piece in page.question_pieces] == ["", "U+200B ZERO WIDTH SPACE", ""]


def test_a_long_answer_costs_as_many_queries_as_a_short_one(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    short = load(workspace, corals(), rivers(), reef(TEXT, CLAIMS[:1], CITATIONS[:1]))
    # Answer, claims, citations, what is withheld, upstream (2), who sees it (2), texts, cases,
    # revisions (2).
    with django_assert_num_queries(13), django_assert_num_queries(1, using="keys"):
        answer_page(reader(workspace, "x"), short["a"].uid)
    nodes = load(workspace, reef(TEXT, CLAIMS, CITATIONS * 4))
    with django_assert_num_queries(13), django_assert_num_queries(1, using="keys"):
        page = answer_page(reader(workspace, "x"), nodes["a"].uid)
    assert len(page.cards) == 12
