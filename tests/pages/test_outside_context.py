"""Claims that cite nothing the model was given: the banner, the signs, the rail and the API tell of the same."""

import re
from typing import Any

import pytest
from django.test import Client

from provexplorer.workspaces.models import Workspace
from tests.pages.world import member, record, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

# Bug case D04 (a citation of [999] against one source passed as grounded).
ANSWER = "Revenue grew 8% [999]. Costs fell [2]. Cash rose [k2]."
CLAIMS = ((0, 15), (23, 33), (39, 48))
CITATIONS: tuple[dict[str, Any], ...] = (
    {"marker": "[999]", "position": 999},
    {"marker": "[2]", "position": 2},
    {"marker": "[k2]", "chunk": "k2"},
)


def sent(workspace: Workspace, *, context: bool = True, more: bool = False) -> Client:
    """The answer of the case; `more`: its last claim cites what the model was given, too."""
    send(workspace, [
        record("source", "s", title="Figures"),
        record("source_version", "s@1", source="s"),
        record("document", "d", source_version="s@1", text="One. Two."),
        record("chunk", "k1", document="d", interval={"start": 0, "end": 4}),
        record("chunk", "k2", document="d", interval={"start": 5, "end": 9}),
        record("retrieval", "r", candidates=[{"chunk": "k1", "kept": True}, {"chunk": "k2"}]),
        *([record("context", "x", retrieval="r", items=[{"chunk": "k1", "position": 1}])] if context else []),
        record("answer", "a", context="x", text=ANSWER),
        *(record("claim", f"c{at}", answer="a", interval={"start": start, "end": end})
          for at, (start, end) in enumerate(CLAIMS)),
        *(record("citation", f"q{at}", claim=f"c{at}", **each) for at, each in enumerate(CITATIONS)),
        *([record("citation", "q3", claim="c2", marker="[k1]", chunk="k1")] if more else []),
    ])  # fmt: skip
    return member(workspace)


def read(client: Client, workspace: Workspace) -> tuple[str, str, str]:
    """Banner, text and rail in words."""
    page = client.get(f"/answers/{uid(workspace, 'answer', 'a')}").content.decode()
    banner = re.findall(r'<section class="banner.*?</section>', page, re.DOTALL)
    (text,) = re.findall(r'<div class="answer-text".*?</section>', page, re.DOTALL)
    (rail,) = re.findall(r'<aside class="rail".*?</aside>', page, re.DOTALL)
    said = [re.sub(r"<svg.*?</svg>|<[^>]*>", " ", part) for part in ("".join(banner), text, rail)]
    one, two, three = (re.sub(r"\s+", " ", part).strip() for part in said)
    return one, two, three


def test_all_three_are_counted_and_told_apart(workspace: Workspace) -> None:
    client = sent(workspace)
    banner, text, rail = read(client, workspace)
    assert "3 of 3 claims cite passages that the model was never given." in banner
    assert "[999] [2] : no such place in the context that the model was given" in banner
    assert "[k2] : cited, but not among what the model was given" in banner
    assert text.count("Cites nothing it was given") == 3 + 1  # each claim, and the legend
    assert "3 claims" in text
    assert (
        "Nothing that the model was given Cites nothing it was given"
        " no such place in the context that the model was given 999 2"
        " cited, but not among what the model was given k2" in rail
    )
    for key in ("q0", "q1", "q2"):
        card = client.get(f"/api/v1/citations/{uid(workspace, 'citation', key)}").json()
        assert card["in_context"] is False
        assert [flag["code"] for flag in card["flags"]] == ["citation_outside_context"], key


def test_a_claim_that_also_cites_what_was_given_is_not_counted(workspace: Workspace) -> None:
    banner, text, rail = read(sent(workspace, more=True), workspace)
    assert "2 of 3 claims cite passages that the model was never given." in banner
    assert "[k2]" not in banner
    assert text.count("Cites nothing it was given") == 2 + 1
    # The rail lists markers, not claims.
    assert "cited, but not among what the model was given k2" in rail


def test_nothing_lies_outside_while_nobody_recorded_what_the_model_was_given(
    workspace: Workspace,
) -> None:
    banner, text, rail = read(sent(workspace, context=False), workspace)
    assert "never given" not in banner
    assert "Cites nothing it was given" not in text + rail
    assert "Source not known yet 999 2" in rail
