"""Receives a request of ingestion: kept, then applied at once, then answered."""

import hashlib
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError

from lineage.formats.body import unpack
from lineage.formats.refusals import BodyRefused
from lineage.identifiers import keyed_hash
from lineage.inbox.attempt import attempt
from lineage.inbox.errors import IdempotencyKeyReused
from lineage.inbox.keeping import NEEDED_FOR, discard, keep, outcomes_of
from lineage.inbox.result import Result
from lineage.models import InboxPayload
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# How long an Idempotency-Key holds: as long as the answer is kept.
IDEMPOTENT_FOR: Final = NEEDED_FOR


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the sender is told.

    `state` is applied, partly_applied or quarantined, or `accepted`: all is kept, and will
    be applied (`result` is None) or shown in the graph (`result.projected` is False) later.
    `repeated`: the answer is that of an earlier request with the same Idempotency-Key.
    """

    uid: str
    state: str
    result: Result | None
    repeated: bool = False


def receive(
    workspace: Workspace,
    *,
    format: str,  # noqa: A002 - the word of the API
    body: bytes,
    media_type: str,
    content_encoding: str = "",
    key_id: int | None = None,
    idempotency_key: str = "",
) -> Receipt:
    """Commit the payload, apply it, and say what became of it.

    Nothing of a body that is unusable as a whole is kept: raises BodyRefused. Raises
    IdempotencyKeyReused where the key came with another body within 24 hours.
    """
    data = unpack(body, content_encoding)
    mark, digest = "", ""
    if idempotency_key:
        mark = keyed_hash(workspace.hash_key, "idempotency", str(key_id), idempotency_key)
        shape = (format, media_type, hashlib.sha256(data).hexdigest())
        digest = keyed_hash(workspace.hash_key, "inbox-body", *shape)
    row = _earlier(workspace, mark, digest)
    if row is not None and row.state != InboxPayload.State.RECEIVED:
        return _again(workspace, row)
    if row is None:
        row = _kept(
            workspace,
            format=format,
            media_type=media_type,
            body=data,
            packed=None if data is body else body,
            key_id=key_id,
            mark=mark,
            digest=digest,
        )
    # One that came before and is not applied yet: applied here as well, it comes to the same.
    try:
        result = attempt(workspace, row, data)
    except BodyRefused:
        discard([row.pk])
        raise
    if result is None or not result.projected:
        return Receipt(row.uid, "accepted", result)
    return Receipt(row.uid, row.state, result)


def _earlier(workspace: Workspace, mark: str, digest: str) -> InboxPayload | None:
    """The payload that came with this Idempotency-Key, while the key holds."""
    if not mark:
        return None
    row = InboxPayload.objects.filter(workspace=workspace, idempotency=mark).first()
    if row is None:
        return None
    if row.received_at <= clock.now() - IDEMPOTENT_FOR:
        InboxPayload.objects.filter(pk=row.pk).update(idempotency="", digest="")
        return None
    if row.digest != digest:
        raise IdempotencyKeyReused
    return row


def _kept(
    workspace: Workspace,
    *,
    format: str,  # noqa: A002 - the word of the API
    media_type: str,
    body: bytes,
    packed: bytes | None,
    key_id: int | None,
    mark: str,
    digest: str,
) -> InboxPayload:
    def row() -> InboxPayload:
        return keep(
            workspace,
            format=format,
            media_type=media_type,
            body=body,
            packed=packed,
            key_id=key_id,
            idempotency=mark,
            digest=digest,
        )

    try:
        return row()
    except IntegrityError:
        # The same key came a moment ago with another request, or (never seen) the same id.
        return _earlier(workspace, mark, digest) or row()


def _again(workspace: Workspace, row: InboxPayload) -> Receipt:
    """The answer that was given; without its outcomes where they were erased since."""
    kept = outcomes_of(workspace, row.pk)
    if kept is None:
        return Receipt(row.uid, row.state, None, repeated=True)
    result = Result(*kept)
    return Receipt(row.uid, row.state if result.projected else "accepted", result, repeated=True)
