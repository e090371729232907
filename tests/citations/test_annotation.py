"""Citations with selectors, and citations as Web Annotations: what is found, told and kept back."""

import json
from typing import Any

import pytest

from citations.annotation import annotation_of
from citations.card import citation_card
from citations.selectors import resolve
from lineage.formats.selectors import read_selectors
from lineage.models import Node, Sighting
from lineage.nodes import node
from lineage.types import Outcome
from lineage.vocabulary import Anchor
from provexplorer.workspaces.models import Workspace
from tests.citations.world import CORALS, corals, load, reader, reef, rivers, shown_card, withdraw
from tests.ingest.sending import record, send

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

BASE = "https://provenance.example"
TEXT = "Larvae drift for 105 days. [1]"
SELECTOR = {
    "type": "FragmentSelector",
    "conformsTo": "http://tools.ietf.org/rfc/rfc3778",
    "value": "page=7",
    "refinedBy": [
        {"type": "TextPositionSelector", "start": 40, "end": 59},
        {
            "type": "TextQuoteSelector",
            "exact": "competent to settle",
            "prefix": "pawn once a year. Larvae remain ",
            "suffix": " for up to 105 days. Survival fa",
        },
    ],
}


def cited(workspace: Workspace, **citation: Any) -> dict[str, Node]:
    return load(workspace, corals(), rivers(), reef(TEXT, [(0, 26)], [{"chunk": "c1", **citation}]))


def marked(workspace: Workspace, nodes: dict[str, Node]) -> tuple[str | None, str | None]:
    """The highlighted words of the card, and their grade."""
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    words = [passage.text[span.start : span.end] for span in passage.highlights]
    return (words[0] if words else None), passage.grade


def annotation(workspace: Workspace, nodes: dict[str, Node], *groups: str) -> Any:
    card = citation_card(reader(workspace, *groups), nodes["q0"].uid)
    return json.loads(json.dumps(annotation_of(card, BASE)))


@pytest.mark.parametrize(
    ("citation", "expected"),
    [
        ({"selector": SELECTOR}, ("competent to settle", "exact")),
        ({"selector": {"target": {"selector": SELECTOR}}}, ("competent to settle", "exact")),
        ({"selector": {"type": "TextPositionSelector", "start": 26, "end": 32}}, ("Larvae", "exact")),
        # The quote is the better word; the selector tells its places apart.
        ({"selector": SELECTOR, "quote": "105 days"}, ("105 days", "exact")),
        ({"quote": "t", "selector": {"type": "TextPositionSelector", "start": 48, "end": 49}}, ("t", "exact")),
        ({"quote": "t", "selector": {"type": "TextPositionSelector", "start": 26, "end": 27}}, (None, "page")),
        # Nothing that can be resolved: page 7 is known, and told.
        ({"selector": {"type": "CssSelector", "value": "#a"}}, (None, "page")),
        ({"quote": "Fish eat the larvae of most corals"}, (None, "page")),
        # Of another passage of the document.
        ({"selector": {"type": "TextQuoteSelector", "exact": "Currents alone"}}, (None, "page")),
    ],
)  # fmt: skip
def test_a_selector_is_resolved_where_the_record_says_nothing_better(
    workspace: Workspace, citation: dict[str, Any], expected: tuple[str | None, str]
) -> None:
    assert marked(workspace, cited(workspace, **citation)) == expected


def test_a_page_that_only_the_selector_names_is_the_page(workspace: Workspace) -> None:
    page = {"type": "FragmentSelector", "value": "page=3", "refinedBy": {"exact": "nowhere at all"}}
    nodes = load(
        workspace, rivers(), corals(), reef(TEXT, [(0, 26)], [{"chunk": "r1", "selector": page}])
    )
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert (passage.anchor, passage.grade, passage.highlights) == (Anchor.UNVERIFIABLE, "page", ())
    assert passage.page is not None
    assert (passage.page.index, passage.page.label) == (2, None)


def test_without_any_page_what_is_not_found_is_not_located(workspace: Workspace) -> None:
    nodes = load(
        workspace, rivers(), corals(), reef(TEXT, [(0, 26)], [{"chunk": "r1", "quote": "nowhere at all"}])
    )  # fmt: skip
    assert marked(workspace, nodes) == (None, "not_located")


def sent(workspace: Workspace, selector: Any, key: str = "q") -> Outcome:
    return send(
        workspace, [record("citation", key, claim="k", marker="[1]", chunk="c", selector=selector)]
    )[0]


