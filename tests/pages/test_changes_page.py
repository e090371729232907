"""What changed for a node since: named, in words, and nothing of what is hidden."""

import html
import re
from urllib.parse import quote

import pytest

from lineage.models import Node
from lineage.pages import changes
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.impact.test_as_of import STEPS
from tests.pages.world import member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def page_of(workspace: Workspace, node: str, since: str, role: str = "reader") -> str:
    response = member(workspace, role).get(f"/lineage/{node}/changes", {"since": since})
    assert response.status_code == 200
    return str(response.content.decode())


def test_what_came_late_and_what_it_changed_is_told(workspace: Workspace) -> None:
    for step in STEPS[:4]:
        send(workspace, step)
    since = clock.now().isoformat()
    for step in STEPS[4:]:
        send(workspace, step)
    page = page_of(workspace, uid(workspace, "source", "s1"), since)
    moved, _, rest = page.partition('id="recorded"')
    assert uid(workspace, "answer", "waiting") in moved
    assert "did not rest on it" in moved
    assert uid(workspace, "answer", "second") in moved
    assert 'data-state="in_context"' in moved
    assert uid(workspace, "answer", "last") in rest
    assert ">Late<" in rest
    old, new = Node.objects.filter(workspace=workspace, key="c1").order_by("pk")
    page = page_of(workspace, old.uid, since)
    meant = page.partition('id="meant"')[2]
    assert meant.count(f'href="/passages/{old.uid}"') == 3
    assert meant.count(f'href="/passages/{new.uid}"') == 3
    assert "<code>items.chunk</code>" in meant
    assert "does not rest on it" in page


def test_answers_that_rest_on_it_otherwise_are_listed_to_the_last(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in STEPS[:4]:
        send(workspace, step)
    since = clock.now().isoformat()
    for step in STEPS[4:]:
        send(workspace, step)
    node = uid(workspace, "source", "s1")
    address = f"/lineage/{node}/changes"
    whole = _moved(page_of(workspace, node, since))
    monkeypatch.setattr(changes, "PAGE_SIZE", 1)
    client, found, query = member(workspace), [], f"?since={quote(since)}"
    while query:
        page = client.get(address + query).content.decode()
        number = re.search(r'id="moved">.* \((\d+)\)<', page)
        assert number
        assert int(number.group(1)) == len(whole)
        assert len(_moved(page)) == 1
        found += _moved(page)
        following = re.search(r'href="(\?[^"]*moved=[^"]+)"', page)
        query = html.unescape(following.group(1)).partition("#")[0] if following else ""
    assert found == whole
    assert len(found) > 1


def _moved(page: str) -> list[str]:
    part = page.partition('id="moved"')[2].partition('id="recorded"')[0]
    return re.findall(r'href="/answers/(ans_\w+)"', part)


def test_where_nothing_changed_it_says_so(workspace: Workspace) -> None:
    send(workspace, world())
    page = page_of(workspace, uid(workspace, "source", "s"), "2100-01-01T00:00")
    assert page.count(">None.<") == 3


@pytest.mark.parametrize("typed", ["soon", "2026-13-01", "0001-01-01T00:00+14:00", "<b>"])
def test_what_is_no_instant_is_told_and_the_last_week_shown(
    workspace: Workspace, typed: str
) -> None:
    send(workspace, world())
    page = page_of(workspace, uid(workspace, "source", "s"), typed)
    assert "This is no date and time; the last week is shown." in page
    assert "<b>" not in page.partition("</header>")[2]


def test_it_says_where_the_past_cannot_be_told(workspace: Workspace) -> None:
    send(workspace, world())
    since = clock.now().isoformat()
    run = record("run", "r", run_kind="chunk")
    (chunk,) = [each for each in world() if each["kind"] == "chunk"]
    send(workspace, [run, {**chunk, "run": "r"}])
    page = page_of(workspace, uid(workspace, "source", "s"), since)
    assert "What it said before is not kept" in page


def test_hidden_nodes_have_no_name_there(workspace: Workspace) -> None:
    send(workspace, world(acl=["secret"]))
    page = page_of(workspace, uid(workspace, "source", "s"), "2020-01-01")
    assert "Not visible to you" in page
    assert "svg onload=alert(3)" not in page


def test_a_cursor_of_another_list_is_refused(workspace: Workspace) -> None:
    send(workspace, world())
    address = f"/lineage/{uid(workspace, 'source', 's')}/changes"
    for name, cursor in (
        ("answers", "x"), ("references", "x"), ("moved", "x"), ("moved", "WzFd"),
        ("moved", "W251bGxd"),
    ):  # fmt: skip
        assert member(workspace).get(f"{address}?{name}={cursor}").status_code == 400
