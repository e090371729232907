"""Impact reports as pages: where they begin, what links open, what a pasted list means, numbers that take long."""

import html
import re
from urllib.parse import urlsplit

import pytest
from django.test import Client, override_settings

from lineage.impact import counting, numbers, pasted
from lineage.models import KeptReport, NodeSet
from lineage.pages import impact_pasted, impact_start
from provexplorer.workspaces.models import Workspace
from tests.flows.foreign import told
from tests.impact.affected_world import build
from tests.nodes.world import ALPHA, load, source
from tests.pages.world import TITLE, htmx, member, record, send, uid, world

# Nobody listens on port 1: no page here needs the graph.
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_graph"), pytest.mark.one_pair]


@pytest.fixture
def no_graph() -> object:
    with override_settings(NEO4J_URI="bolt://127.0.0.1:1"):
        yield


def read(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, path
    return html.unescape(response.content.decode())


def total(page: str) -> int:
    found = re.search(r'<span id="total"[^>]*>([\d,]+)</span>', page)
    assert found
    return int(found.group(1).replace(",", ""))


def listed(page: str) -> int:
    return len(re.findall(r'<a class="written" href="/answers/', page))


def tiles(page: str) -> list[tuple[str, int]]:
    return [
        (href, int(count))
        for href, count in re.findall(
            r'<a class="tile[^"]*" href="([^"]*)".*?class="figure">(\d+)<', page
        )
    ]


def choices(page: str) -> list[tuple[str, int]]:
    """Every value of a facet: the address that it opens, and its number."""
    return [
        (href, int(count))
        for href, count in re.findall(
            r'<li><a href="([^"]+)" hx-get[^>]*><span class="value">.*?class="number">(\d+)<',
            page,
            re.DOTALL,
        )
    ]


def test_what_others_have_is_not_found_like_what_nobody_has(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug=f"{workspace.slug}-2", name="Other")
    foreign = load(other, source("s", ALPHA))["s"].uid
    client = member(workspace, "operator")
    for name in ("node", "made_by"):
        asked = (foreign, "src_" + "a" * 26, "set_" + "a" * 26)
        pages = {told(client.get(f"/impact/?{name}={each}"), each) for each in asked}
        assert len(pages) == 1
        assert client.get(f"/impact/?{name}={foreign}").status_code == 404
    assert client.get(f"/impact/?ws={other.slug}").status_code == 404
    posted = client.post("/impact/", {"lines": f"{foreign}\ns", "keep": "1"})
    assert "0 found, 0 ambiguous, 2 unknown." in posted.content.decode()
    assert "On s" not in posted.content.decode()


def test_start_keeps_what_was_typed_and_says_what_is_wrong(workspace: Workspace) -> None:
    send(workspace, world())
    node = uid(workspace, "source", "s")
    client = member(workspace)
    page = read(client, "/impact/")
    assert 'name="component"' in page
    assert 'name="lines"' not in page  # readers keep no sets
    query = f"node={node}&version_from=3&since=2026-01-01&edit=1"
    page = read(client, f"/impact/?{query}", 422)
    assert "Name one component" in page
    assert 'name="version_from" value="3"' in page
    assert f'name="node" value="{node}"' in page
    assert read(client, "/impact/?since=soon", 422).count("This is no date.") == 1
    page = read(client, "/impact/?component=p&version_from=2&version_to=1", 422)
    assert "The first version comes after the last one." in page
    assert 'name="version_to" value="1"' in page
    assert "Only a component or a run makes" in read(client, f"/impact/?made_by={node}", 422)
    page = read(client, f"/impact/?edit=1&q=c&node={node}&state=stale")
    assert 'name="state" value="stale"' in page
    assert f"/impact/?node={uid(workspace, 'chunk', 'c')}&node={node}&state=stale" in page
    assert "Add all" not in page


def test_all_that_words_found_are_added_at_once(workspace: Workspace) -> None:
    nodes = build(workspace)
    page = read(member(workspace), "/impact/?edit=1&q=pdf")
    href = re.findall(r'href="([^"]+)"', page.partition("Add all 3")[0])[-1]
    chosen = set(re.findall(r'name="node" value="(\w+)"', read(member(workspace), href)))
    assert chosen == {nodes[key].uid for key in ("p3.1", "p3.2", "p3.10")}


def test_hits_that_are_too_many_to_be_added_at_once_are_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, client = build(workspace), member(workspace)
    monkeypatch.setattr(impact_start, "MOST_ADDED", 2)
    page = read(client, "/impact/?edit=1&q=pdf")
    assert "3 have these words: too many to be added at once, which is 2 at most." in page
    assert "Add all" not in page
    every = "&".join(f"node={nodes[key].uid}" for key in ("p3.1", "p3.2", "p3.10"))
    monkeypatch.setattr(impact_start, "MOST_ADDED", 3)
    page = read(client, f"/impact/?edit=1&q=pdf&{every}")
    assert "All that has these words is chosen." in page
    assert "Nothing has these words." not in page
    assert "Nothing has these words." in read(client, "/impact/?edit=1&q=xyzzy")


def test_report_of_several_opens_lists_that_are_as_long_as_their_numbers_say(
    workspace: Workspace,
) -> None:
    nodes = build(workspace)
    client = member(workspace, "operator", ["g"])
    path = f"/impact/?node={nodes['s'].uid}&node={nodes['u'].uid}"
    page = read(client, path)
    assert "On s" in page
    assert (total(page), listed(page)) == (8, 8)
    assert f"/incidents/new?node={nodes['s'].uid}&node={nodes['u'].uid}&" in page or (
        f"/incidents/new?node={nodes['u'].uid}&node={nodes['s'].uid}&" in page
    )
    assert sum(count for _, count in tiles(page)) == 8
    assert len(choices(page)) > 15
    # One of each facet; each value by itself: tests/impact/test_affected.py.
    opened = [tiles(page)[0], tiles(page)[4], *choices(page)[::4]]
    for href, count in opened:
        there = client.get(href, headers=htmx("affected")).content.decode()
        assert total(there) == listed(there) == count, href
    (csv,) = re.findall(r'href="(/api/v1/impact\.csv\?[^"]+)"', page)
    body = b"".join(client.get(csv).streaming_content).decode()  # type: ignore[attr-defined]
    assert body.count("\r\n") == 9


def test_report_of_a_node_is_about_it_alone(workspace: Workspace) -> None:
    nodes = build(workspace)
    client = member(workspace)
    path = f"/lineage/{nodes['s'].uid}/impact"
    page = read(client, f"{path}?node={nodes['u'].uid}&component=pdf&made_by={nodes['u'].uid}")
    assert total(page) == 7
    assert {urlsplit(href).path for href, _ in tiles(page)} == {path}
    for href, count in tiles(page)[::3]:
        assert total(client.get(href, headers=htmx("affected")).content.decode()) == count
    ordered = {
        sort: re.findall(r"/answers/(ans_\w+)", read(client, f"{path}?sort={sort}"))
        for sort in ("newest", "oldest", "strongest")
    }
    assert read(client, path).count("aria-current") == read(client, f"{path}?sort=strongest").count(
        "aria-current"
    )
    assert len({tuple(each) for each in ordered.values()}) == 3
    assert client.get(f"{path}?sort=random").status_code == 400


def test_what_cannot_be_narrowed_to_what_was_made_is_told(workspace: Workspace) -> None:
    nodes = build(workspace)
    client = member(workspace, "operator")
    maker = nodes["run3.1"].uid
    for asked in (f"node={nodes['p3.1'].uid}", "component=pdf"):
        page = read(client, f"/impact/?{asked}&made_by={maker}", 422)
        assert "Nothing is made of components and runs" in page
        refused = client.post(f"/incidents/new?{asked}&made_by={maker}", {"title": "T"})
        assert refused.status_code == 422
        assert "Nothing is made of components and runs" in refused.content.decode()
    assert total(read(client, f"/impact/?node={nodes['s'].uid}&made_by={maker}")) == 7


def test_three_causes_of_an_empty_list_are_told_apart(workspace: Workspace) -> None:
    nodes = build(workspace)
    load(workspace, source("lonely", ALPHA))
    client = member(workspace)
    lonely = uid(workspace, "source", "lonely")
    assert "No answer rests on it" in read(client, f"/impact/?node={lonely}")
    hidden = read(client, f"/impact/?node={nodes['s'].uid}&unit=nobody")
    assert "Your filters hide all of them" in hidden
    assert "Nothing here is what you ask about" in read(client, "/impact/?component=nobody")


def test_hidden_source_is_named_nowhere(workspace: Workspace) -> None:
    nodes = build(workspace)
    u = nodes["u"].uid
    client = member(workspace, "operator")
    for path in (
        f"/impact/?node={u}",
        f"/impact/?node={u}&edit=1",
        f"/impact/?source={u}&node={u}",
    ):
        page = read(client, path)
        assert "On u" not in page
        assert "Not visible to you" in page
    posted = client.post("/impact/", {"lines": f"u\n{u}"}).content.decode()
    assert "1 found, 0 ambiguous, 1 unknown." in posted
    assert "On u" not in posted


def test_markup_in_titles_stays_text(workspace: Workspace) -> None:
    send(workspace, world())
    node = uid(workspace, "source", "s")
    for path in (f"/impact/?node={node}", f"/impact/?node={node}&edit=1&q=c"):
        raw = member(workspace, "operator").get(path).content.decode()
        assert TITLE not in raw
        assert "<svg onload" not in raw
        assert "<b>What</b>" not in raw


def test_pasted_list_is_shown_and_then_asked_about(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = build(workspace)
    client = member(workspace, "operator")
    assert member(workspace).post("/impact/", {"lines": "s"}).status_code == 403
    assert "Nothing was pasted." in client.post("/impact/", {"lines": " \n"}).content.decode()
    many = client.post("/impact/", {"lines": "\n".join(str(n) for n in range(5_001))})
    assert many.status_code == 422
    load(workspace, [{"kind": "agent", "key": "s", "name": "Agent S"}])
    lines = f"s\n{nodes['t'].uid}\nnobody\n{nodes['run3.1'].uid}"
    page = client.post("/impact/", {"lines": lines}).content.decode()
    assert "2 found, 1 ambiguous, 1 unknown." in page
    assert f'name="choose" value="{nodes["s"].uid}"' in page
    kept = {"lines": lines, "keep": "1"}
    response = client.post("/impact/", {**kept, "choose": [nodes["s"].uid, nodes["u"].uid]})
    assert response.status_code == 302
    assert set(re.findall(r"node=(\w+)", response["Location"])) == {
        nodes[key].uid for key in ("s", "t", "run3.1")
    }
    monkeypatch.setattr(impact_start, "MOST_IN_ADDRESS", 1)
    response = client.post("/impact/", kept)
    (kept_uid,) = re.findall(r"node=(\w+)", response["Location"])
    assert NodeSet.objects.get(uid=kept_uid).members == sorted(
        [nodes["t"].uid, nodes["run3.1"].uid]
    )
    page = read(client, response["Location"])
    assert "a list of 2" in page
    assert total(page) == listed(page) == 9


def test_revisions_of_a_pasted_line_that_are_not_named_are_told_and_count(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(impact_pasted, "MOST_REVISIONS", 1)
    monkeypatch.setattr(pasted, "_MOST_MEANT", 1)
    load(
        workspace,
        source("s", ALPHA),
        [{"kind": "agent", "key": "s", "name": "Agent S"}],
        *([record("chunk", "re", document="s-doc", interval={"start": 0, "end": 5 + at}, at=f"2026-01-0{at}T00:00:00Z")]
          for at in range(1, 4)),
    )  # fmt: skip
    client = member(workspace, "operator")
    page = client.post("/impact/", {"lines": "re\ns"}).content.decode()
    assert "1 found, 1 ambiguous, 0 unknown." in page
    assert "and 2 more revisions, which count, too" in page
    assert "and 1 more, which does not count" in page
    kept = client.post("/impact/", {"lines": "re\ns", "keep": "1"})["Location"]
    assert len(re.findall(r"node=(\w+)", kept)) == 3


def test_numbers_that_take_long_come_by_and_by(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "QUICK_ROWS", 0)
    nodes = build(workspace)
    client = member(workspace)
    path = f"/impact/?node={nodes['s'].uid}&node={nodes['t'].uid}"
    page = read(client, path)
    assert listed(page) == 9
    assert re.search(
        r'<div class="facets no-print" id="numbers" hx-get="[^"]+" hx-trigger="every', page
    )
    assert "Being counted: 0 of " in page
    assert "Look again" in page
    row = KeptReport.objects.get()
    counting.count(row.pk, row.fence)
    part = client.get(path, headers=htmx("numbers")).content.decode()
    assert "<table" not in part
    assert "hx-trigger" not in part
    for oob in ("tiles", "total", "reach"):
        assert re.search(rf'id="{oob}"[^>]* hx-swap-oob="true"', part), oob
    assert total(part) == 9
    assert total(read(client, path)) == 9
    assert "The list is of now." in part
