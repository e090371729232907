"""The citation card: every fact as stated, the passage in its place, and what is kept back."""

from datetime import UTC, datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from citations.bibliography import Creator
from citations.card import Candidate, cards, citation_card
from citations.status import Status
from lineage.models import Node
from lineage.types import Moved, NotFound
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reader, reef, rivers, shown_answer, shown_card
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
    assert card.context_uid == nodes["ctx"].uid
    assert (card.reason, card.status.code) == ("citation_outside_context", "unknown")
    assert (card.position, card.chunk_uid, card.source_uid) == (5, None, None)
    assert card.marker == "[1]"
    assert card.claim_text == "Larvae drift for 105 days."


def test_chunk_outside_of_the_context_is_shown_and_told(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c2"})
    card = shown_card(workspace, nodes, "q0")
    assert (card.in_context, card.context_uid, card.reason) == (False, nodes["ctx"].uid, None)
    assert [flag.code for flag in card.flags] == ["citation_outside_context"]
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
    assert (card.in_context, card.context_uid, card.reason) == (False, None, None)
    assert card.bibliography is not None
    assert shown_answer(workspace, nodes).rail.outside == ()


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
        # Citations, what is withheld, what is upstream of them (2), who sees it (2), texts, cases.
        with django_assert_num_queries(9), django_assert_num_queries(1, using="keys"):
            shown = cards(seen_by, some)
        assert [card.uid for card in shown] == [node.uid for node in some]
    assert cards(seen_by, []) == []
