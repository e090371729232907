"""Payloads as they are kept: a row, and the body encrypted under a key of its own."""

import gzip
import secrets
import threading
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction

from lineage.content import sealed
from lineage.content.keys import Key, in_batches
from lineage.identifiers import keyed_hash
from lineage.inbox import outcomes as kept_outcomes
from lineage.inbox.result import Payload, Result
from lineage.models import InboxPayload
from lineage.types import Outcome
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

PREFIX: Final = "inb"
# How long whoever applies a payload has it for itself. Applied twice it comes to the same.
LEASE: Final = timedelta(minutes=2)
# How long a payload that was applied may still be needed: to answer its Idempotency-Key again, or
# to put together with what is yet to come.
NEEDED_FOR: Final = timedelta(hours=24)
# Formats of which one payload may hold but a piece.
IN_PIECES: Final = ("otlp",)
_EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)
_RANDOM_BITS: Final = 10
# How often an id is drawn before it is an error that all are taken.
_TRIES: Final = 8
_BODY: Final = "inbox:body"
_OUTCOMES: Final = "inbox:outcomes"
_MEDIA_TYPE: Final = 200
# Unpacked bodies of so much are read at once; a larger one by itself.
_AT_ONCE_BYTES: Final = 8 << 20
# Set aside means that an attempt seemed lost; if it comes back, what it did counts.
_UNFINISHED: Final = (InboxPayload.State.RECEIVED, InboxPayload.State.QUARANTINED)


def new_id(at: datetime) -> int:
    """An id in the order of arrival: microseconds since 2020, and 10 random bits (until the year 2305).

    This process never draws one twice; another may draw the same in the same microsecond.
    """
    least = first_id(at)
    with _drawn.lock:
        if _drawn.least != least or len(_drawn.bits) == 1 << _RANDOM_BITS:
            _drawn.least, _drawn.bits = least, set()
        bits = secrets.randbits(_RANDOM_BITS)
        while bits in _drawn.bits:
            bits = (bits + 1) % (1 << _RANDOM_BITS)
        _drawn.bits.add(bits)
    return least | bits


class _Drawn:
    """The random bits that this process has drawn in the last microsecond it drew in."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.least = 0
        self.bits: set[int] = set()


_drawn: Final = _Drawn()


def first_id(at: datetime) -> int:
    """The least id of a payload that arrived then or later."""
    return max(1, (at - _EPOCH) // clock.TICK) << _RANDOM_BITS


def owner_of(payload_id: int) -> int:
    """The owner id under which a payload's key and bytes are kept."""
    return -payload_id


