"""The citation card: every fact as stated, the passage in its place, and what is kept back."""

from datetime import UTC, datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from citations.bibliography import Creator
from citations.card import Candidate, Page, cards, citation_card
from citations.marks import Span
from citations.status import Status
from lineage.models import Node
from lineage.types import Moved, NotFound
from lineage.vocabulary import Anchor
from provexplorer.workspaces.models import Workspace
from tests.citations.world import (
    corals,
    load,
    reader,
    reef,
    rivers,
    shown_answer,
    shown_card,
    withdraw,
)
from tests.ingest.sending import record

pytestmark = pytest.mark.django_db

QUOTE = "competent to settle for up to 105 days"
TEXT = "Larvae drift for 105 days. [1]"


def cited(workspace: Workspace, *citations: dict[str, object]) -> dict[str, Node]:
    return load(workspace, corals(), rivers(), reef(TEXT, [(0, 26)], citations))


def test_unknown_foreign_and_other_kinds_are_not_found_alike(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1"})
    other = Workspace.objects.create(slug="other", name="other")
    for uid in ("cit_" + "a" * 26, "nonsense", nodes["a"].uid):
        with pytest.raises(NotFound):
            citation_card(reader(workspace), uid)
    with pytest.raises(NotFound):
        citation_card(reader(other), nodes["q0"].uid)


def test_provisional_uid_leads_on(workspace: Workspace) -> None:
    before = load(workspace, [record("citation", "q0", claim="k0", marker="[1]", chunk="c1")])
    provisional = before["q0"].uid
    nodes = cited(workspace, {"chunk": "c1"})
    assert nodes["q0"].uid != provisional
    with pytest.raises(Moved) as moved:
        citation_card(reader(workspace), provisional)
    assert moved.value.uid == nodes["q0"].uid


def test_position_outside_of_the_context_has_no_source(workspace: Workspace) -> None:
    nodes = cited(workspace, {"position": 5})
    card = shown_card(workspace, nodes, "q0")
    assert (card.in_context, card.passage, card.bibliography) == (False, None, None)
    assert card.context_known is True
    assert (card.reason, card.status.code) == ("citation_outside_context", "unknown")
    assert (card.position, card.chunk_uid, card.source_uid) == (5, None, None)
    assert card.marker == "[1]"
    assert card.claim_text == "Larvae drift for 105 days."


def test_chunk_outside_of_the_context_is_shown_and_told(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c2"})
    card = shown_card(workspace, nodes, "q0")
    assert card.in_context is False
    assert card.reason == "citation_outside_context"
    assert card.passage is not None
    assert card.passage.text == "Survival falls below ten per cent by day 60."
    assert card.bibliography is not None
    assert card.bibliography.title == "Dispersal of corals"


def test_chunk_that_nobody_has_described_is_unresolved(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "never-sent"})
    card = shown_card(workspace, nodes, "q0")
    assert card.bibliography is None
    assert (card.passage, card.passage_hidden) == (None, "unavailable")
    assert card.status.code == "unknown"
    assert card.reason == "unresolved_reference"


def test_every_fact_of_the_source_is_on_the_card(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    card = shown_card(workspace, nodes, "q0")
    book = card.bibliography
    assert book is not None
    assert [(c.name, c.role, c.orcid) for c in book.creators] == [
        ("A. Author", "creator", "0000-0002-1825-0097"),
        ("B. Author", "creator", None),
        ("E. Editor", "editor", None),
    ]
    assert book.publisher is not None
    assert (book.publisher.name, book.publisher.ror) == ("Open Press", None)
    assert (book.title, book.container_title, book.doi) == (
        "Dispersal of corals",
        "Journal of Reefs",
        "10.1234/corals",
    )
    assert (book.version, book.published_at, book.modified_at) == ("1", "2003-10-17", None)
    assert book.license is not None
    assert book.license.spdx == "CC-BY-4.0"
    assert card.retrieved_at == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert card.fetched_at == datetime(2026, 2, 1, 8, tzinfo=UTC)
    assert card.checked_at is None
    assert card.status == Status("not_checked")
    assert (card.reason, card.verdict, card.standing) == (None, "not checked", "stands")
    assert (card.in_context, card.position, card.quote) == (True, 1, QUOTE)
    assert card.candidates == (
        Candidate(nodes["ret"].uid, 1, 0.9, "similarity", None, None, kept=True, drop_reason=None),
    )
    assert [(run.run_kind, run.name, run.version, run.node_uid) for run in card.runs] == [
        ("parse", "pdf", "2.1", nodes["d1"].uid),
        ("generate", "model", "9", nodes["a"].uid),
    ]
    assert (card.source_uid, card.version_uid, card.document_uid, card.chunk_uid) == (
        nodes["s1"].uid,
        nodes["s1@1"].uid,
        nodes["d1"].uid,
        nodes["c1"].uid,
    )
    assert (card.claim_uid, card.answer_uid) == (nodes["k0"].uid, nodes["a"].uid)


def test_what_the_source_does_not_state_is_none(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "r1"})
    card = shown_card(workspace, nodes, "q0")
    book = card.bibliography
    assert book is not None
    assert book.title == "Silt"
    assert (book.creators, book.publisher, book.license, book.version) == ((), None, None, None)
    assert (book.published_at, book.container_title, card.fetched_at) == (None, None, None)
    assert card.candidates[0].score == 0.0
    assert (card.candidates[0].rerank_rank, card.candidates[0].rerank_score) == (1, -1.5)


def test_a_version_that_names_its_own_creators_wins_role_by_role(workspace: Workspace) -> None:
    own = {
        "creators": [{"name": "C. Other", "role": "creator"}],
        "publisher": {"name": "Second Press"},
    }
    nodes = load(workspace, corals(**own), rivers(), reef(TEXT, [(0, 26)], [{"chunk": "c1"}]))
    book = shown_card(workspace, nodes, "q0").bibliography
    assert book is not None
    assert [(c.name, c.role) for c in book.creators] == [
        ("C. Other", "creator"),
        ("E. Editor", "editor"),
    ]
    assert all(isinstance(c, Creator) and c.agent_uid for c in book.creators)
    assert book.publisher is not None
    assert book.publisher.name == "Second Press"


def test_passage_stands_between_its_neighbours_with_its_span_marked(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.text == "Larvae remain competent to settle for up to 105 days."
    assert passage.before == "Corals spawn once a year. "
    assert passage.after == (
        " Survival falls below ten per cent by day 60. Currents alone do not explain it."
    )
    assert passage.highlights == (Span(14, 52),)
    assert (passage.anchor, passage.cut) == (Anchor.EXACT, False)
    assert [piece.text for piece in passage.pieces] == ["Larvae remain ", QUOTE, "."]
    assert [piece.highlighted for piece in passage.pieces] == [False, True, False]
    assert passage.heading_path == ("Results",)
    assert passage.page == Page(6, "411")
    assert passage.language == "en"


def test_headings_and_page_of_parents_without_an_interval(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [
            record("source", "s", title="S"),
            record("source_version", "v", source="s"),
            record("document", "d", source_version="v", text="Larvae drift for 105 days."),
            record("part", "chapter", document="d", part_kind="section", heading="Results"),
            record(
                "part",
                "section",
                document="d",
                parent="chapter",
                part_kind="section",
                heading="Drift",
            ),
            record("part", "page", document="d", parent="section", part_kind="page", page_index=0),
            record(
                "chunk",
                "whole",
                document="d",
                parent={"kind": "part", "key": "page"},
                interval={"start": 0, "end": 26},
            ),
            record(
                "chunk",
                "c1",
                document="d",
                parent={"kind": "chunk", "key": "whole"},
                interval={"start": 0, "end": 6},
            ),
        ],
        reef(TEXT, [(0, 26)], [{"chunk": "c1"}]),
    )
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert (passage.heading_path, passage.page) == (("Results", "Drift"), Page(0, None))


def test_without_a_recorded_context_nothing_is_outside_of_it(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        corals(),
        [
            record("answer", "a", text=TEXT),
            record("claim", "k0", answer="a", interval={"start": 0, "end": 26}),
            record("citation", "q0", claim="k0", marker="[1]", chunk="c1"),
        ],
    )
    card = shown_card(workspace, nodes, "q0")
    assert (card.in_context, card.context_known, card.reason) == (False, False, None)
    assert card.bibliography is not None
    assert shown_answer(workspace, nodes).rail.outside == ()


def test_chunks_own_heading_path_and_no_page_beyond_the_last(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c3"})
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert (passage.heading_path, passage.page) == (("Discussion",), None)
    assert (passage.highlights, passage.anchor) == ((), Anchor.UNVERIFIABLE)


def test_support_beyond_the_passage_is_cut_and_shown_in_its_neighbour(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": "up to 105 days. Survival falls"})
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.cut is True
    assert passage.highlights == (Span(38, 53),)
    assert passage.after_highlights == (Span(0, 15),)
    assert [piece.text for piece in passage.after_pieces if piece.highlighted] == [
        " Survival falls"
    ]


@pytest.mark.parametrize(
    "support",
    [
        {"start": 40, "end": 49},
        {"start": 40, "end": 49, "unit": "utf16"},
        {"start": 14, "end": 23, "in": "chunk"},
    ],
)
def test_support_interval_in_document_or_chunk(
    workspace: Workspace, support: dict[str, object]
) -> None:
    nodes = cited(workspace, {"chunk": "c1", "support": support})
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.highlights == (Span(14, 23),)


def test_a_fact_shows_the_chunk_that_it_was_taken_from(workspace: Workspace) -> None:
    fact = record(
        "fact", "f1", subject_of="c1", subject="larvae", predicate="drift", object="105 days"
    )
    nodes = load(
        workspace,
        corals(),
        rivers(),
        [fact],
        reef(TEXT, [(0, 26)], [{"fact": "f1", "quote": "105 days"}]),
    )
    card = shown_card(workspace, nodes, "q0")
    assert card.chunk_uid == nodes["f1"].uid
    assert card.passage is not None
    assert card.passage.text == "Larvae remain competent to settle for up to 105 days."
    assert card.passage.highlights == (Span(44, 52),)


def test_markup_in_a_passage_is_text(workspace: Workspace) -> None:
    chunk = "<script>alert(1)</script><img src=x onerror=alert(2)> revenue <b>rose</b> &amp; fell"
    nodes = load(
        workspace,
        [
            record("source", "s", title='"><svg onload=alert(3)>'),
            record("source_version", "v", source="s"),
            record("document", "d", source_version="v", text=chunk),
            record("chunk", "c1", document="d", interval={"start": 0, "end": len(chunk)}),
        ],
        reef(
            TEXT,
            [(0, 26)],
            [{"chunk": "c1", "quote": "revenue <b>rose</b>", "support": {"start": 54, "end": 73}}],
        ),
    )
    card = shown_card(workspace, nodes, "q0")
    assert card.passage is not None
    (span,) = card.passage.highlights
    assert (span.start, span.end) == (54, 73)
    assert "".join(piece.text for piece in card.passage.pieces) == chunk


@pytest.mark.parametrize(
    ("target", "kind", "code"),
    [
        ("s1", "correction", "corrected"),
        ("s1@1", "retraction", "retracted"),
        ("d1", "supersession", "superseded"),
        ("c1", "concern", "concern"),
        ("s1", "expiry", "expired"),
        ("s1@1", "license_change", "rights_changed"),
        ("parser-2", "defective_component", "defective"),
    ],
)
def test_a_case_upstream_is_the_status_and_a_notice(
    workspace: Workspace, target: str, kind: str, code: str
) -> None:
    nodes = cited(workspace, {"chunk": "c1"}, {"chunk": "r1"})
    case = withdraw(workspace, nodes[target], kind)
    if kind == "defective_component":
        # A defective component reaches what its runs made.
        withdraw(workspace, nodes["parse-1"], kind)
    card = shown_card(workspace, nodes, "q0")
    assert (card.status.code, card.status.case_kind, card.reason) == (code, kind, kind)
    assert case.case.uid in [notice.case_uid for notice in card.notices]
    assert nodes[target].uid in [notice.node_uid for notice in card.notices]
    assert card.passage is not None
    other = shown_card(workspace, nodes, "q1")
    assert (other.status.code, other.notices) == ("not_checked", ())


def test_the_gravest_of_several_cases_is_shown(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1"})
    retraction = withdraw(workspace, nodes["s1"], "retraction")
    withdraw(workspace, nodes["d1"], "correction")
    withdraw(workspace, nodes["c1"], "supersession")
    card = shown_card(workspace, nodes, "q0")
    assert card.status == Status("retracted", retraction.at, retraction.case.uid, "retraction")
    assert sorted(notice.case_kind for notice in card.notices) == [
        "correction",
        "retraction",
        "supersession",
    ]
    assert card.standing == "fallen"


def test_revocation_hides_the_passage_and_the_quote_but_not_the_work(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    withdraw(workspace, nodes["s1@1"], "revocation")
    card = shown_card(workspace, nodes, "q0")
    assert (card.passage, card.quote, card.passage_hidden) == (None, None, "revocation")
    assert (card.status.code, card.reason) == ("revoked", "revocation")
    assert card.bibliography is not None
    assert card.bibliography.title == "Dispersal of corals"


def test_erasure_of_a_work_leaves_neither_passage_nor_facts(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    withdraw(workspace, nodes["s1"], "erasure")
    card = shown_card(workspace, nodes, "q0")
    assert (card.passage, card.quote, card.passage_hidden) == (None, None, "erasure")
    assert (card.status.code, card.bibliography) == ("erased", None)


def test_another_group_sees_the_shape_only(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        corals(acl=["marine"]),
        rivers(),
        reef(TEXT, [(0, 26)], [{"chunk": "c1", "quote": QUOTE, "attributes": {"note": "secret"}}]),
    )
    withdraw(workspace, nodes["s1"], "correction")
    card = shown_card(workspace, nodes, "q0", "rivers")
    assert card.hidden is True
    assert (card.bibliography, card.passage, card.quote, card.claim_text) == (None,) * 4
    assert (card.candidates, card.runs, card.notices, card.flags, card.attributes) == (
        (), (), (), (), {},
    )  # fmt: skip
    assert (card.passage_hidden, card.status.code) == ("access", "hidden")
    assert card.marker == "[1]"
    everything = repr(card)
    for secret in ("Dispersal", "Author", "Open Press", "competent", "Larvae", "secret"):
        assert secret not in everything
    for groups in (("marine",), ("rivers", "marine")):
        assert shown_card(workspace, nodes, "q0", *groups).quote == QUOTE
    assert citation_card(reader(workspace, sees_all=True), nodes["q0"].uid).quote == QUOTE


def test_a_reused_key_keeps_the_old_passage(workspace: Workspace) -> None:
    later = "2026-04-01T10:00:00Z"
    nodes = cited(workspace, {"chunk": "c1"})
    load(
        workspace,
        [
            record("document", "d1", at=later, source_version="s1@1", text="Something else now."),
            record("chunk", "c1", at=later, document="d1", interval={"start": 0, "end": 14}),
        ],
    )
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.text == "Larvae remain competent to settle for up to 105 days."


def test_many_cards_cost_as_much_as_one(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    every: list[dict[str, object]] = [{"chunk": c} for c in ("c1", "r1", "c2", "r2", "c3")]
    nodes = cited(workspace, *every)
    seen_by = reader(workspace, "marine")
    for count in (1, 5):
        some = list(
            Node.objects.filter(pk__in=[nodes[f"q{at}"].pk for at in range(count)]).order_by("pk")
        )
        # Citations, what is upstream of them (2), who sees it (2), cases (2), texts.
        with django_assert_num_queries(8), django_assert_num_queries(1, using="keys"):
            shown = cards(seen_by, some)
        assert [card.uid for card in shown] == [node.uid for node in some]
    assert cards(seen_by, []) == []
