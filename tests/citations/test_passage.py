"""The cited passage in its place: neighbours, span, headings, page, and its text as text."""

import pytest

from citations.card import Page
from citations.marks import Span
from lineage.vocabulary import Anchor
from provexplorer.workspaces.models import Workspace
from tests.citations.test_card import QUOTE, TEXT, cited
from tests.citations.world import corals, load, reef, rivers, shown_card
from tests.ingest.sending import record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_passage_stands_between_its_neighbours_with_its_span_marked(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.text == "Larvae remain competent to settle for up to 105 days."
    assert passage.before == "Corals spawn once a year. "
    assert passage.after == (
        " Survival falls below ten per cent by day 60. Currents alone do not explain it."
    )
    assert (passage.more_before, passage.more_after) == (False, False)
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
