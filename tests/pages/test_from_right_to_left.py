"""Texts written from right to left: each stands by itself, so that nothing around it changes its place."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from citations.templatetags.passages import visible
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reef, rivers
from tests.pages.world import member

WORK = "מחקר (2020)."
# What the answer says: a paragraph in each direction.
ANSWER = "Larvae drift.\n\nהזחלים נסחפים."
# Fields that pages print as titles, names and headings.
STATED = {
    "title", "name", "container_title", "heading", "question", "model", "provider", "session", "version",
}  # fmt: skip
# Nothing can be set apart in these; the browser sets them as a whole.
PLAIN = {"title", "option", "textarea", "script"}
VOID = {"meta", "link", "input", "br", "img", "path", "use", "hr", "rect", "circle", "line"}


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WORK, f"<bdi>{WORK}</bdi>"),
        ("2020 دراسة", "<bdi>2020 دراسة</bdi>"),
        ("A study (2020).", "A study (2020)."),
        ("Études 研究", "Études 研究"),
        ("<b>מחקר", "<bdi>&lt;b&gt;מחקר</bdi>"),
        ("", ""),
    ],
)
def test_what_runs_from_right_to_left_is_set_apart(text: str, expected: str) -> None:
    assert visible(text) == expected


class Texts(HTMLParser):
    """The texts from right to left that stand in no element of their own direction, with where they stand."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.loose: list[str] = []
        self.seen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append((tag, tag == "bdi" or "dir" in dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not re.search("[\u0590-\u05ff]", data) or {tag for tag, _ in self.open} & PLAIN:
            return
        self.seen += 1
        if not any(apart for tag, apart in self.open if tag != "html"):
            self.loose.append(f"{' '.join(tag for tag, _ in self.open[-4:])}: {data.strip()}")


def loose(page: str) -> tuple[int, list[str]]:
    texts = Texts()
    texts.feed(page)
    return texts.seen, texts.loose


def stated(value: Any) -> Any:
    """The same with all that is stated of works and people from right to left."""
    if isinstance(value, list):
        return [stated(each) for each in value]
    if isinstance(value, dict):
        return {
            name: WORK if name in STATED and isinstance(each, str) else stated(each)
            for name, each in value.items()
        }
    return value


def paths(uids: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Pages, and how many such texts each has at least."""
    yield f"/answers/{uids['a']}?expand=all", 8
    yield f"/answers/{uids['a']}/print", 6
    yield f"/answers/{uids['a']}/references", 2
    yield f"/citations/{uids['q0']}", 4
    yield f"/sources/{uids['s1']}", 3
    yield f"/passages/{uids['c1']}", 1
    yield "/sources/", 1
    yield "/answers/", 1
    yield "/components/", 1
    yield "/search?q=2020", 1


@pytest.mark.django_db
@pytest.mark.one_pair
def test_every_title_name_and_heading_is_set_apart(workspace: Workspace) -> None:
    citations: list[dict[str, Any]] = [
        {"claim": "k0", "chunk": "c1"},
        {"claim": "k1", "chunk": "r1"},
    ]
    records = [*corals(), *rivers(), *reef(ANSWER, [(0, 12), (15, 29)], citations)]
    nodes = load(workspace, stated(records))
    uids = {key: node.uid for key, node in nodes.items()}
    client = member(workspace, "editor")
    for path, least in paths(uids):
        seen, found = loose(client.get(path).content.decode())
        assert found == [], path
        assert seen >= least, path


@pytest.mark.django_db
@pytest.mark.one_pair
def test_each_paragraph_has_its_own_direction_and_cards_have_none_of_it(
    workspace: Workspace,
) -> None:
    nodes = load(workspace, corals(), rivers(), reef(ANSWER, [(0, 12)], [{"chunk": "c1"}]))
    page = member(workspace).get(f"/answers/{nodes['a'].uid}?expand=all").content.decode()
    (text,) = re.findall(r'<div class="answer-text"([^>]*)>(.*?)</section>', page, re.DOTALL)
    assert text[0] == ""
    assert re.findall(r'<p dir="auto">(?:<span[^>]*>|</span>)*([^<]+)', text[1])[:2] == [
        "Larvae drift", "הזחלים נסחפים.",
    ]  # fmt: skip
