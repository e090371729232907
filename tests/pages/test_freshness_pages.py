"""Pages of the watch: looks at a source, who may ask for one, and who switches it on."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from lineage.freshness.record import JUDGE
from lineage.freshness.switching import LOOK
from lineage.models import FreshnessRules, Node, SourceWatch, TaskOutbox
from provexplorer.workspaces.audit.models import AuditEntry
from provexplorer.workspaces.models import Workspace
from tests.freshness.sites import Asked, site
from tests.freshness.world import from_this_machine, pass_by, watched, work
from tests.ingest.sending import node, send
from tests.pages.world import member

pytestmark = [pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

TEXT = (
    "The tide table of the harbour lists forty-one tides in May of that year.\n\n"
    "The lighthouse was built of granite in two years and restored after the war.\n"
)
# What stands above an answer besides its state.
LINES = re.compile(r'<p class="on-record">.*?<span>(.*?)</span></p>', re.DOTALL)


class Site:
    """A document, and an archive that has two copies of it."""

    def __init__(self) -> None:
        self.status, self.text = 200, TEXT

    def behave(self, asked: Asked) -> None:
        if asked.path == "/doc":
            asked.reply(self.status, self.text.encode(), Content_Type="text/plain")
        elif asked.path.startswith("/timemap/"):
            asked.reply(
                200,
                b'<http://a.example/doc>; rel="original",\n'
                b'<http://archive.example/1/doc>; rel="first memento"; datetime="Tue, 03 Mar 2026 10:00:00 GMT",\n'
                b'<javascript:alert(1)>; rel="memento"; datetime="Tue, 03 Mar 2026 10:00:00 GMT",\n'
                b'<http://archive.example/2/doc>; rel="last memento"; datetime="Wed, 04 Mar 2026 10:00:00 GMT"',
                Content_Type="application/link-format",
            )
        else:
            asked.reply(404)


@pytest.fixture
def watched_doc(workspace: Workspace) -> Iterator[tuple[Workspace, Site, str]]:
    """A workspace that is watched, with a document and its site; looked at once."""
    now = Site()
    with site(now.behave) as (base, _), from_this_machine(FETCH_TIMEMAP=base + "/timemap/{uri}"):
        watched(workspace)
        send(workspace, work("doc", f"{base}/doc", TEXT))
        pass_by(workspace)
        yield workspace, now, node(workspace, "source", "doc").uid


def main(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode().partition("<main")[2]


def test_a_source_page_tells_of_its_looks(watched_doc: tuple[Workspace, Site, str]) -> None:
    workspace, now, uid = watched_doc
    reader = member(workspace)
    page = main(reader, f"/sources/{uid}")
    assert "Checks (1)" in page
    assert "2 cited passages, all of which stand as they were." in page
    assert 'data-state="same"' in page
    # A reader only reads.
    assert "/checks/now" not in page
    now.text = TEXT.replace("granite", "basalt")
    pass_by(workspace)
    page = main(reader, f"/sources/{uid}")
    assert "1 of 2 cited passages are not what they were." in page
    passage = node(workspace, "chunk", "doc#1").uid
    assert f'href="/passages/{passage}"' in page
    cites = node(workspace, "citation", "doc cites 1").uid
    assert f'href="/citations/{cites}/since"' in page
    # Of versions it is not said that nobody has looked at them: looks are at the source.
    assert "Not checked" not in page
    about = f"/answers/{node(workspace, 'answer', 'about doc').uid}"
    (drifted,) = LINES.findall(main(reader, about))
    assert drifted.startswith("What is cited here has changed at its source since:")
    assert re.findall(r"cit_[a-z2-7]{26}", drifted) == [cites]
    now.status = 410
    pass_by(workspace)
    page = main(reader, f"/sources/{uid}")
    assert "The site says that there is nothing at this address." in page.partition("<dl")[0]
    (away,) = LINES.findall(main(reader, about))
    assert away.startswith("The source of these is no longer at its address:")
    assert len(re.findall(r"cit_[a-z2-7]{26}", away)) == 2
    assert "It could not be read since" in page
    assert page.index("archive.example/2/doc") < page.index("archive.example/1/doc")
    assert "javascript:" not in page
    listed = main(reader, f"/sources/{uid}/checks")
    assert [listed.count(f'data-state="{code}"') for code in ("same", "changed", "gone")] >= [1, 1, 1]  # fmt: skip
    assert "410" in listed


def test_looks_are_paged_and_a_bad_cursor_is_told(
    watched_doc: tuple[Workspace, Site, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, _, uid = watched_doc
    pass_by(workspace)
    monkeypatch.setattr("lineage.pages.freshness.PAGE_SIZE", 1)
    reader = member(workspace)
    first = main(reader, f"/sources/{uid}/checks")
    cursor = first.partition("?cursor=")[2].partition('"')[0]
    second = main(reader, f"/sources/{uid}/checks?cursor={cursor}")
    assert "?cursor=" not in second
    assert first.count("<td data-label=\"Looked at\"") == second.count("<td data-label=\"Looked at\"") == 1  # fmt: skip
    assert reader.get(f"/sources/{uid}/checks?cursor=x").status_code == 400


def test_an_operator_asks_for_a_look_and_a_pause(
    watched_doc: tuple[Workspace, Site, str],
) -> None:
    workspace, _, uid = watched_doc
    operator, reader = member(workspace, "operator"), member(workspace)
    TaskOutbox.objects.exclude(name=JUDGE).delete()
    assert reader.post(f"/sources/{uid}/checks/now").status_code == 403
    assert operator.get(f"/sources/{uid}/checks/now").status_code == 405
    assert operator.post(f"/sources/{uid}/checks/later").status_code == 404
    assert not TaskOutbox.objects.filter(name=LOOK).exists()
    assert f'action="/sources/{uid}/checks/now"' in main(operator, f"/sources/{uid}")
    assert operator.post(f"/sources/{uid}/checks/now")["Location"] == f"/sources/{uid}#checks"
    # Told where one comes back to, not above what is then in sight.
    top, _, section = main(operator, f"/sources/{uid}").partition('id="checks"')
    said = "It will be looked at as soon as its site may be asked."
    assert (said in top, said in section) == (False, True)
    source = Node.objects.get(uid=uid)
    assert [task.arguments for task in TaskOutbox.objects.filter(name=LOOK)] == [{"source_id": source.pk}]  # fmt: skip
    operator.post(f"/sources/{uid}/checks/pause")
    operator.post(f"/sources/{uid}/checks/pause")
    assert SourceWatch.objects.get(source=source).paused
    assert "Looking at this source is paused." in main(operator, f"/sources/{uid}")
    operator.post(f"/sources/{uid}/checks/now")
    assert TaskOutbox.objects.filter(name=LOOK).count() == 1
    operator.post(f"/sources/{uid}/checks/resume")
    told = AuditEntry.objects.filter(workspace_id=workspace.pk, object_uid=uid).order_by("pk")
    assert list(told.values_list("verb", flat=True)) == ["source.checked", "source.paused", "source.resumed"]  # fmt: skip


def test_an_administrator_switches_the_watch(workspace: Workspace) -> None:
    admin, operator = member(workspace, "admin"), member(workspace, "operator")
    address = f"/settings/freshness/?ws={workspace.slug}"
    assert "Nothing is fetched." in main(operator, address)
    assert operator.post(address, {"watch": "on"}).status_code == 403
    assert member(workspace).get(address).status_code == 403
    assert not FreshnessRules.objects.filter(workspace=workspace, watching=True).exists()
    admin.post(address, {"watch": "on"})
    assert FreshnessRules.objects.get(workspace=workspace).watching
    assert "Stop watching" in main(admin, address)
    admin.post(address, {"watch": "off"})
    assert not FreshnessRules.objects.get(workspace=workspace).watching
    assert "/settings/freshness/" in main(admin, f"/settings/?ws={workspace.slug}")  # fmt: skip


def test_who_may_not_see_a_source_is_told_nothing_of_its_looks(
    watched_doc: tuple[Workspace, Site, str],
) -> None:
    workspace, _, _ = watched_doc
    send(workspace, work("closed", "http://10.0.0.1/doc", TEXT, acl=["staff"]))
    uid = node(workspace, "source", "closed").uid
    pass_by(workspace)
    operator = member(workspace, "operator")
    assert operator.get(f"/sources/{uid}/checks").status_code == 404
    assert operator.post(f"/sources/{uid}/checks/now").status_code == 404
    page = main(operator, f"/sources/{uid}")
    assert "Checks (" not in page
    assert "10.0.0.1" not in page
