"""Addresses from which catalogues of notices are fetched: asked from time to time, read like an upload."""

import secrets
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from lineage.cases.errors import ScopeMissing
from lineage.formats.notice_files import MOST_BYTES
from lineage.freshness.fetch import fetch
from lineage.identifiers import keyed_hash
from lineage.models import NoticeFeed, NoticeImport
from lineage.notices.drafting import machine
from lineage.notices.receiving import PIECE, receive
from lineage.outside import AddressRefused, place_of, refuse_what_is_inside
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

PREFIX: Final = "nfd"
MOST_FEEDS: Final = 20
HOURS: Final = (6, 24, 168)
LONGEST: Final = 2_000
# The table of Retraction Watch has 67 MB; a slow line takes minutes, a task has four.
_SECONDS: Final = 180.0
_TRY_AGAIN: Final = timedelta(hours=1)
_OK, _NOT_MODIFIED = 200, 304


class FeedRefused(Exception):
    """The address cannot be fetched from; `detail` says why, in the reader's language."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class FeedView:
    """An address with what came of asking it last."""

    uid: str
    url: str
    hours: int
    next_at: datetime | None
    fetched_at: datetime | None
    status: int | None
    failure: str

    @property
    def failed(self) -> bool:
        """What came last was no catalogue, nor the word that it is the same as before."""
        return bool(self.failure) or self.status not in (None, _OK, _NOT_MODIFIED)


def feeds(viewer: Viewer) -> tuple[FeedView, ...]:
    """The addresses of the workspace, in the order in which they were made."""
    rows = NoticeFeed.objects.filter(workspace_id=viewer.workspace_id).order_by("id")[:MOST_FEEDS]
    return tuple(
        FeedView(row.uid, row.url, row.hours, row.next_at, row.fetched_at, row.status, row.failure)
        for row in rows
    )


def make(viewer: Viewer, *, url: str, hours: int) -> str:
    """Fetch from this address from now on, as often as is said last; its uid. Raises ScopeMissing, FeedRefused."""
    _require(viewer)
    url = url.strip()
    if hours not in HOURS:
        raise FeedRefused(_("Choose how often it is fetched."))
    if not url or len(url) > LONGEST:
        raise FeedRefused(_("Say the address, in at most 2,000 characters."))
    loopback: bool = settings.FETCH_FROM_LOOPBACK
    try:
        place = place_of(url, schemes=("https", "http"), any_port=loopback)
        refuse_what_is_inside(place, loopback=loopback)
    except AddressRefused as error:
        raise FeedRefused(_("This is no address that can be fetched from here.")) from error
    mine = NoticeFeed.objects.filter(workspace_id=viewer.workspace_id)
    known = mine.filter(url=url).first()
    if known is not None:
        if known.hours != hours:
            _ask_as_often(viewer, known, hours)
        return known.uid
    if mine.count() >= MOST_FEEDS:
        raise FeedRefused(_("This workspace has as many addresses as it can have."))
    now = clock.now()
    with transaction.atomic():
        made = NoticeFeed.objects.create(
            workspace_id=viewer.workspace_id,
            uid=f"{PREFIX}_{keyed_hash(viewer.hash_key, PREFIX, secrets.token_hex(16))}",
            url=url,
            hours=hours,
            made_by_id=viewer.user_id,
            made_at=now,
            next_at=now,
        )
        record("feed.made", viewer, object_uid=made.uid, details={"url": url, "hours": hours})
    return made.uid


def _ask_as_often(viewer: Viewer, feed: NoticeFeed, hours: int) -> None:
    with transaction.atomic():
        NoticeFeed.objects.filter(pk=feed.pk).update(hours=hours, next_at=clock.now())
        record("feed.made", viewer, object_uid=feed.uid, details={"url": feed.url, "hours": hours})


def fetch_soon(viewer: Viewer, uid: str) -> None:
    """Have it fetched with the next tick. Raises ScopeMissing, NotFound."""
    _require(viewer)
    with transaction.atomic():
        if not _of(viewer, uid).update(next_at=clock.now()):
            raise NotFound(uid)
        record("feed.asked", viewer, object_uid=uid)


def delete(viewer: Viewer, uid: str) -> None:
    """Fetch from it no more; what it brought stays. Raises ScopeMissing, NotFound."""
    _require(viewer)
    with transaction.atomic():
        if not _of(viewer, uid).delete()[0]:
            raise NotFound(uid)
        record("feed.deleted", viewer, object_uid=uid)


def fetch_due() -> int:
    """Fetch from one address whose time has come; 1 if there was one."""
    now = clock.now()
    row = (
        NoticeFeed.objects.filter(next_at__lte=now)
        .select_related("workspace")
        .order_by("next_at", "pk")
        .first()
    )
    # Whoever moves the time first has it.
    if row is None or not NoticeFeed.objects.filter(pk=row.pk, next_at=row.next_at).update(
        next_at=now + _TRY_AGAIN
    ):
        return 0
    _fetch(row)
    return 1


def _fetch(row: NoticeFeed) -> None:
    with tempfile.TemporaryFile() as file:
        got = fetch(
            row.url,
            etag=row.etag,
            last_modified=row.last_modified,
            most_bytes=MOST_BYTES,
            seconds=_SECONDS,
            into=file,
        )
        failed = bool(got.failure) or got.status not in (_OK, _NOT_MODIFIED)
        if not failed and got.status == _OK:
            file.seek(0)
            receive(
                machine(row.workspace),
                iter(lambda: file.read(PIECE), b""),
                origin=NoticeImport.Origin.FEED,
                feed=row,
            )
    now = clock.now()
    told = {} if failed or got.status == _NOT_MODIFIED else {
        "etag": got.headers.get("etag", ""),
        "last_modified": got.headers.get("last-modified", ""),
    }  # fmt: skip
    NoticeFeed.objects.filter(pk=row.pk).update(
        fetched_at=now,
        status=got.status,
        failure=got.failure,
        next_at=now + (_TRY_AGAIN if failed else timedelta(hours=row.hours)),
        **told,
    )


def _of(viewer: Viewer, uid: str) -> "QuerySet[NoticeFeed]":
    return NoticeFeed.objects.filter(workspace_id=viewer.workspace_id, uid=uid)


def _require(viewer: Viewer) -> None:
    if "operate" not in viewer.scopes:
        raise ScopeMissing("operate")
