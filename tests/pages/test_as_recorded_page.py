"""What was known of a node at an instant, as a page: the answers that the API lists, page by page."""

import html
import json
import re

import pytest

from lineage.pages import as_recorded
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.impact.test_as_of import STEPS
from tests.pages.world import member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def listed(page: str) -> list[str]:
    return re.findall(r'href="/answers/(ans_\w+)"', page.partition('id="known"')[2])


def test_every_moment_shows_what_the_api_lists(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = [clock.now().isoformat()]
    for step in STEPS:
        send(workspace, step)
        moments.append(clock.now().isoformat())
    monkeypatch.setattr(as_recorded, "PAGE_SIZE", 2)
    client, source = member(workspace), uid(workspace, "source", "s1")
    counted = []
    for moment in (moments[0], moments[3], moments[-1]):
        reply = client.get(f"/api/v1/nodes/{source}/as-recorded", {"until": moment})
        told = json.loads(reply.content)
        page = client.get(f"/lineage/{source}/as-recorded", {"until": moment}).content.decode()
        assert f"({told['total']})</h2>" in page
        found = listed(page)
        while more := re.search(r'href="(\?[^"]*after=[^"]+)"', page):
            query = html.unescape(more[1]).partition("#")[0]
            page = client.get(f"/lineage/{source}/as-recorded{query}").content.decode()
            found += listed(page)
        assert found == [each["uid"] for each in told["items"]]
        assert ("sent again later" in page) == bool(told["amended"])
        counted.append(len(found))
    assert counted == [0, 2, 4]
    # The way there, and back.
    changes = client.get(f"/lineage/{source}/changes", {"since": moments[3]}).content.decode()
    (link,) = re.findall(r'href="(/lineage/\w+/as-recorded\?until=[^"]+)"', changes)
    page = client.get(html.unescape(link)).content.decode()
    assert len(listed(page)) == 2
    assert f'href="/lineage/{source}/changes?since=' in page


@pytest.mark.parametrize("typed", ["soon", "2026-13-01", "0001-01-01T00:00+14:00", "<b>"])
def test_what_is_no_instant_is_told(workspace: Workspace, typed: str) -> None:
    send(workspace, world())
    address = f"/lineage/{uid(workspace, 'source', 's')}/as-recorded"
    page = member(workspace).get(address, {"until": typed}).content.decode()
    assert "This is no date and time; what was known a week ago is shown." in page
    assert listed(page) == []
    assert "<b>" not in page.partition("</header>")[2]


def test_what_was_sent_again_is_told_hidden_nodes_have_no_name_and_odd_cursors_are_refused(
    workspace: Workspace,
) -> None:
    send(workspace, world(acl=["secret"]))
    until = clock.now().isoformat()
    (chunk,) = [each for each in world() if each["kind"] == "chunk"]
    send(workspace, [record("run", "r", run_kind="chunk"), {**chunk, "run": "r"}])
    client, address = member(workspace), f"/lineage/{uid(workspace, 'source', 's')}/as-recorded"
    page = client.get(address, {"until": until}).content.decode()
    assert "1 node that they rest on was sent again later." in page
    assert "Not visible to you" in page
    assert "svg onload=alert(3)" not in page
    for cursor in ("x", "WzFd", "W251bGxd"):
        assert client.get(f"{address}?after={cursor}").status_code == 400