def keep(
    workspace: Workspace,
    *,
    format: str,  # noqa: A002 - the word of the API
    media_type: str,
    body: bytes,
    packed: bytes | None,
    key_id: int | None,
    idempotency: str,
    digest: str,
) -> InboxPayload:
    """Commit a payload, leased to the caller; `packed` is the body in gzip where it came so.

    Raises IntegrityError where the idempotency key is taken.
    """
    now = clock.now()
    if packed is None:
        packed = gzip.compress(body, compresslevel=1, mtime=0)
    pk, key = _new_owner(now)
    row = InboxPayload(
        id=pk,
        workspace=workspace,
        uid=f"{PREFIX}_{keyed_hash(workspace.hash_key, 'inbox', str(pk))}",
        format=format,
        media_type=media_type[:_MEDIA_TYPE],
        size=len(body),
        api_key_id=key_id,
        received_at=now,
        next_at=now + LEASE,
        attempts=1,
        idempotency=idempotency,
        digest=digest,
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            sealed.seal(workspace, owner_of(pk), key, {_BODY: packed})
    except IntegrityError:
        sealed.destroy([owner_of(pk)])
        raise
    return row


def _new_owner(now: datetime) -> tuple[int, Key]:
    """An id that no payload has had, and its key."""
    for _ in range(_TRIES - 1):
        pk = new_id(now)
        try:
            return pk, sealed.make_key(owner_of(pk))
        except IntegrityError:
            # Another arrived in the same microsecond and drew the same bits.
            continue
    pk = new_id(now)
    return pk, sealed.make_key(owner_of(pk))


def payload_of(row: InboxPayload, body: bytes) -> Payload:
    """The payload as appliers take it."""
    return Payload(row.pk, row.uid, row.format, row.media_type, body, row.received_at)


def body_of(workspace: Workspace, payload_id: int) -> bytes | None:
    """The body, unpacked; None where it was destroyed. Raises MasterKeyError."""
    packed = _unsealed(workspace, payload_id, _BODY)
    return None if packed is None else gzip.decompress(packed)


def bodies_of(
    workspace: Workspace, payload_ids: Collection[int]
) -> Iterator[tuple[InboxPayload, bytes]]:
    """Payloads of the workspace with their bodies, unpacked, the oldest first; destroyed ones are absent.

    As many are read at once as take little memory. Raises MasterKeyError.
    """
    for some in _little_at_once(workspace, payload_ids):
        packed = sealed.unseal_all(workspace, [owner_of(row.pk) for row in some], _BODY)
        for row in some:
            if (found := packed.get(owner_of(row.pk))) is not None:
                yield row, gzip.decompress(found)


def _little_at_once(
    workspace: Workspace, payload_ids: Collection[int]
) -> Iterator[list[InboxPayload]]:
    """The rows of these payloads in groups whose bodies are small together, or alone."""
    group: list[InboxPayload] = []
    size = 0
    for some in in_batches(payload_ids):
        for row in InboxPayload.objects.filter(workspace=workspace, pk__in=some).order_by("pk"):
            if group and size + row.size > _AT_ONCE_BYTES:
                yield group
                group, size = [], 0
            group.append(row)
            size += row.size
    if group:
        yield group


def outcomes_of(workspace: Workspace, payload_id: int) -> tuple[tuple[Outcome, ...], bool] | None:
    """The outcomes that were kept, and whether the graph had them; None where there are none."""
    packed = _unsealed(workspace, payload_id, _OUTCOMES)
    return None if packed is None else kept_outcomes.unpack(packed)


def finish(workspace: Workspace, row: InboxPayload, result: Result) -> str:
    """Say what became of a payload, unless another attempt was faster; the state that follows from it."""
    found = kept_outcomes.summary(result.outcomes)
    state = InboxPayload.State.PARTLY_APPLIED if found.rejected else InboxPayload.State.APPLIED
    kept: Sequence[Outcome] = kept_outcomes.noteworthy(result.outcomes)[: kept_outcomes.KEPT]
    if row.idempotency:
        kept = result.outcomes  # the same answer is owed again
    with transaction.atomic():
        unfinished = InboxPayload.objects.filter(pk=row.pk, state__in=_UNFINISHED)
        changed = unfinished.update(
            state=state,
            applied_at=clock.now(),
            next_at=None,
            failure="",
            items=found.items,
            stored=found.stored,
            unchanged=found.unchanged,
            rejected=found.rejected,
            warned=found.warned,
            reasons=list(found.reasons),
        )
        if changed and kept and (key := sealed.key_of(owner_of(row.pk))):
            packed = kept_outcomes.pack(kept, projected=result.projected)
            sealed.seal(workspace, owner_of(row.pk), key, {_OUTCOMES: packed})
    needed = row.idempotency or row.format in IN_PIECES
    if state == InboxPayload.State.APPLIED and not needed and settings.INBOX_BODY_DAYS == 0:
        destroy_bodies([row.pk])
    return state


def destroy_bodies(payload_ids: Collection[int]) -> None:
    """Destroy the keys of these payloads, then body and outcomes; the rows stay. Idempotent."""
    sealed.destroy([owner_of(pk) for pk in payload_ids])
    InboxPayload.objects.filter(pk__in=payload_ids, body_gone_at=None).update(
        body_gone_at=clock.now()
    )


def discard(payload_ids: Collection[int]) -> None:
    """Forget payloads altogether: keys, bodies, rows."""
    sealed.destroy([owner_of(pk) for pk in payload_ids])
    InboxPayload.objects.filter(pk__in=payload_ids).delete()


def _unsealed(workspace: Workspace, payload_id: int, name: str) -> bytes | None:
    key = sealed.key_of(owner_of(payload_id))
    return None if key is None else sealed.unseal(workspace, owner_of(payload_id), key, name)
