"""The picture of a lineage as a page: bundles, words, the drawer, the file; what is hidden, erased or not there."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client, override_settings

from lineage.graph.projection import project
from lineage.impact import stages
from lineage.models import Node
from lineage.pages import lineage as lineage_page
from provexplorer.workspaces.models import Workspace
from tests.nodes.world import withdraw
from tests.pages.world import htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]

CHUNKS = 30
# Of the passage in a page.
SECRET = "&lt;b&gt;rose"
SVG = "{http://www.w3.org/2000/svg}"


def many() -> list[dict[str, object]]:
    """The small world, with 30 more chunks of its document, named by their headings."""
    chunks = [
        record(
            "chunk", f"c{n:02}", document="d", interval={"start": n, "end": n + 5},
            heading_path=[f"Section {n:02}"],
        )
        for n in range(CHUNKS)
    ]  # fmt: skip
    return [*world(), *chunks]


@pytest.fixture
def sent(workspace: Workspace) -> Workspace:
    send(workspace, many())
    project(workspace.pk)
    return workspace


def chunks_of(page: str) -> tuple[int, int, int]:
    """Chunks drawn as boxes, listed in the table, and counted at the head of the table's stage."""
    picture, _, table = page.partition("</figure>")
    rows = re.search(r'<tbody id="stage-4">(.*?)</tbody>', table, re.DOTALL)
    assert rows is not None
    total = re.search(r'class="soft">(?:≥ )?(\d+)</span></th>', rows[1])
    assert total is not None
    return (
        len(re.findall(r'data-uid="chk_', picture)),
        len(re.findall(r'<a class="written" href="/lineage/chk_', rows[1])),
        int(total[1]),
    )


