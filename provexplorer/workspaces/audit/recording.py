"""Writes the audit log: one entry for one deed, in the transaction of the deed."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Final, Literal

from django.db import IntegrityError, transaction

from lineage.content import apart
from lineage.identifiers import keyed_hash
from lineage.types import JsonValue, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.models import AuditDetail, AuditEntry, AuditWaiting
from provexplorer.workspaces.audit.verbs import VERBS
from provexplorer.workspaces.models import Workspace

PREFIX: Final = "aud"
# The workspace of what concerns the installation alone.
INSTALLATION: Final = 0
NOBODY: Final = "nobody"
By = Viewer | int | Literal["nobody"] | None
_Kind = AuditEntry.ActorKind


def record(
    verb: str,
    by: By,
    *,
    workspace_id: int | None = None,
    object_uid: str = "",
    code: str = "",
    details: Mapping[str, JsonValue] | None = None,
    once: str = "",
) -> bool:
    """Write down what was done; False where it was written before (`once`).

    In the transaction at hand: what is rolled back was not done. `by`: the viewer, the id of
    an account, None for the product by itself, or NOBODY, who was not let in; where it is no
    viewer, `workspace_id` says in which log. `code`: one word of the product.
    `details`: what may have to be erased one day (names, addresses, filters): encrypted under
    a key of their own, of which the entry holds a keyed hash alone. `once` (at most 80
    characters): what has the same is written once in a workspace. Raises ValueError for a
    verb that there is not.
    """
    if verb not in VERBS:
        message = f"{verb} is no verb of the audit log"
        raise ValueError(message)
    kind, actor = _actor(by)
    workspace = by.workspace_id if isinstance(by, Viewer) else workspace_id or INSTALLATION
    if once and AuditEntry.objects.filter(workspace_id=workspace, once=once).exists():
        return False
    try:
        with transaction.atomic():
            entry = AuditEntry.objects.create(
                uid=f"{PREFIX}_{keyed_hash(secrets.token_bytes(32), PREFIX)}",
                workspace_id=workspace,
                at=clock.now(),
                verb=verb,
                actor_kind=kind,
                actor_id=actor,
                object_uid=object_uid,
                code=code,
                details_hash=_hash(workspace, details) if details else "",
                once=once or None,
            )
            AuditWaiting.objects.create(entry_id=entry.pk, workspace_id=workspace)
            if details:
                _keep(entry, details)
    except IntegrityError:
        # Another has written the same just now.
        if not once:
            raise
        return False
    return True


def details_of(workspace: Workspace, entry_ids: list[int]) -> dict[int, dict[str, JsonValue]]:
    """The details of these entries that can still be read, by the entry's id."""
    rows = AuditDetail.objects.filter(entry_id__in=entry_ids).order_by("entry_id")
    owners = dict(rows.values_list("owner_id", "entry_id"))
    kept = apart.secrets_of(workspace, list(owners)) if owners else {}
    return {owners[owner_id]: json.loads(data) for owner_id, data in kept.items()}


def erase_details(workspace_id: int, object_uid: str, *, by: By = None) -> int:
    """Destroy the details of all entries about an object; how many. The entries stay, and their chain.

    `by`: who does so where it is not the product by itself.
    """
    entries = AuditEntry.objects.filter(workspace_id=workspace_id, object_uid=object_uid)
    rows = list(AuditDetail.objects.filter(entry_id__in=entries.values("pk")).order_by("entry_id"))
    apart.destroy([row.owner_id for row in rows])
    if rows:
        with transaction.atomic():
            AuditDetail.objects.filter(entry_id__in=[row.entry_id for row in rows]).delete()
            record(
                "audit.details_erased", by, workspace_id=workspace_id, object_uid=object_uid,
            )  # fmt: skip
    return len(rows)


def _actor(by: By) -> tuple[str, int | None]:
    if by == NOBODY:
        return _Kind.NOBODY, None
    if isinstance(by, Viewer) and by.key_id is not None:
        return _Kind.KEY, by.key_id
    account = by.user_id if isinstance(by, Viewer) else by
    return (_Kind.MEMBER, account) if isinstance(account, int) else (_Kind.PRODUCT, None)


def _written(details: Mapping[str, JsonValue]) -> bytes:
    return json.dumps(dict(details), sort_keys=True, separators=(",", ":")).encode("ascii")


def _hash(workspace_id: int, details: Mapping[str, JsonValue]) -> str:
    """HMAC-SHA256 under the workspace's key, as the guide says."""
    if workspace_id == INSTALLATION:
        message = "details are kept under a workspace's key"
        raise ValueError(message)
    key = Workspace.objects.get(pk=workspace_id).hash_key
    return hmac.new(key, b"audit\n" + _written(details), hashlib.sha256).hexdigest()


def _keep(entry: AuditEntry, details: Mapping[str, JsonValue]) -> None:
    workspace = Workspace.objects.get(pk=entry.workspace_id)
    owner_id = apart.new_owner()
    try:
        apart.keep_secret(workspace, owner_id, _written(details))
        AuditDetail.objects.create(entry_id=entry.pk, owner_id=owner_id)
    except BaseException:
        apart.destroy([owner_id])
        raise
