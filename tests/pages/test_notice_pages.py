"""Notices through their pages: an upload, what it came to, one notice, its case."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from lineage.models import Case, Notice, NoticeFeed, NoticeImport
from lineage.notices import receiving
from provexplorer.workspaces.models import Workspace
from tests.notices.world import load, row, source, table
from tests.pages.world import member, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
TITLE = "<b>On</b> the motion of things"
FILE = table(row(Title=TITLE, Notes="A & B"), row(Record_ID="2", OriginalPaperDOI="10.5555/else", RetractionDOI="10.5555/n2"))  # fmt: skip


@pytest.mark.parametrize("path", ["/notices/", "/notices/imports"])
def test_readers_see_none_of_it(workspace: Workspace, path: str) -> None:
    reader = member(workspace)
    assert (reader.get(path).status_code, reader.post(path).status_code) == (403, 403)


def test_nothing_on_record_says_what_to_do(workspace: Workspace) -> None:
    page = member(workspace, "operator").get("/notices/").content.decode()
    assert "No notice is on record yet" in page
    assert 'href="/notices/imports"' in page


def test_a_file_is_uploaded_read_and_leads_to_its_case(workspace: Workspace) -> None:
    send(workspace, [source("s", TITLE, doi="10.5555/work")])
    operator = member(workspace, "operator")
    missing = operator.post("/notices/imports", {})
    assert (missing.status_code, "Choose a file." in missing.content.decode()) == (422, True)
    sent = operator.post("/notices/imports", {"file": SimpleUploadedFile("rw.csv", FILE)})
    assert sent.status_code == 302
    waiting = operator.get(sent["Location"]).content.decode()
    assert "Waiting" in waiting
    receiving.read_kept(NoticeImport.objects.get().pk)
    done = operator.get(sent["Location"]).content.decode()
    assert "Read" in done
    assert 'hx-trigger="every' not in done
    assert 'href="/notices/"' in done.partition("</dl>")[2]
    listed = operator.get("/notices/?standing=matched").content.decode()
    assert "&lt;b&gt;On&lt;/b&gt; the motion of things" in listed
    assert "10.5555/n2" not in listed
    notice = Notice.objects.get(state="matched")
    page = operator.get(f"/notices/{notice.uid}").content.decode()
    assert "Unreliable Results" in page
    assert "+Unreliable" not in page
    case = Case.objects.get()
    # One click to the dry run.
    assert f'action="/cases/{case.uid}/dry-run"' in page
    assert "A &amp; B" in page
    told = operator.get(f"/cases/{case.uid}").content.decode().partition("<aside")[2]
    assert "Retraction, " in told
    assert "told by Retraction Watch" in told
    assert f'href="/notices/{notice.uid}"' in told
    assert "matched_by" not in told
    assert operator.post(f"/cases/{case.uid}/dry-run").status_code == 302
    case.refresh_from_db()
    assert case.state == "ready"
    assert "Notices" in operator.get("/notices/imports").content.decode()


def test_filters_that_hide_everything_say_so(workspace: Workspace) -> None:
    load(workspace, table(row()))
    page = member(workspace, "operator").get("/notices/?kind=concern").content.decode()
    assert "Your filters hide every notice" in page


def test_what_was_typed_stays_where_an_address_is_refused(workspace: Workspace) -> None:
    operator = member(workspace, "operator")
    typed = {"url": "ftp://example.org/a&b.csv", "hours": "168"}
    page = operator.post("/notices/imports", typed).content.decode()
    assert 'value="ftp://example.org/a&amp;b.csv"' in page
    assert '<option value="168" selected>' in page
    assert page.count(" selected>") == 1
    assert 'aria-describedby="url-hint wrong-url" aria-invalid="true"' in page


def test_a_file_that_cannot_be_read_says_so_and_what_to_do(workspace: Workspace) -> None:
    operator = member(workspace, "operator")
    sent = operator.post("/notices/imports", {"file": SimpleUploadedFile("x.csv", b"a,b\n1,2\n")})
    receiving.read_kept(NoticeImport.objects.get().pk)
    page = operator.get(sent["Location"]).content.decode().partition("<main")[2]
    assert "This is no file of notices that is known here, or it is damaged." in page
    assert "New notices" not in page
    assert 'href="/notices/imports">' in page.partition("banner")[2]
    assert 'href="/notices/"' not in page.partition("banner")[2]


def test_addresses_are_checked_kept_and_given_up(workspace: Workspace) -> None:
    operator = member(workspace, "operator")
    for url in ("ftp://example.org/x.csv", "http://user@example.org/x.csv", "nonsense", ""):
        refused = operator.post("/notices/imports", {"url": url, "hours": "24"})
        assert refused.status_code == 422, url
    kept = operator.post("/notices/imports", {"url": "https://example.org/rw.csv", "hours": "24"})
    assert kept.status_code == 302
    assert NoticeFeed.objects.get().hours == 24
    # The same address with another choice: that is obeyed, and no second one made.
    operator.post("/notices/imports", {"url": "https://example.org/rw.csv", "hours": "168"})
    feed = NoticeFeed.objects.get()
    assert feed.hours == 168
    NoticeFeed.objects.update(fetched_at=feed.made_at, status=503)
    listed = operator.get("/notices/imports").content.decode().partition('id="feeds"')[2]
    row = listed.partition("https://example.org/rw.csv")[2].partition("</li>")[0]
    assert "once a week" in row
    assert 'class="tone-warn"' in row
    assert "HTTP 503" in row
    assert operator.post(f"/notices/feeds/{feed.uid}/nonsense").status_code == 404
    assert operator.post(f"/notices/feeds/{feed.uid}/delete").status_code == 302
    assert not NoticeFeed.objects.exists()


def test_what_others_have_is_unknown(workspace: Workspace) -> None:
    load(workspace, table(row()))
    other = Workspace.objects.create(slug="other-pages", name="other")
    stranger = member(other, "operator")
    notice, file = Notice.objects.get(), NoticeImport.objects.get()
    for path in (
        f"/notices/{notice.uid}",
        f"/notices/imports/{file.uid}",
        "/notices/ntc_" + "a" * 26,
    ):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"/notices/{notice.uid}/file").status_code == 404


def test_what_was_dismissed_stays_in_sight_and_can_be_taken_back(workspace: Workspace) -> None:
    send(workspace, [source("s", "On the motion of many things", creators=[{"name": "Ada One"}])])
    load(workspace, table(row(Title="On the motion of many things", OriginalPaperDOI="")))
    notice = Notice.objects.get()
    assert notice.state == "suggested"
    operator = member(workspace, "operator")
    named = uid(workspace, "source", "s")
    there, decide = f"/notices/{notice.uid}", {"source": named}
    page = operator.post(f"{there}/reject", decide, follow=True).content.decode()
    assert "That can be taken back below." in page
    assert "Somebody has said that it is not about:" in page
    assert "should it come, it is matched" not in page
    assert f'value="{named}"' in page
    assert "On the motion of many things" in page.partition('id="concerns"')[2]
    taken_back = operator.post(f"{there}/accept", decide)
    assert taken_back["Location"] == f"/cases/{Case.objects.get().uid}"
    assert "Somebody has said" not in operator.get(there).content.decode()