def page_of(client: Client, workspace: Workspace, query: str = "") -> str:
    response = client.get(f"/lineage/{uid(workspace, 'document', 'd')}{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_picture_and_table_show_as_many_and_count_the_same(sent: Workspace) -> None:
    client = member(sent)
    closed = page_of(client, sent)
    assert chunks_of(closed) == (7, 7, 31)
    assert "7 of 31" in closed
    assert chunks_of(page_of(client, sent, "?open=chunk")) == (25, 25, 31)
    assert chunks_of(page_of(client, sent, "?open=chunk:2")) == (31, 31, 31)
    numbers = {
        stage: int(total)
        for stage, total in re.findall(
            r'<tbody id="stage-(\d)">\s*<tr.*?class="soft">(\d+)</span></th>', closed, re.DOTALL
        )
    }
    said = re.search(r"(\d+) nodes", closed)
    assert said is not None
    assert sum(numbers.values()) == int(said[1])


def test_a_bundle_is_searched_by_name_and_by_text(sent: Workspace) -> None:
    client = member(sent)
    named = page_of(client, sent, "?in_chunk=section+07")
    assert chunks_of(named) == (1, 1, 31)
    assert "Section 07" in named
    assert "1 matches" in named
    assert chunks_of(page_of(client, sent, "?in_chunk=revenue")) == (1, 1, 31)
    nothing = page_of(client, sent, "?in_chunk=%3Cscript%3E&in_answer=nothing+such")
    assert chunks_of(nothing)[2] == 31
    assert 'value="&lt;script&gt;"' in nothing


def test_a_walk_that_was_cut_says_that_its_numbers_are_at_least_and_still_shows_answers(
    sent: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is prepared knows all 31 chunks and both answers, however early the walk ends."""
    monkeypatch.setattr(lineage_page, "MOST_NODES", 20)
    client = member(sent)
    down = page_of(client, sent, "?direction=down")
    drawn, listed, total = chunks_of(down)
    assert drawn == listed == 7
    assert total == 31
    assert "This is a part" in down
    for answer in ("cites", "drops"):
        assert f"node={uid(sent, 'answer', answer)}" in down
    # Words are looked for among what was reached, which is not all.
    assert re.search(r"at least \d+ match", page_of(client, sent, "?in_chunk=section"))
    # Numbers beyond the bound of what is counted are at least what they say.
    monkeypatch.setattr(stages, "MOST_NODES", 10)
    page = page_of(client, sent, "?direction=down")
    _, _, counted = chunks_of(page)
    assert 7 <= counted < 31
    assert f"of at least {counted}" in page
    assert re.search(r"At least\s+\d+ nodes", page)


def test_steps_bound_the_walk(sent: Workspace) -> None:
    page = page_of(member(sent), sent, "?direction=down&depth=1")
    assert chunks_of(page)[2] == 31
    assert uid(sent, "answer", "cites") not in page
    assert "This is a part" in page


def test_the_drawer_alone_comes_without_the_page(sent: Workspace) -> None:
    chunk = uid(sent, "chunk", "c07")
    client, path = member(sent, "operator"), f"/lineage/{uid(sent, 'document', 'd')}?node={chunk}"
    part = client.get(path, headers=htmx("drawer")).content.decode()
    assert "<html" not in part
    assert '<svg class="picture"' not in part
    for said in ("Section 07", "Properties", "Versions", "Events", "Impact", f"/lineage/{chunk}"):
        assert said in part
    whole = client.get(path).content.decode()
    assert 'class="picture-part with-drawer"' in whole
    assert part.strip() in whole


def test_the_drawer_needs_no_graph(sent: Workspace) -> None:
    with override_settings(NEO4J_URI="bolt://127.0.0.1:1"):
        path = f"/lineage/{uid(sent, 'document', 'd')}?node={uid(sent, 'answer', 'cites')}"
        client = member(sent)
        assert client.get(path, headers=htmx("drawer")).status_code == 200
        away = client.get(path.replace("?", "/picture.svg?"))
        assert (away.status_code, away["Retry-After"]) == (503, "10")


@pytest.mark.parametrize("target", ["", "drawer"])
def test_selecting_what_does_not_exist_is_not_found(sent: Workspace, target: str) -> None:
    path = f"/lineage/{uid(sent, 'document', 'd')}?node=chk_{'a' * 26}"
    headers = htmx(target) if target else {}
    assert member(sent).get(path, headers=headers).status_code == 404


def test_impact_in_the_drawer_agrees_with_the_report(sent: Workspace) -> None:
    source = uid(sent, "source", "s")
    client = member(sent)
    part = client.get(f"/lineage/{source}?node={source}", headers=htmx("drawer")).content.decode()
    assert re.findall(r"impact\?grade=(\w+)", part) == ["cited", "retrieved"]
    assert "All 2 affected answers" in part


def test_a_hidden_node_shows_its_shape_and_nothing_else(workspace: Workspace) -> None:
    send(workspace, world(acl=["board"]))
    project(workspace.pk)
    client = member(workspace)
    chunk = uid(workspace, "chunk", "c")
    path = f"/lineage/{uid(workspace, 'answer', 'cites')}"
    for response in (
        client.get(path),
        client.get(f"{path}?node={chunk}", headers=htmx("drawer")),
        client.get(f"{path}?in_chunk=revenue"),
        client.get(f"{path}/picture.svg"),
    ):
        page = response.content.decode()
        assert "Not visible to you" in page
        assert SECRET not in page
    part = client.get(f"{path}?node={chunk}", headers=htmx("drawer")).content.decode()
    assert "Versions" not in part
    assert "Key" not in part
    seeing = member(workspace, "admin").get(f"{path}?node={chunk}", headers=htmx("drawer"))
    assert SECRET in seeing.content.decode()
    # Words that only hidden nodes hold are found nowhere.
    assert "0 match" in client.get(f"{path}?in_chunk=revenue").content.decode()


def test_an_erased_node_has_a_tombstone_in_the_drawer(sent: Workspace) -> None:
    source = Node.objects.get(workspace=sent, kind="source")
    withdraw(sent, source, "erasure")
    client, chunk = member(sent), uid(sent, "chunk", "c")
    answer = uid(sent, "answer", "cites")
    part = client.get(f"/lineage/{answer}?node={chunk}", headers=htmx("drawer")).content.decode()
    assert "Erased" in part
    assert SECRET not in part
    assert client.get(f"/lineage/{chunk}/picture.svg").status_code == 410


def test_the_file_is_whole_well_formed_and_free_of_markup_from_records(sent: Workspace) -> None:
    source = uid(sent, "source", "s")
    response = member(sent).get(f"/lineage/{source}/picture.svg?direction=down&open=chunk")
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="lineage-{source}.svg"'
    root = ET.fromstring(response.content)
    tags = {element.tag for element in root.iter()}
    assert tags == {SVG + name for name in ("svg", "title", "desc", "rect", "text", "g", "path")}, (
        "no script, style, image, link or foreign object"
    )
    assert {name for element in root.iter() for name in element.attrib if "href" in name} == set()
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == 'Lineage of "><svg onload=alert(3)>'
    titles = [element.text or "" for element in root.iter(f"{SVG}title")]
    assert sum(each.startswith("Chunk: ") for each in titles) == 25


def test_the_file_survives_characters_that_xml_refuses(workspace: Workspace) -> None:
    title = "a\u0001b\u000bc\u202ed\uffff\ufffe]]>&amp;<"
    send(workspace, [record("source", "odd", title=title)])
    project(workspace.pk)
    response = member(workspace).get(f"/lineage/{uid(workspace, 'source', 'odd')}/picture.svg")
    found = ET.fromstring(response.content).find(f"{SVG}title")
    assert found is not None
    assert found.text == "Lineage of aU+0001b cU+202Ed]]>&amp;<"


def test_the_time_asked_for_is_handed_on(sent: Workspace) -> None:
    page = page_of(member(sent), sent, "?as_of=2026-05-01T10:00:00Z")
    links = re.findall(r'(?:href|hx-get)="(/lineage/[^"]*\?[^"]*)"', page.partition("<tbody")[0])
    assert len(links) > 20
    assert [link for link in links if "as_of=2026-05-01T10:00:00Z" not in link] == []


def test_several_starts_share_one_picture(sent: Workspace) -> None:
    client, (one, other) = member(sent), (uid(sent, "chunk", key) for key in ("c03", "c28"))
    elsewhere = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    send(elsewhere, world())
    foreign = uid(elsewhere, "chunk", "c")
    query = f"direction=up&also={other},{foreign}"
    page = client.get(f"/lineage/{one}?{query}").content.decode()
    assert set(re.findall(r'class="box root[^>]*data-uid="(\w+)"', page)) == {one, other}
    # Both rest on one document, one version, one source; that of elsewhere is not among them.
    drawn, _, counted = chunks_of(page)
    assert (drawn, page.count('<tr class="is-root">'), counted) == (2, 2, 2)
    assert re.findall(r'class="box[^>]*data-uid="(doc|srv|src)_', page) == ["src", "srv", "doc"]
    assert f'<a class="chip" href="/lineage/{other}">+ ' in page
    assert f'<a class="chip" href="/lineage/{foreign}">' not in page
    svg = client.get(f"/lineage/{one}/picture.svg?{query}").content.decode()
    assert svg.count('stroke-width="2.2"') == 2


def test_report_of_several_nodes_has_their_picture(sent: Workspace) -> None:
    client, starts = member(sent), [uid(sent, "chunk", key) for key in ("c", "c03")]
    path = f"/impact/?node={starts[0]}&node={starts[1]}"
    page = client.get(path).content.decode()
    assert set(re.findall(r'class="box root[^>]*data-uid="(\w+)"', page)) == set(starts)
    # The answers that rest on the first are drawn and counted.
    assert len(re.findall(r'class="box[^>]*data-uid="ans_', page)) == 2
    (again,) = re.findall(r'"/lineage/(\w+)\?also=(\w+)&amp;direction=down"', page)
    assert set(again) == set(starts)
    with override_settings(NEO4J_URI="bolt://127.0.0.1:1"):
        assert "The picture is missing" in client.get(path).content.decode()
