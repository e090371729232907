"""An answer to paste elsewhere: every marker leads to its citation, and nothing becomes markup."""

from typing import Any

import pytest
from django.utils import translation
from markdown_it import MarkdownIt

from citations.exports.fragment import Copied, copied
from citations.exports.works import cited_works
from lineage.models import Node
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reef, rivers, shown_answer, withdraw
from tests.ingest.sending import record

pytestmark = pytest.mark.django_db

BASE = "https://provenance.example.org"
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


def of(workspace: Workspace, nodes: dict[str, Node], *groups: str) -> Copied:
    with translation.override("en"):
        return copied(shown_answer(workspace, nodes, *groups), "apa", base=BASE)


def test_html_keeps_markers_and_lists_what_stands_behind_them(workspace: Workspace) -> None:
    nodes = told(workspace)
    q0, q1, q2 = (
        f'<a href="{BASE}/citations/{nodes[key].uid}">[{marker}]</a>'
        for key, marker in (("q0", 1), ("q1", 2), ("q2", 9))
    )
    answer = f"{BASE}/answers/{nodes['a'].uid}"
    assert of(workspace, nodes).html == (
        '<div lang="en">\n'
        "<p><strong>How long can larvae drift?</strong></p>\n"
        f"<p>Larvae remain competent to settle for up to 105 days {q0}. "
        f"Silt smothers corals {q1}.</p>\n"
        f"<p>Nobody knows more [Cites nothing it was given] {q2}.</p>\n"
        "<p><strong>References</strong></p>\n"
        "<ul>\n"
        f"<li>{q0} A. Author, &amp; B. Author. (2003). Dispersal of corals. "
        "<i>Journal of Reefs</i>. https://doi.org/10.1234/corals"
        " — version 1; retrieved 2026-02-01; licence as stated: CC-BY-4.0</li>\n"
        f"<li>{q1} <i>Silt</i>. (n.d.). — retrieved 2026-03-01</li>\n"
        f"<li>{q2} No passage stands behind this marker</li>\n"
        "</ul>\n"
        f'<p>As of {clock.now():%Y-%m-%d}: <a href="{answer}">{answer}</a></p>\n'
        "</div>\n"
    )


def test_markdown_says_the_same(workspace: Workspace) -> None:
    nodes = told(workspace)
    q0, q1, q2 = (
        f"[\\[{marker}\\]](<{BASE}/citations/{nodes[key].uid}>)"
        for key, marker in (("q0", 1), ("q1", 2), ("q2", 9))
    )
    address = f"{BASE}/answers/{nodes['a'].uid}"
    assert of(workspace, nodes).markdown == (
        "**How long can larvae drift?**\n\n"
        f"Larvae remain competent to settle for up to 105 days {q0}. "
        f"Silt smothers corals {q1}.\n\n"
        f"Nobody knows more \\[Cites nothing it was given\\] {q2}.\n\n"
        "**References**\n\n"
        f"- {q0} A. Author, \\& B. Author. (2003). Dispersal of corals. "
        "Journal of Reefs. https://doi.org/10.1234/corals"
        " — version 1; retrieved 2026-02-01; licence as stated: CC-BY-4.0\n"
        f"- {q1} Silt. (n.d.). — retrieved 2026-03-01\n"
        f"- {q2} No passage stands behind this marker\n\n"
        f"As of {clock.now():%Y-%m-%d}: "
        f"[{address.replace('_', chr(92) + '_')}](<{address}>)\n"
    )


def test_an_answer_that_does_not_hold_says_so_first(workspace: Workspace) -> None:
    nodes = told(workspace)
    case = withdraw(workspace, nodes["s1"], "retraction")
    found = of(workspace, nodes)
    assert found.markdown.startswith("**Stale: Retraction**\n\n**How long")
    assert "days [Fallen] <a href=" in found.html
    assert f"Retracted ({case.at:%Y-%m-%d}); version 1;" in found.markdown


def test_a_hidden_source_is_told_by_its_marker_alone(workspace: Workspace) -> None:
    nodes = told(workspace, acl=["marine"])
    found = of(workspace, nodes, "rivers")
    for text in (found.html, found.markdown):
        assert "A source that is not visible to you" in text
        assert "hidden: from a source that is not visible to you" in text
        for secret in ("competent", "Dispersal", "Author", "Open Press", "10.1234"):
            assert secret not in text
    assert "competent" in of(workspace, nodes, "marine").html


HOSTILE = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/p.png)",
    "<https://evil.example>",
    "`code` *strong* _em_ ~~gone~~ | a | $x$",
    "&lt;b&gt; \\*",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_an_answer_becomes_markup(workspace: Workspace, text: str) -> None:
    nodes = load(
        workspace, [record("answer", "a", question=text, text=f"{text}\n- {text}\n1. {text}\n# x")]
    )
    found = of(workspace, nodes)
    assert "<script" not in found.html
    tokens = MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(found.markdown)
    kinds = {token.type for token in tokens}
    inline = {child.type for token in tokens for child in token.children or ()}
    # A link is that of the answer itself.
    assert kinds == {"paragraph_open", "inline", "paragraph_close"}
    assert inline == {
        "text", "strong_open", "strong_close", "hardbreak", "link_open", "link_close",
    }  # fmt: skip
    spoken = "".join(
        child.content for token in tokens for child in token.children or () if child.type == "text"
    )
    assert spoken.count(text) == 4


def test_a_direction_override_is_named(workspace: Workspace) -> None:
    nodes = load(workspace, [record("answer", "a", question="Q", text="Revenue \u202erose.")])
    found = of(workspace, nodes)
    for text in (found.html, found.markdown):
        assert "Revenue U+202Erose." in text


def test_works_are_named_once_with_all_their_markers(workspace: Workspace) -> None:
    citations = [
        {"claim": "k0", "marker": "[1]", "chunk": "c1"},
        {"claim": "k1", "marker": "[2]", "chunk": "c2"},
        {"claim": "k1", "marker": "[3]", "chunk": "r1"},
    ]
    nodes = load(workspace, corals(), rivers(), reef(TEXT, CLAIMS, citations))
    cited = cited_works(shown_answer(workspace, nodes).cards)
    assert [(work.uid, [link.marker for link in work.citations]) for work in cited.works] == [
        (nodes["s1@1"].uid, ["[1]", "[2]"]), (nodes["s2@1"].uid, ["[3]"]),
    ]  # fmt: skip
    assert cited.works[0].pages == ("411",)
    assert cited.unnamed == ()
