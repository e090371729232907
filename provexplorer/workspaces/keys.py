"""API keys of machines: `pvx_ID_SECRET`, shown once, kept as a keyed hash.

A key is read from the database at each call, so a revocation holds
for the very next request.
"""

import secrets
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Final

from django.db import transaction

from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import By, record
from provexplorer.workspaces.models import ApiKey, Workspace
from provexplorer.workspaces.roles import ADMIN, KEY_SCOPES, SCOPES
from provexplorer.workspaces.secret_hashes import hash_of, matches

_PREFIX: Final = "pvx"
_SALT: Final = "provexplorer.workspaces.api-key"
_ID_BYTES: Final = 8
_SECRET_BYTES: Final = 32
_PARTS: Final = 3
# pvx_ + 16 + _ + 64 characters; anything much longer is no key and is not hashed.
_MAX_LENGTH: Final = 128


class UnknownScopeError(ValueError):
    """A key was asked for with a scope that does not exist."""


def create_key(
    *,
    workspace: Workspace,
    scopes: Collection[str],
    label: str = "",
    groups: Collection[str] = (),
    expires_at: datetime | None = None,
    requests_per_minute: int | None = None,
    by: By = None,
) -> tuple[ApiKey, str]:
    """Make a key; the second value is its plaintext, which nothing can give again.

    `by`: who makes it, for the audit log.

    Without `requests_per_minute` the installation's limit holds; 0 is none. Raises
    UnknownScopeError for a scope outside `ingest read operate edit admin` and `ingest:FORMAT`.
    """
    unknown = sorted(set(scopes) - set(KEY_SCOPES))
    if unknown:
        raise UnknownScopeError(", ".join(unknown))
    public_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_hex(_SECRET_BYTES)
    with transaction.atomic():
        key = ApiKey.objects.create(
            workspace=workspace,
            public_id=public_id,
            secret_hash=hash_of(secret, _SALT),
            label=label,
            scopes=[scope for scope in KEY_SCOPES if scope in scopes],
            groups=sorted(set(groups)),
            expires_at=expires_at,
            requests_per_minute=requests_per_minute,
        )
        record(
            "key.made", by, workspace_id=workspace.pk, object_uid=public_id,
            details={"label": label, "scopes": list(key.scopes)},
        )  # fmt: skip
    return key, f"{_PREFIX}_{public_id}_{secret}"


def keys_of(workspace: Workspace) -> Iterator[ApiKey]:
    """The workspace's keys, the oldest first, those that have ended included."""
    return ApiKey.objects.filter(workspace=workspace).order_by("created_at", "pk").iterator()


def latest_keys_of(workspace: Workspace, *, most: int) -> list[ApiKey]:
    """The workspace's keys, the newest first, those that have ended included; at most so many."""
    return list(ApiKey.objects.filter(workspace=workspace).order_by("-created_at", "-pk")[:most])


def revoke_key(*, workspace: Workspace, public_id: str, by: By = None) -> bool:
    """End a key at once and for ever; False if the workspace has no such key in force."""
    in_force = ApiKey.objects.filter(
        workspace=workspace, public_id=public_id, revoked_at__isnull=True
    )
    with transaction.atomic():
        revoked = bool(in_force.update(revoked_at=clock.now()))
        if revoked:
            record("key.revoked", by, workspace_id=workspace.pk, object_uid=public_id)
    return revoked


def viewer_of_key(authorization: str) -> Viewer | None:
    """The viewer of an `Authorization` header; None for whatever is no key in force.

    An unknown id costs the same comparison as a wrong secret.
    """
    public_id, secret = _parts(authorization)
    if not secret:
        return None
    key = ApiKey.objects.select_related("workspace").filter(public_id=public_id).first()
    known = matches(secret, _SALT, key.secret_hash if key else "")
    if key is None or not known or not _in_force(key):
        return None
    sees_all = ADMIN in key.scopes
    return Viewer(
        workspace_id=key.workspace_id,
        hash_key=key.workspace.hash_key,
        slug=key.workspace.slug,
        groups=frozenset(key.groups),
        sees_all=sees_all,
        scopes=frozenset(SCOPES if sees_all else key.scopes),
        key_id=key.pk,
        requests_per_minute=key.requests_per_minute,
    )


def _parts(authorization: str) -> tuple[str, str]:
    """Id and secret of `Bearer pvx_ID_SECRET`; two empty strings for anything else."""
    scheme, _, token = authorization.strip().partition(" ")
    parts = token.strip().split("_")
    if scheme.lower() != "bearer" or len(token) > _MAX_LENGTH or len(parts) != _PARTS:
        return "", ""
    prefix, public_id, secret = parts
    well_formed = prefix == _PREFIX and token.isascii() and public_id.isalnum() and secret
    return (public_id, secret) if well_formed else ("", "")


def _in_force(key: ApiKey) -> bool:
    return key.revoked_at is None and (key.expires_at is None or clock.now() < key.expires_at)
