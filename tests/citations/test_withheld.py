"""Words of a hidden source that an answer repeats show nowhere: not on its page, nor piece by piece."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from citations.answer import answer_page
from citations.card import citation_card
from lineage.models import Node
from lineage.nodes import node as node_view
from lineage.nodes import search, views
from lineage.nodes.lists import answers
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, load, source, viewer

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

SECRET = "Alpha has been found to be exactly one in every case that was looked at."
Nodes = dict[str, Node]


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


@pytest.fixture
def nodes(workspace: Workspace) -> Nodes:
    """An answer cites what all may see; it was given something hidden, too, and repeats it."""
    question = SECRET[:60]
    candidates = [
        {"chunk": chunk, "rank": rank, "kept": True} for rank, chunk in enumerate(("o-c", "s-c"), 1)
    ]
    items = [{"chunk": "o-c", "position": 1}, {"chunk": "s-c", "position": 2}]
    end = len(SECRET)
    return load(
        workspace,
        source("s", SECRET, acl=["staff"]),
        source("o", ALPHA),
        [
            record("retrieval", "r", query=question, candidates=candidates),
            record("context", "x", retrieval="r", items=items),
            record("answer", "a", context="x", question=question, text=SECRET + " [1] [9]"),
            record("claim", "k", answer="a", interval={"start": 0, "end": end}),
            record("claim", "uncited", answer="a", interval={"start": 0, "end": end - 30}),
            record("citation", "q", claim="k", marker="[1]", chunk="o-c"),
            record("citation", "stray", claim="uncited", marker="[9]", position=9, quote=SECRET),
            record("answer", "copy", served_from="a", question="Again?", text=SECRET),
            record("claim", "copied", answer="copy", interval={"start": 0, "end": end}),
        ],
    )


def by_node(key: str) -> Callable[[Viewer, Nodes], Any]:
    return lambda reader, nodes: node_view(reader, nodes[key].uid)


SHOWN: dict[str, Callable[[Viewer, Nodes], Any]] = {
    "answer": lambda reader, nodes: answer_page(reader, nodes["a"].uid),
    "copy": lambda reader, nodes: answer_page(reader, nodes["copy"].uid),
    "card": lambda reader, nodes: citation_card(reader, nodes["q"].uid),
    "card of nothing": lambda reader, nodes: citation_card(reader, nodes["stray"].uid),
    "list": lambda reader, _: answers(reader),
    "search": lambda reader, nodes: search(reader, nodes["a"].uid),
    "many": lambda reader, nodes: views(reader, list(nodes.values())),
    **{key: by_node(key) for key in ("k", "uncited", "stray", "r", "copied")},
}


def repeated(shown: object) -> bool:
    """Whether forty code points of the secret stand in what is shown."""
    said = str(shown)
    return any(SECRET[at : at + 40] in said for at in range(len(SECRET) - 39))


@pytest.mark.parametrize("what", SHOWN)
def test_repeated_words_are_shown_to_none_but_those_who_may(
    workspace: Workspace, nodes: Nodes, what: str
) -> None:
    assert not repeated(SHOWN[what](viewer(workspace, "board"), nodes))
    assert repeated(SHOWN[what](viewer(workspace, "staff"), nodes))
    assert repeated(SHOWN[what](viewer(workspace, sees_all=True), nodes))


def test_a_claim_is_masked_as_its_answer_is(workspace: Workspace, nodes: Nodes) -> None:
    page = answer_page(viewer(workspace), nodes["a"].uid)
    claims = {claim.uid: claim for claim in page.claims}
    masked = "".join(" " if each == " " else "█" for each in SECRET)
    assert page.text == masked + " [1] [9]"
    assert claims[nodes["k"].uid].text == masked
    assert claims[nodes["uncited"].uid].text == masked[:-30]
    assert citation_card(viewer(workspace), nodes["q"].uid).claim_text == masked


def test_a_short_question_repeats_nothing(workspace: Workspace, nodes: Nodes) -> None:
    rows = {row.key: row.question for row in answers(viewer(workspace)).items}
    assert rows == {"a": None, "copy": "Again?"}
