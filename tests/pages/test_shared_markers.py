"""A printed marker that stands for several citations: printed once, and each of them can be told and reached."""

import re
from typing import Any

import pytest

from citations.answer import Paragraph
from citations.pages.reading import reading
from citations.shared_markers import Part, labels_of, parts_of
from citations.templatetags.passages import opens
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reef, rivers
from tests.pages.test_reading import card, page, text
from tests.pages.test_reading import marker as standing
from tests.pages.world import member

ANSWER = "Larvae drift [1, 2]. Silt falls [1-3]."
CLAIMS = [(0, 12), (21, 31)]
CITATIONS: list[dict[str, Any]] = [
    {"claim": f"k{at}", "marker": marker, "position": position}
    for at, marker, positions in ((0, "[1, 2]", (1, 2)), (1, "[1-3]", (1, 2, 3)))
    for position in positions
]


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("marker", "labels", "expected"),
    [
        (
            "[1, 2]",
            {"a": "1", "b": "2"},
            [("[", None), ("1", "a"), (", ", None), ("2", "b"), ("]", None)],
        ),
        (
            "[1-3]",
            {"a": "1", "b": "2", "c": "3"},
            [("[", None), ("1", "a"), ("-", None), ("3", "c"), ("]", None)],
        ),
        # A number is whole, and leads to one citation alone.
        ("[12, 1, 1]", {"a": "1"}, [("[12, ", None), ("1", "a"), (", 1]", None)]),
        ("[1]", {"a": "1/2", "b": "2/2"}, [("[1]", None)]),
        ("", {"a": "1"}, []),
    ],
)
def test_parts_of_a_marker(
    marker: str, labels: dict[str, str], expected: list[tuple[str, str | None]]
) -> None:
    assert parts_of(marker, labels) == tuple(Part(*each) for each in expected)


@pytest.mark.engine_free
def test_citations_without_positions_of_their_own_are_told_by_their_place() -> None:
    cards = (card("q"), card("p"), card("r"))  # all of position 1
    shown = page(
        Paragraph((text("A"), standing("q", "p", "unknown")), ("q", "p")),
        Paragraph((standing("r"), standing("unknown")), ("r",)),
        cards=cards,
    )
    assert labels_of(shown.paragraphs, cards) == {"q": "1/2", "p": "2/2"}
    markers = reading(shown).paragraphs[0].stretches[1]
    html = str(opens(markers, 1))
    assert re.sub(r"<[^>]*>", "|", html) == "|[1]||1/2||2/2|"
    assert re.findall(r'aria-label="([^"]*)"', html) == [
        "Citation [1] (1/2). Not checked", "Citation [1] (2/2). Not checked",
    ]  # fmt: skip


def answer(workspace: Workspace) -> dict[str, Node]:
    return load(workspace, corals(), rivers(), reef(ANSWER, CLAIMS, CITATIONS))


def chips(part: str) -> list[tuple[str, str, str]]:
    """Citation, name and what is shown of each marker."""
    return re.findall(
        r'<a class="marker[^>]*href="[^"]*(cit_\w+)"[^>]*aria-label="(Citation [^":.]*)[^>]*>([^<]*)</a>',
        part,
    )


NAMED = [
    ("q0", "Citation [1, 2] (1)", "1"),
    ("q1", "Citation [1, 2] (2)", "2"),
    ("q2", "Citation [1-3] (1)", "1"),
    ("q3", "Citation [1-3] (2)", "2"),
    ("q4", "Citation [1-3] (3)", "3"),
]


@pytest.mark.django_db
@pytest.mark.one_pair
def test_the_page_prints_a_marker_once_and_each_of_its_citations_opens(
    workspace: Workspace,
) -> None:
    nodes = answer(workspace)
    client = member(workspace)
    whole = client.get(f"/answers/{nodes['a'].uid}").content.decode()
    body, _, rail = whole.partition('class="rail"')
    (printed,) = re.findall(r'<div class="answer-text".*?</p>', body, re.DOTALL)
    expected = [(nodes[key].uid, name, shown) for key, name, shown in NAMED]
    assert chips(printed) == expected
    said = re.sub(
        r'<span class="sign.*?</span>', "", re.sub(r'<a class="marker.*?</a>', "#", printed)
    )
    assert re.sub(r"<[^>]*>", "", said).strip() == "Larvae drift [#, #]. Silt falls [1-3]###."
    # The rail tells them apart, too: by document, then the one that leads to nothing.
    assert sorted(chips(rail)) == sorted(expected)
    paper = client.get(f"/answers/{nodes['a'].uid}/print").content.decode()
    (printed,) = re.findall(r'<div class="answer-text".*?</p>', paper, re.DOTALL)
    assert chips(printed) == expected
    expanded = client.get(f"/answers/{nodes['a'].uid}?expand=all").content.decode()
    assert expanded.count('aria-expanded="true"') == 5
    assert expanded.count('<article class="card') == 5


@pytest.mark.django_db
@pytest.mark.one_pair
def test_copies_print_a_marker_once_and_lead_to_each_citation(workspace: Workspace) -> None:
    nodes = answer(workspace)
    client = member(workspace)
    uids = {node.uid: key for key, node in nodes.items()}
    printed = "Larvae drift [{q0:1}, {q1:2}]. Silt falls [{q2:1}-{q4:3}]."
    # Beside a reference its own citations alone; a number within a range stands behind it.
    listed = {
        "Dispersal of corals": "[{q0:1}, 2][{q2:1}-3]",
        "Silt": "[1, {q1:2}][1-3] ({q3:2})",
        "No passage stands behind": "[1-{q4:3}]",
    }
    for form, link, begins in (
        ("html", r'<a href="[^"]*/citations/(cit_\w+)">(.*?)</a>', "<li>"),
        ("md", r"\[([^\[\]]+)\]\(<[^>]*/citations/(cit_\w+)>\)", "- "),
    ):
        copy = client.get(f"/answers/{nodes['a'].uid}/copy.{form}").content.decode()
        copy = copy.replace("\\", "")

        def named(found: re.Match[str]) -> str:
            uid, label = sorted(found.groups(), key=len, reverse=True)
            return f"{{{uids[uid]}:{label}}}"

        lines = re.sub(link, named, copy).splitlines()
        assert [line for line in lines if printed in line] != [], form
        for words, markers in listed.items():
            (line,) = [each for each in lines if words in each and each.startswith(begins)]
            assert line.startswith(f"{begins}{markers} "), form
