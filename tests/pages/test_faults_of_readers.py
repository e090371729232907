"""Faults that readers met in other products, on the card as a page and over the API (reports beside each)."""

from typing import Any

import pytest
from django.test import Client

from citations.card import citation_card
from lineage.models import Node
from lineage.types import NotFound
from provexplorer.workspaces.models import Workspace
from tests.nodes.world import viewer, withdraw
from tests.pages.world import member, record, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

EMOJI = "🤔🤔🤔🤔:thinking about provenance"


def cited(text: str, *citations: dict[str, Any], **chunk: Any) -> list[dict[str, Any]]:
    """A document that is one passage, and an answer that cites it."""
    return [
        record("source", "s", title="S", creators=[{"name": "A"}], uri="https://example.org/s"),
        record("source_version", "s@1", source="s", license="CC0-1.0"),
        record("document", "d", source_version="s@1", text=text),
        record("chunk", "c", document="d", interval={"start": 0, "end": len(text)}, **chunk),
        record("context", "x", items=[{"chunk": "c", "position": 1}]),
        record("answer", "a", context="x", question="What?", text="So it is. [1]"),
        record("claim", "k", answer="a", interval={"start": 0, "end": 9}),
        *(
            record("citation", f"q{n}", **{"claim": "k", "marker": "[1]", "chunk": "c", **citation})
            for n, citation in enumerate(citations)
        ),
    ]


def shown(client: Client, workspace: Workspace, key: str) -> tuple[dict[str, Any], str]:
    """The citation as JSON and as a page."""
    address = uid(workspace, "citation", key)
    return (
        client.get(f"/api/v1/citations/{address}").json(),
        client.get(f"/citations/{address}").content.decode(),
    )


def test_offsets_in_other_units_mark_the_same_words_or_none(workspace: Workspace) -> None:
    """tilgovi/dom-anchor-text-position#6: every character beyond the BMP shifted the highlight."""
    units: list[dict[str, Any]] = [
        {"start": 4, "end": 13}, {"start": 8, "end": 17, "unit": "utf16"},
        {"start": 16, "end": 25, "unit": "utf8"},
    ]  # fmt: skip
    without = [{"support": interval} for interval in units]
    wrong = {"support": {"start": 8, "end": 17}, "quote": ":thinking"}
    inside = {"support": {"start": 1, "end": 8, "unit": "utf16"}}
    send(workspace, cited(EMOJI, *without, wrong, inside))
    client = member(workspace)
    for key, anchor in (("q0", "exact"), ("q1", "exact"), ("q2", "exact"), ("q3", "relocated")):
        card, page = shown(client, workspace, key)
        assert card["passage"]["highlights"] == [{"start": 4, "end": 13}]
        assert card["passage"]["anchor"] == card["passage"]["grade"] == anchor
        assert "<mark>:thinking</mark>" in page
    card, page = shown(client, workspace, "q4")
    assert card["passage"]["highlights"] == []
    assert "<mark>" not in page


def test_the_first_page_is_page_1_and_the_api_says_what_it_counts(workspace: Workspace) -> None:
    """param20h/PDF-Assistant-RAG#19: the first page was shown as "Page 0"."""
    pages = [
        record("part", "p0", document="d", part_kind="page", page_index=0, interval={"start": 0, "end": 9}),
        record("part", "p1", document="d", part_kind="page", page_index=1, interval={"start": 9, "end": 18}),
    ]  # fmt: skip
    records = cited(
        "Page one.Page two.", {"quote": "one"}, {"quote": "two"}, {"quote": "three and four"}
    )
    send(workspace, [*records, *pages])
    client = member(workspace)
    for key, index, number in (("q0", 0, 1), ("q1", 1, 2)):
        card, page = shown(client, workspace, key)
        assert card["passage"]["page"] == {"index": index, "label": None}
        assert f"page {number}<" in page
        assert "page 0" not in page.lower()
    # Nothing is marked: the page is what is known, and the card says so.
    card, page = shown(client, workspace, "q2")
    assert (card["passage"]["highlights"], card["passage"]["grade"]) == ([], "page")
    assert "only the page is known" in page


def test_the_source_opens_at_the_words(workspace: Workspace) -> None:
    send(
        workspace,
        cited(
            "So it is said here. And more.",
            {"quote": "it is said here"},
            {"quote": "nowhere at all"},
        ),
    )
    client = member(workspace)
    card, page = shown(client, workspace, "q0")
    assert card["deep_link"] == "https://example.org/s#:~:text=it%20is%20said%20here"
    assert f'href="{card["deep_link"]}"' in page
    assert "Open at the source" in page
    card, page = shown(client, workspace, "q1")
    assert card["deep_link"] == card["source_address"] == "https://example.org/s"
    assert "Open the source" in page


def test_a_cached_answer_is_stale_once_its_source_was_corrected(workspace: Workspace) -> None:
    """HKUDS/LightRAG#755, #1041: the same question was answered from the cache, as if nothing had changed."""
    send(workspace, cited("So it is.", {"quote": "So it is."}))
    version = Node.objects.get(workspace=workspace, kind="source_version", key="s@1")
    withdraw(workspace, version, "correction")
    send(
        workspace, [record("answer", "again", question="What?", text="So it is.", served_from="a")]
    )
    client = member(workspace)
    states = {
        key: client.get(f"/api/v1/answers/{uid(workspace, 'answer', key)}").json()
        for key in ("a", "again")
    }
    assert {key: state["state"] for key, state in states.items()} == {
        "a": "stale",
        "again": "stale",
    }
    assert [reason["grade"] for reason in states["again"]["reasons"]] == ["served"]


def test_a_citation_of_another_workspace_is_unknown_in_every_form(workspace: Workspace) -> None:
    """infiniflow/ragflow#15027, #14618: another tenant's passages came back for their id."""
    send(workspace, cited("So it is.", {"quote": "So it is."}))
    address = uid(workspace, "citation", "q0")
    other = Workspace.objects.create(slug="another", name="another")
    with pytest.raises(NotFound):
        citation_card(viewer(other), address)
    client = member(other)
    for form in ("", "/annotation"):
        foreign = client.get(f"/api/v1/citations/{address}{form}")
        unknown = client.get(f"/api/v1/citations/cit_{'a' * 26}{form}")
        assert (foreign.status_code, foreign.content) == (404, unknown.content)
