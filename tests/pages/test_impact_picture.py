"""The picture of an impact report: as many answers as the report counts, and a word where it shows others or none."""

import html
import re

import pytest
from django.test import Client

from lineage.graph.projection import project
from lineage.models import Node
from lineage.pages import impact
from lineage.vocabulary import KINDS
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import build
from tests.pages.world import member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]

REGARDLESS = "The picture shows all answers, also those that your filters leave out."


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return html.unescape(response.content.decode())


def total(page: str) -> int:
    found = re.search(r'<span id="total"[^>]*>([\d,]+)</span>', page)
    assert found
    return int(found.group(1))


def pictured(page: str) -> int:
    """The answers at the head of their column, or beside the contexts in it."""
    heads = re.search(r'<ol class="stage-heads">(.*?)</ol>', page, re.DOTALL)
    assert heads
    (column,) = re.findall(
        r'<span class="stage-name">7 .*?class="tally">(.*?)</p>', heads[1], re.DOTALL
    )
    of_kind = re.search(r'<span class="nowrap">Answer (≥ )?([\d,]+)</span>', column)
    number = of_kind[2] if of_kind else re.findall(r"[\d,]+", column.partition("</span>")[0])[-1]
    return int(number)


@pytest.fixture
def nodes(workspace: Workspace) -> dict[str, Node]:
    found = build(workspace)
    project(workspace.pk)
    return found


def test_picture_counts_the_answers_of_the_report(
    workspace: Workspace, nodes: dict[str, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = member(workspace, "operator", ["g"])
    s, t, u, parser = (nodes[key].uid for key in ("s", "t", "u", "p3.1"))
    addresses = {
        f"/lineage/{s}/impact": 7, f"/lineage/{parser}/impact": 7,
        f"/impact/?node={t}&node={u}": 7, f"/impact/?node={s}&node={t}&made_by={parser}": 7,
        "/impact/?component=pdf&version_to=3.2": 9,
    }  # fmt: skip
    for address, number in addresses.items():
        page = read(client, address)
        assert (pictured(page), total(page)) == (number, number), address
        assert REGARDLESS not in page
        assert "The picture shows a part" not in page
    # Without room for all of them.
    monkeypatch.setattr(impact, "MOST_PICTURED", 12)
    page = read(client, f"/impact/?node={t}&node={u}")
    assert (pictured(page), total(page)) == (7, 7)
    assert "The picture shows a part" in page


def test_numbers_downstream_open_the_table_that_lists_them(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    client = member(workspace, "operator", ["g"])
    page = read(client, f"/impact/?node={nodes['s'].uid}&node={nodes['t'].uid}")
    part = page.partition('id="stages"')[2].partition("</p>")[0]
    found = re.findall(r'<a href="([^"]+open=(\w+)[^"]*)#stage-(\d)"><strong>(\d+)<', part)
    numbers = {kind: int(number) for _, kind, _, number in found}
    # By hand: a version, document and chunk of each, and of each answer but the cached one a
    # retrieval and context (eight) and of those that cite them a claim and citation (six).
    assert numbers == {
        "source_version": 2, "document": 2, "chunk": 2, "retrieval": 8, "context": 8, "claim": 6,
        "citation": 6,
    }  # fmt: skip
    for href, kind, stage, number in found:
        table = read(client, href).partition(f'<tbody id="stage-{stage}">')[2].partition("</tbody>")
        prefix = KINDS[kind].prefix
        rows = re.findall(rf'<a class="written" href="/lineage/{prefix}_', table[0])
        assert len(rows) == int(number), href


def test_picture_of_a_filtered_report_says_that_it_shows_all(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    client = member(workspace, "operator", ["g"])
    s, t = nodes["s"].uid, nodes["t"].uid
    for address, number, kept in (
        (f"/lineage/{s}/impact?grade=cited", 7, 3),
        (f"/impact/?node={s}&node={t}&model=m2", 9, 3),
    ):
        page = read(client, address)
        assert (pictured(page), total(page)) == (number, kept), address
        assert REGARDLESS in page
    # A filter that keeps everything filters nothing.
    page = read(client, f"/lineage/{s}/impact?state=current&state=review&state=stale")
    assert REGARDLESS not in page


def test_where_there_is_no_picture_it_says_why(
    workspace: Workspace, nodes: dict[str, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = member(workspace)
    monkeypatch.setattr(impact, "MOST_STARTS", 1)
    page = read(client, f"/impact/?node={nodes['s'].uid}&node={nodes['t'].uid}")
    assert "There is no picture: it begins at 1 node at most" in page
    assert "stage-heads" not in page
    assert "There is no picture" not in read(client, f"/impact/?node={nodes['s'].uid}")
    assert "There is no picture" not in read(client, "/impact/?component=nobody")