def test_an_unknown_selector_is_kept_and_told(workspace: Workspace) -> None:
    selector = [
        SELECTOR,
        {"type": "SvgSelector", "id": "https://example.org/svg1"},
        {"type": "TextQuoteSelector"},
    ]
    outcome = sent(workspace, selector)
    assert outcome.status != "rejected"
    assert outcome.uid is not None
    assert node(reader(workspace), outcome.uid).fields["selector"] == selector
    told = [
        (w.code, w.pointer, w.detail) for w in outcome.warnings if w.code == "selector_unusable"
    ]
    assert told == [
        ("selector_unusable", "/selector/1", "a SvgSelector cannot be resolved in a text."),
        ("selector_unusable", "/selector/2", "a TextQuoteSelector has the words it selects in exact."),
    ]  # fmt: skip
    usable = sent(workspace, SELECTOR, key="other")
    assert [w.code for w in usable.warnings if "selector" in w.code] == []


def test_the_words_of_a_selector_are_in_no_row_in_the_clear(workspace: Workspace) -> None:
    nodes = cited(workspace, selector=SELECTOR)
    rows = [
        *Node.objects.filter(workspace=workspace).values_list("fields", "attributes", "flags"),
        *Sighting.objects.filter(workspace=workspace).values_list("fields", "attributes", "flags"),
    ]
    assert "competent" not in json.dumps(rows)
    assert set(nodes["q0"].fields["selector"]) == {"$text", "length"}


def test_a_citation_is_an_annotation_of_its_source(workspace: Workspace) -> None:
    nodes = cited(workspace, quote="competent to settle")
    assert annotation(workspace, nodes) == {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "id": f"{BASE}/api/v1/citations/{nodes['q0'].uid}/annotation",
        "type": "Annotation",
        "motivation": "linking",
        "body": f"{BASE}/answers/{nodes['a'].uid}#{nodes['k0'].uid}",
        "target": {
            "type": "SpecificResource",
            "source": "https://example.org/corals",
            "state": {"type": "TimeState", "sourceDate": "2026-02-01T08:00:00Z"},
            "selector": SELECTOR,
        },
    }
    selected = read_selectors(annotation(workspace, nodes))
    found = resolve(CORALS, selected, {6: (0, 100)})
    assert CORALS[found.start : found.end] == "competent to settle"


def test_what_was_sent_as_an_annotation_comes_back_as_one(workspace: Workspace) -> None:
    target = annotation(workspace, cited(workspace, selector=SELECTOR))["target"]
    assert target["selector"] == SELECTOR


def test_of_a_web_page_there_is_no_page_to_open(workspace: Workspace) -> None:
    nodes = load(
        workspace, corals(media_type="text/html"),
        rivers(), reef(TEXT, [(0, 26)], [{"chunk": "c1", "quote": "competent to settle"}]),
    )  # fmt: skip
    selector = annotation(workspace, nodes)["target"]["selector"]
    assert [one["type"] for one in selector] == ["TextPositionSelector", "TextQuoteSelector"]
    card = shown_card(workspace, nodes, "q0")
    assert card.deep_link == (
        "https://example.org/corals#:~:text=Larvae%20remain-,competent%20to%20settle,-for%20up%20to%20105"
    ).replace("Larvae%20remain", "a%20year.%20Larvae%20remain")


def test_of_a_pdf_the_page_opens(workspace: Workspace) -> None:
    nodes = load(
        workspace, corals(media_type="application/pdf"),
        rivers(), reef(TEXT, [(0, 26)], [{"chunk": "c1"}]),
    )  # fmt: skip
    assert shown_card(workspace, nodes, "q0").deep_link == "https://example.org/corals#page=7"


def test_a_hidden_source_is_no_target(workspace: Workspace) -> None:
    nodes = load(
        workspace, corals(acl=["board"]), rivers(),
        reef(TEXT, [(0, 26)], [{"chunk": "c1", "quote": "competent to settle", "selector": SELECTOR}]),
    )  # fmt: skip
    hidden = annotation(workspace, nodes)
    assert hidden["target"] == f"{BASE}/citations/{nodes['q0'].uid}"
    assert "competent" not in json.dumps(hidden)
    assert "corals" not in json.dumps(hidden)
    card = shown_card(workspace, nodes, "q0")
    assert (card.source_address, card.deep_link, card.passage) == (None, None, None)
    assert annotation(workspace, nodes, "board")["target"]["selector"] == SELECTOR


@pytest.mark.parametrize("kind", ["revocation", "erasure"])
def test_what_a_case_hides_is_quoted_nowhere(workspace: Workspace, kind: str) -> None:
    nodes = cited(workspace, quote="competent to settle", selector=SELECTOR)
    withdraw(workspace, nodes["s1"], kind)
    shown = annotation(workspace, nodes)
    assert "competent" not in json.dumps(shown)
    assert "selector" not in shown["target"]
    card = shown_card(workspace, nodes, "q0")
    assert card.deep_link == card.source_address
