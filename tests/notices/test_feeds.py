"""Catalogues fetched from an address: when their time has come, and only what has changed."""

from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from lineage.cases.errors import ScopeMissing
from lineage.models import Notice, NoticeFeed, NoticeImport
from lineage.notices import feeds, receiving
from lineage.types import NotFound
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.notices.world import row, table, viewer

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


class Catalogue(BaseHTTPRequestHandler):
    """Serves one table under an ETag; `/gone` is not there."""

    def do_GET(self) -> None:
        if self.path == "/gone":
            self.send_error(410)
        elif self.headers.get("If-None-Match") == '"one"':
            self.send_response(304)
            self.end_headers()
        else:
            body = table(row())
            self.send_response(200)
            self.send_header("ETag", '"one"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def address(settings: Any) -> Iterator[str]:
    settings.FETCH_FROM_LOOPBACK = True
    server = ThreadingHTTPServer(("127.0.0.1", 0), Catalogue)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def due(uid: str) -> None:
    NoticeFeed.objects.filter(uid=uid).update(next_at=clock.now() - timedelta(seconds=1))


def test_it_is_fetched_read_and_not_read_again_while_it_is_the_same(
    workspace: Workspace, address: str
) -> None:
    uid = feeds.make(viewer(workspace), url=f"{address}/rw.csv", hours=24)
    assert uid == feeds.make(viewer(workspace), url=f" {address}/rw.csv", hours=24)
    assert (feeds.fetch_due(), feeds.fetch_due()) == (1, 0)
    begun = NoticeImport.objects.get()
    assert (begun.origin, begun.state) == ("feed", "received")
    receiving.read_kept(begun.pk)
    assert Notice.objects.count() == 1
    (told,) = feeds.feeds(viewer(workspace))
    assert (told.status, told.failure) == (200, "")
    assert told.next_at is not None
    assert told.next_at > clock.now() + timedelta(hours=23)
    due(uid)
    assert feeds.fetch_due() == 1
    assert feeds.feeds(viewer(workspace))[0].status == 304
    assert NoticeImport.objects.count() == 1


def test_an_address_that_fails_is_told_and_tried_again(workspace: Workspace, address: str) -> None:
    feeds.make(viewer(workspace), url=f"{address}/gone", hours=24)
    feeds.fetch_due()
    (told,) = feeds.feeds(viewer(workspace))
    assert told.status == 410
    assert told.next_at is not None
    assert told.next_at < clock.now() + timedelta(hours=2)
    assert not NoticeImport.objects.exists()


def test_no_address_inside_is_fetched(workspace: Workspace, address: str, settings: Any) -> None:
    uid = feeds.make(viewer(workspace), url=f"{address}/rw.csv", hours=6)
    settings.FETCH_FROM_LOOPBACK = False
    due(uid)
    feeds.fetch_due()
    (told,) = feeds.feeds(viewer(workspace))
    assert (told.status, told.failure) == (None, "address_refused")
    assert not NoticeImport.objects.exists()


@pytest.mark.parametrize("inside", ["http://127.0.0.1/rw.csv", "http://[::1]/rw.csv", "http://10.0.0.1/", "http://169.254.169.254/latest", "http://localhost/", "https://user@example.org/", "ftp://example.org/"])  # fmt: skip
def test_an_address_inside_is_refused_at_once(workspace: Workspace, inside: str) -> None:
    with pytest.raises(feeds.FeedRefused):
        feeds.make(viewer(workspace), url=inside, hours=24)
    assert not NoticeFeed.objects.exists()


def test_who_may(workspace: Workspace, address: str) -> None:
    with pytest.raises(ScopeMissing):
        feeds.make(viewer(workspace, "read"), url=address, hours=24)
    uid = feeds.make(viewer(workspace), url=address, hours=24)
    other = Workspace.objects.create(slug="other-feeds", name="other")
    for act in (feeds.fetch_soon, feeds.delete):
        with pytest.raises(NotFound):
            act(viewer(other), uid)
