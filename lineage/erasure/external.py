"""Systems outside that hold copies: told of an erasure by a signed message, and to acknowledge it.

The message names what went by uid and by the client's own keys, since other systems know it
by nothing else. It is composed for each attempt from what is kept under a key that goes with
the end of the erasure. The acknowledgement is signed with the same secret.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from lineage import outbox
from lineage.cases.errors import ScopeMissing
from lineage.content import apart
from lineage.formats.times import written
from lineage.identifiers import keyed_hash
from lineage.models import Erasure, ErasurePlace, ExternalTarget
from lineage.types import JsonValue, NotFound, Viewer
from lineage.webhooks.sending import AddressRefused, check_url, new_secret_words, send
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit

PREFIX: Final = "ext"
TYPE: Final = "erasure.requested"
ACKNOWLEDGE_AT: Final = "/api/v1/erasures/acknowledge"
# Targets of one workspace; pieces that one message names: more are told in further messages.
MOST: Final = 20
MOST_NAMED: Final = 20_000
_LONGEST_NAME: Final = 200
_SECRET_BYTES: Final = 32


class SystemRefused(Exception):
    """A target that cannot stand; `pointer` says which field."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(detail)
        self.pointer, self.detail = pointer, detail


class NotTaken(Exception):
    """The other side did not take the message; `code` as lineage.webhooks.sending has it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class TargetView:
    """A system that is told. `waiting`: erasures that it has not acknowledged."""

    uid: str
    name: str
    target_kind: str
    url: str
    host: str
    created_at: datetime
    waiting: int


def make(viewer: Viewer, *, name: str, target_kind: str, url: str) -> tuple[str, str]:
    """A new target: its uid and its secret, which nothing can give again.

    Raises ScopeMissing (admin), SystemRefused.
    """
    _require(viewer)
    name, url = name.strip(), url.strip()
    if not name or len(name) > _LONGEST_NAME:
        raise SystemRefused("/name", _("A name of 1 to 200 characters."))
    if target_kind not in ExternalTarget.Kind.values:
        raise SystemRefused("/target_kind", _("This is no kind of system."))
    try:
        check_url(url)
    except AddressRefused as error:
        raise SystemRefused(
            "/url", _("An https address of a public host, without user, port or fragment.")
        ) from error
    if _living(viewer).count() >= MOST:
        raise SystemRefused("/url", _("At most %(most)d systems.") % {"most": MOST})
    secret, owner_id = secrets.token_bytes(_SECRET_BYTES), apart.new_owner()
    try:
        with transaction.atomic():
            row = ExternalTarget.objects.create(
                workspace_id=viewer.workspace_id,
                uid=f"{PREFIX}_{keyed_hash(viewer.hash_key, PREFIX, secrets.token_hex(16))}",
                name=name,
                target_kind=target_kind,
                url=url,
                owner_id=owner_id,
                created_at=clock.now(),
                created_by_id=viewer.user_id,
            )
            apart.keep_secret(viewer, owner_id, secret)
            audit.record("target.made", viewer, object_uid=row.uid, details={"name": name, "url": url})  # fmt: skip
    except BaseException:
        apart.destroy([owner_id])
        raise
    return row.uid, new_secret_words(secret)


def targets(viewer: Viewer) -> tuple[TargetView, ...]:
    """The systems of the workspace, newest first; at most 20. Raises ScopeMissing (admin)."""
    _require(viewer)
    rows = list(_living(viewer).order_by("-id")[:MOST])
    waiting: dict[int, int] = {}
    open_rows = ErasurePlace.objects.filter(
        target__in=rows, erasure__state=Erasure.State.RUNNING
    ).exclude(state=ErasurePlace.State.DONE)
    for pk in open_rows.order_by("pk").values_list("target_id", flat=True):
        waiting[pk or 0] = waiting.get(pk or 0, 0) + 1
    return tuple(
        TargetView(
            uid=row.uid,
            name=row.name,
            target_kind=row.target_kind,
            url=row.url,
            host=urlsplit(row.url).netloc,
            created_at=row.created_at,
            waiting=waiting.get(row.pk, 0),
        )
        for row in rows
    )


def remove(viewer: Viewer, uid: str) -> None:
    """Tell it nothing any more. Ledgers that wait for it say that it was removed.

    Raises NotFound, ScopeMissing (admin).
    """
    _require(viewer)
    row = _living(viewer).filter(uid=uid).first()
    if row is None:
        raise NotFound
    now = clock.now()
    with transaction.atomic():
        ExternalTarget.objects.filter(pk=row.pk).update(removed_at=now)
        audit.record("target.removed", viewer, object_uid=uid)
        waiting = ErasurePlace.objects.filter(target=row).exclude(state=ErasurePlace.State.DONE)
        cases = list(waiting.order_by("pk").values_list("erasure_id", flat=True))
        waiting.update(state=ErasurePlace.State.DONE, error="removed", next_at=None, done_at=now)
        for case_id in cases:
            outbox.enqueue("lineage.erase_case", case_id=case_id)
    apart.destroy([row.owner_id])


def tell_targets(erasure: Erasure) -> int:
    """A row of the ledger for each system of the workspace, in the caller's transaction; how many."""
    now = clock.now()
    living = ExternalTarget.objects.filter(workspace_id=erasure.workspace_id, removed_at=None)
    rows = [
        ErasurePlace(
            erasure=erasure,
            name=f"external:{target.uid}",
            ordinal=100 + ordinal,
            target=target,
            message=new_message(),
            next_at=now,
        )
        for ordinal, target in enumerate(living.order_by("pk")[:MOST])
    ]
    ErasurePlace.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def new_message() -> str:
    """The id of a message that has not been sent yet."""
    return f"msg_{keyed_hash(secrets.token_bytes(32), 'erasure')}"[:30]


def page_of(place: ErasurePlace) -> int:
    """The number, from 1, of the message that the row is at; its cursor counts what was acknowledged."""
    return place.cursor // MOST_NAMED + 1


def tell(place: ErasurePlace, names: Sequence[Mapping[str, JsonValue]]) -> None:
    """Send the message that one row is at: it names what none before it did. Raises NotTaken."""
    target, erasure = place.target, place.erasure
    assert target is not None
    secret = apart.secret_of(erasure.workspace, target.owner_id)
    if secret is None:
        raise NotTaken("switched_off")
    now = clock.now()
    message = {
        "type": TYPE,
        "timestamp": written(now),
        "data": {
            "erasure": erasure.case.uid,
            "target": target.uid,
            "acknowledge": ACKNOWLEDGE_AT,
            "items": list(names[place.cursor : place.cursor + MOST_NAMED]),
            "total": len(names),
            "page": page_of(place),
            "pages": max(1, -(-len(names) // MOST_NAMED)),
            "truncated": len(names) > MOST_NAMED,
        },
    }
    sent = send(
        target.url,
        message_id=place.message,
        timestamp=int(now.timestamp()),
        body=json.dumps(message, separators=(",", ":")).encode("ascii"),
        secret=secret,
    )
    if sent.failure:
        raise NotTaken(sent.failure)


def _living(viewer: Viewer) -> QuerySet[ExternalTarget]:
    return ExternalTarget.objects.filter(workspace_id=viewer.workspace_id, removed_at=None)


def _require(viewer: Viewer) -> None:
    if "admin" not in viewer.scopes:
        raise ScopeMissing("admin")
