"""Every number of a report and of an incident is the length of the list that it opens, and of that list's CSV."""

import csv
import html
import io
import re
from typing import Any

import pytest
from django.test import Client, override_settings

from lineage.impact.sets import keep_set
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import build
from tests.nodes.world import viewer, withdraw
from tests.pages.world import htmx, member
from tests.thorough import THOROUGH

# Nobody listens on port 1: no number here needs the graph.
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_graph"), pytest.mark.one_pair]

# What is asked, by the keys of nodes, and how many answers there are before the filters and after.
QUESTIONS = {
    "node": ("node={s}", 7, 7),
    "kept set": ("node={set}", 9, 9),
    "range": ("component=pdf&version_from=3.2&version_to=3.10", 7, 7),
    "made by": ("node={s}&node={t}&made_by={p3.1}", 7, 7),
    "window": ("node={s}&node={u}&since=2026-02-01&until=2026-03-01", 8, 3),
    "state": ("node={s}&node={t}&state=stale&state=review", 9, 5),
    "grade": ("node={s}&node={t}&grade=cited&grade=served", 9, 7),
}
# Every day some questions, and of each question some numbers.
_EVERY_DAY = ("made by", "window", "state")
_SAMPLE = 20


@pytest.fixture
def no_graph() -> object:
    with override_settings(NEO4J_URI="bolt://127.0.0.1:1"):
        yield


def read(client: Client, path: str, part: str = "") -> str:
    response = client.get(path, headers=htmx(part)) if part else client.get(path)
    assert response.status_code == 200, path
    return html.unescape(response.content.decode())


def total(page: str) -> int:
    found = re.search(r'<span id="total"[^>]*>([\d,]+)</span>', page)
    assert found
    return int(found.group(1))


def listed(page: str) -> int:
    return len(re.findall(r'<a class="written" href="/answers/', page))


def exported(client: Client, page: str) -> int:
    """The rows of the CSV that a page offers; it offers none of an empty list."""
    addresses = re.findall(r'href="(/api/v1/impact\.csv\?[^"]+)"', page)
    if not addresses:
        return 0
    response: Any = client.get(addresses[0])
    body = b"".join(response.streaming_content).decode()
    return len(list(csv.DictReader(io.StringIO(body, newline=""))))


def numbers(page: str) -> list[tuple[str, int]]:
    """Tiles, values of filters, numbers of an incident's table: the address that each opens, and the number."""
    found = re.findall(
        r'<a class="tile[^"]*" href="([^"]*)"(?:(?!</a>).)*?class="figure">(\d+)<', page, re.DOTALL
    )
    # A value that is chosen opens the list without it.
    found += re.findall(
        r'<li><a href="([^"]+)" hx-get(?:(?!aria-current)[^>])*><span class="value">(?:(?!</a>).)*?class="number">(\d+)<',
        page,
        re.DOTALL,
    )
    found += re.findall(r'<td class="number"><a href="([^"]+)">(\d+)</a>', page)
    return [(href, int(number)) for href, number in found]


def asked(workspace: Workspace, nodes: dict[str, Node], template: str) -> str:
    # As a list of more nodes than an address names would be kept.
    kept = keep_set(viewer(workspace), [nodes[key].uid for key in ("s", "t")])
    uids = {"set": kept, **{key: node.uid for key, node in nodes.items()}}
    return re.sub(r"\{([^}]+)\}", lambda match: uids[match[1]], template)


def test_every_number_is_the_length_of_what_it_opens(workspace: Workspace) -> None:
    nodes = build(workspace)
    withdraw(workspace, nodes["t-c"])
    client = member(workspace, "operator", ["g"])
    for at, name in enumerate(QUESTIONS if THOROUGH else _EVERY_DAY):
        template, every, kept = QUESTIONS[name]
        query = asked(workspace, nodes, template)
        saved = client.post(f"/incidents/new?{query}", {"title": "T"})["Location"]
        report, incident = read(client, f"/impact/?{query}"), read(client, saved)
        shown = (
            total(report),
            listed(report),
            exported(client, report),
            exported(client, incident),
        )
        assert shown == (kept, kept, kept, kept), name
        tiles = [number for href, number in numbers(report) if "grade=" in href][:6]
        assert sum(tiles) == every, name
        opened = sorted({*numbers(report), *numbers(incident)})
        assert len(opened) > _SAMPLE, name
        # Every day some, of each question others.
        for href, number in opened if THOROUGH else opened[at::_SAMPLE]:
            there = read(client, href, "affected")
            assert (total(there), listed(there)) == (number, number), (name, href)
            assert exported(client, there) == number, (name, href)


def test_numbers_of_claims_open_the_lists_of_these_claims(workspace: Workspace) -> None:
    nodes = build(workspace)
    client = member(workspace, "operator")
    page = read(client, f"/impact/?node={nodes['s'].uid}&node={nodes['u'].uid}&model=m1")
    part = page.partition('id="reach"')[2].partition("</div>")[0]
    found = re.findall(r'<a href="([^"]+)"><strong>(\d+)</strong>', part)
    # Of the answers of m1 one, two and seven cite s, and six cites u.
    assert [int(number) for _, number in found] == [4, 0]
    for href, number in found:
        there = read(client, href)
        assert total(there) == len(re.findall('<li class="answer-row">', there)) == int(number)
    claims = read(client, found[0][0])
    # What cites u is not shown to who may not see u.
    assert claims.count("Not visible to you") >= 1
    address = found[0][0]
    assert client.get(f"{address}&cursor=x").status_code == 400
    assert client.get("/impact/claims").status_code == 400
    other = Workspace.objects.create(slug=f"{workspace.slug}-2", name="Other")
    foreign = member(other)
    asked_there = foreign.get(f"/impact/claims?node={nodes['s'].uid}&ws={other.slug}")
    assert asked_there.status_code == 404
