"""Takes a file of notices in: kept encrypted until a task has read it, then destroyed."""

import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q

from lineage import outbox
from lineage.cases.errors import ScopeMissing
from lineage.content import sealed
from lineage.content.apart import new_owner
from lineage.content.keys import Key
from lineage.formats.notice_files import MOST_BYTES, TooLarge
from lineage.identifiers import keyed_hash
from lineage.models import NoticeFeed, NoticeImport
from lineage.notices.reading import LostHold, read_notices
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.models import Workspace

PREFIX: Final = "nim"
TASK: Final = "lineage.read_notices"
# Bytes of a file that lie together.
PIECE: Final = 2**20
# Nobody reads a file for longer than a task may run; who takes one over waits as long.
_LEASE: Final = timedelta(minutes=6)
MOST_ATTEMPTS: Final = 5
GAVE_UP: Final = "gave_up"

_State = NoticeImport.State


def begin(
    workspace: Workspace,
    *,
    origin: str,
    size: int | None = None,
    user_id: int | None = None,
    key_id: int | None = None,
    feed: NoticeFeed | None = None,
) -> NoticeImport:
    """The row of an import that this process is about to read itself."""
    now = clock.now()
    return NoticeImport.objects.create(
        workspace=workspace,
        uid=f"{PREFIX}_{keyed_hash(workspace.hash_key, PREFIX, secrets.token_hex(16))}",
        origin=origin,
        feed=feed,
        made_by_id=user_id,
        api_key_id=key_id,
        state=_State.RUNNING,
        size=size,
        received_at=now,
        lease_until=now + _LEASE,
        fence=1,
        attempts=1,
    )


def receive(
    viewer: Viewer, file: Iterable[bytes], *, origin: str, feed: NoticeFeed | None = None
) -> str:
    """Keep a file that came in pieces and have it read; the uid of its import.

    Raises ScopeMissing, TooLarge.
    """
    if "operate" not in viewer.scopes:
        raise ScopeMissing("operate")
    workspace = Workspace.objects.get(pk=viewer.workspace_id)
    owner_id = new_owner()
    try:
        size, pieces = _keep(workspace, owner_id, file)
        with transaction.atomic():
            row = begin(
                workspace,
                origin=origin,
                size=size,
                user_id=viewer.user_id,
                key_id=viewer.key_id,
                feed=feed,
            )
            NoticeImport.objects.filter(pk=row.pk).update(
                state=_State.RECEIVED,
                owner_id=owner_id,
                pieces=pieces,
                lease_until=None,
                fence=0,
                attempts=0,
            )
            record("notice.received", viewer, object_uid=row.uid, code=str(origin))
            outbox.enqueue(TASK, import_id=row.pk)
    except BaseException:
        sealed.destroy([owner_id])
        raise
    return row.uid


def read_kept(import_id: int) -> None:
    """Read a file that was kept; once, however often the task is delivered."""
    now = clock.now()
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    waiting = NoticeImport.objects.filter(
        free, pk=import_id, state__in=(_State.RECEIVED, _State.RUNNING)
    )
    taken = waiting.update(
        state=_State.RUNNING,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        lease_until=now + _LEASE,
    )
    if not taken:
        return
    row = NoticeImport.objects.select_related("workspace").get(pk=import_id)
    if row.owner_id is None:
        return
    key = sealed.key_of(row.owner_id)
    if key is None or row.attempts > MOST_ATTEMPTS:
        NoticeImport.objects.filter(pk=row.pk, fence=row.fence).update(
            state=_State.FAILED, failure=GAVE_UP, finished_at=now, lease_until=None
        )
    else:
        try:
            read_notices(row.workspace, row, _Kept(row.workspace, row.owner_id, key, row.pieces))
        except LostHold:
            return
    sealed.destroy([row.owner_id])


def take_up_stalled() -> int:
    """Ask again for files whose reading has stalled; how many."""
    now = clock.now()
    stalled = NoticeImport.objects.filter(
        Q(state=_State.RECEIVED, received_at__lt=now - _LEASE)
        | Q(state=_State.RUNNING, lease_until__lt=now, owner_id__isnull=False)
    )
    ids = list(stalled.order_by("pk").values_list("pk", flat=True)[:20])
    for pk in ids:
        outbox.enqueue(TASK, import_id=pk)
    # What a command was reading when it ended is read by nobody else.
    NoticeImport.objects.filter(
        state=_State.RUNNING, lease_until__lt=now, owner_id__isnull=True
    ).update(state=_State.FAILED, failure=GAVE_UP, finished_at=now, lease_until=None)
    return len(ids)


def _keep(workspace: Workspace, owner_id: int, file: Iterable[bytes]) -> tuple[int, int]:
    key = sealed.key_of(owner_id)
    assert key is not None  # made a moment ago
    size, number, held = 0, 0, bytearray()
    for data in file:
        size += len(data)
        if size > MOST_BYTES:
            message = "more than 256 MiB"
            raise TooLarge(message)
        held += data
        while len(held) >= PIECE:
            sealed.seal(workspace, owner_id, key, {_named(number): bytes(held[:PIECE])})
            del held[:PIECE]
            number += 1
    if held or not number:
        sealed.seal(workspace, owner_id, key, {_named(number): bytes(held)})
        number += 1
    return size, number


class _Kept:
    """A kept file as a stream: one piece in memory at a time."""

    def __init__(self, workspace: Workspace, owner_id: int, key: Key, pieces: int) -> None:
        self._workspace, self._owner_id, self._key = workspace, owner_id, key
        self._left = iter(range(pieces))
        self._held = b""

    def read(self, size: int = -1, /) -> bytes:
        if not self._held:
            number = next(self._left, None)
            if number is None:
                return b""
            data = sealed.unseal(self._workspace, self._owner_id, self._key, _named(number))
            self._held = data or b""
        end = len(self._held) if size < 0 else size
        data, self._held = self._held[:end], self._held[end:]
        return data


def _named(number: int) -> str:
    return f"piece:{number}"
