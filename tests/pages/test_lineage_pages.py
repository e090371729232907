"""Lineage and impact as pages: the graph away, bounds, filters that do not exist, and the picture."""

import html
import re

import pytest
from django.test import override_settings

from lineage.graph.projection import project
from lineage.pages import impact
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.pages.world import htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

# Nobody listens on port 1.
away = override_settings(NEO4J_URI="bolt://127.0.0.1:1")


@away
def test_lineage_says_that_the_graph_does_not_answer(workspace: Workspace) -> None:
    send(workspace, world())
    response = member(workspace).get(f"/lineage/{uid(workspace, 'source', 's')}")
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert "The lineage graph does not answer" in response.content.decode()


@away
def test_impact_shows_numbers_and_list_without_the_graph(workspace: Workspace) -> None:
    send(workspace, world())
    response = member(workspace).get(f"/lineage/{uid(workspace, 'source', 's')}/impact")
    page = response.content.decode()
    assert response.status_code == 200
    assert "The picture is missing" in page
    assert f"/answers/{uid(workspace, 'answer', 'cites')}" in page


@pytest.mark.parametrize("query", ["grade=nonsense", "state=nonsense", "cursor=nonsense"])
def test_impact_refuses_filters_that_do_not_exist(workspace: Workspace, query: str) -> None:
    send(workspace, world())
    path = f"/lineage/{uid(workspace, 'source', 's')}/impact"
    assert member(workspace).get(f"{path}?{query}", headers=htmx("affected")).status_code == 400


def test_impact_filters_the_list_and_not_the_numbers(workspace: Workspace) -> None:
    send(workspace, world())
    path = f"/lineage/{uid(workspace, 'source', 's')}/impact?grade=retrieved"
    page = member(workspace).get(path, headers=htmx("affected")).content.decode()
    assert "<html" not in page
    assert 'id="tiles" role="group" hx-swap-oob="true"' in page
    assert re.findall(r'class="figure">(\d+)<', page) == ["1", "0", "0", "1", "0", "0"]
    assert f"/answers/{uid(workspace, 'answer', 'drops')}" in page
    assert f"/answers/{uid(workspace, 'answer', 'cites')}" not in page


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("query", ["", "?depth=abc&stage=99&direction=sideways", "?depth=-1"])
def test_lineage_takes_any_address_for_what_it_can_be(workspace: Workspace, query: str) -> None:
    send(workspace, world())
    project(workspace.pk)
    response = member(workspace).get(f"/lineage/{uid(workspace, 'chunk', 'c')}{query}")
    assert response.status_code == 200


def test_lineage_shows_the_same_in_picture_and_table(
    workspace: Workspace, graph: GraphAddress
) -> None:
    send(workspace, world())
    project(workspace.pk)
    page = (
        member(workspace, "operator")
        .get(f"/lineage/{uid(workspace, 'source', 's')}?direction=down")
        .content.decode()
    )
    picture, _, table = page.partition("</figure>")
    linked = [
        set(re.findall(r"(?:/lineage/|node=)([a-z]{3}_[a-z2-7]{26})", part))
        for part in (picture, table)
    ]
    for kind, key in (("document", "d"), ("chunk", "c"), ("retrieval", "r1"), ("answer", "cites")):
        assert uid(workspace, kind, key) in linked[0], kind
        assert uid(workspace, kind, key) in linked[1], kind
    assert f"/cases/new?target={uid(workspace, 'source', 's')}" in page


def test_the_strongest_answers_come_first_and_pages_go_on_from_grade_to_grade(
    workspace: Workspace,
) -> None:
    """The newest answer only retrieved the source; 30 in context fill the rest of the first page."""
    many = [
        [
            record("context", f"x{n}+", items=[{"chunk": "c", "position": 1}]),
            record("answer", f"a{n}", context=f"x{n}+", question=f"Q{n}", text="Yes."),
        ]
        for n in range(30)
    ]
    send(workspace, [*world(), *(each for pair in many for each in pair)])
    client, path = member(workspace), f"/lineage/{uid(workspace, 'source', 's')}/impact"
    seen: list[str] = []
    for _ in range(3):
        page = client.get(path, headers=htmx("affected")).content.decode()
        seen += re.findall(r'data-state="(cited|in_context|retrieved)"', page)
        following = re.search(r'class="button" href="([^"]*cursor=[^"]*)"', page)
        if following is None:
            break
        path = html.unescape(following.group(1))
    assert seen == ["cited", *["in_context"] * 30, "retrieved"]


def test_a_dropped_passage_says_why(workspace: Workspace) -> None:
    send(workspace, world())
    path = f"/lineage/{uid(workspace, 'source', 's')}/impact?grade=retrieved"
    page = member(workspace).get(path, headers=htmx("affected")).content.decode()
    assert "· dropped by the reranker</span>" in page


@pytest.mark.usefixtures("graph")
def test_the_picture_of_a_bounded_walk_reaches_the_answers(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(workspace, world())
    project(workspace.pk)
    monkeypatch.setattr(impact, "MOST_PICTURED", 3)
    page = (
        member(workspace).get(f"/lineage/{uid(workspace, 'source', 's')}/impact").content.decode()
    )
    picture = page.partition("</figure>")[0].partition('<svg class="picture"')[2]
    assert f"/lineage/{uid(workspace, 'answer', 'cites')}" in picture
