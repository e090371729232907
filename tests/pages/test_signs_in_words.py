"""Claims that lie in one another or overlap: each is told in words where it ends, on the page and in what is taken along."""

import re
from typing import Any

import pytest

from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reef, rivers, withdraw
from tests.pages.world import member

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

TEXT = "One two three four."
FALLEN, OUTSIDE = "k0", "k1"
# Where the claim whose source was retracted stands, and the one that cites nothing; then what is read.
ARRANGED = [
    ((0, 18), (4, 7), "One two [OUTSIDE][2] three four [FALLEN][1]."),
    ((4, 7), (0, 18), "One two [FALLEN][1] three four [OUTSIDE][2]."),
    ((0, 7), (4, 13), "One two [FALLEN][1] three [OUTSIDE][2] four."),
    ((4, 13), (0, 7), "One two [OUTSIDE][2] three [FALLEN][1] four."),
    # Both end at one place: the graver is said.
    ((4, 7), (0, 7), "One two [FALLEN][2][1] three four."),
    ((0, 7), (4, 7), "One two [FALLEN][1][2] three four."),
]
WORDS = {"Fallen": "[FALLEN]", "Cites nothing it was given": "[OUTSIDE]"}


def read_aloud(page: str) -> str:
    """The answer's text without its markup; signs and markers stand in square brackets."""
    (text,) = re.findall(r'<div class="answer-text".*?</p>', page, re.DOTALL)
    text = re.sub(
        r'<span class="sign .*?</svg>(.*?)</span>', lambda found: f" {WORDS[found[1]]}", text
    )
    text = re.sub(r'<a class="marker.*?>\[?(\d)\]?</a>', r"[\1]", text)
    return re.sub(r"<[^>]*>", "", text).strip()


def pasted(copy: str, link: str) -> str:
    """The same of a copy: `link` is how a marker is written there."""
    text = re.sub(link, r"[\1]", copy)
    for said, sign in WORDS.items():
        text = text.replace(f"[{said}]", sign)
    return text


@pytest.mark.parametrize(("fallen", "outside", "expected"), ARRANGED)
def test_each_claim_is_told_where_it_ends(
    workspace: Workspace, fallen: tuple[int, int], outside: tuple[int, int], expected: str
) -> None:
    citations: list[dict[str, Any]] = [
        {"claim": FALLEN, "chunk": "c1"},
        {"claim": OUTSIDE, "position": 9},
    ]
    nodes = load(workspace, corals(), rivers(), reef(TEXT, [fallen, outside], citations))
    withdraw(workspace, nodes["s1"], "retraction")
    client = member(workspace)
    address = f"/answers/{nodes['a'].uid}"
    for form in ("", "/print"):
        assert read_aloud(client.get(address + form).content.decode()) == expected, form
    html = client.get(f"{address}/copy.html").content.decode()
    assert f"<p>{expected}</p>" in pasted(html, r'<a href="[^"]*">\[(\d)\]</a>')
    markdown = client.get(f"{address}/copy.md").content.decode().replace("\\", "")
    assert f"\n{expected}\n" in pasted(markdown, r"\[\[(\d)\]\]\(<[^>]*>\)")
