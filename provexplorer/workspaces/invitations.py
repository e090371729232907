"""Invitations: the address of one lets one person into a workspace, with the role that it names.

Nothing tells whether a name has an account: who is invited signs in or makes an account, and
the address does the rest. It is shown once, works once, and ends by itself.
"""

import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db import transaction

from provexplorer import clock
from provexplorer.workspaces.audit.recording import By, record
from provexplorer.workspaces.models import Invitation, Membership, User, Workspace
from provexplorer.workspaces.secret_hashes import hash_of, matches

DAYS: Final = 7
_SALT: Final = "provexplorer.workspaces.invitation"
_LONGEST: Final = 128


class AlreadyMember(Exception):
    """Who opens it is a member: the invitation stays for somebody else."""


def invite(
    workspace: Workspace,
    *,
    role: str,
    groups: Collection[str] = (),
    days: int = DAYS,
    by: By = None,
) -> tuple[Invitation, str]:
    """A new invitation and the token of its address, which nothing can give again.

    `by`: who invites, for the audit log; so `withdraw`. Raises ValidationError for an unknown role.
    """
    public_id, secret = secrets.token_hex(8), secrets.token_hex(32)
    now = clock.now()
    invitation = Invitation(
        workspace=workspace,
        public_id=public_id,
        secret_hash=hash_of(secret, _SALT),
        role=role,
        groups=sorted(set(groups)),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    invitation.full_clean(exclude=["workspace", "ended_at", "used_by"])
    with transaction.atomic():
        invitation.save()
        record(
            "invitation.made", by, workspace_id=workspace.pk, object_uid=public_id, code=role,
        )  # fmt: skip
    return invitation, f"{public_id}_{secret}"


def opened(token: str) -> Invitation | None:
    """The invitation of a token, in force; None for any other token, all alike."""
    public_id, _, secret = token.partition("_")
    if len(token) > _LONGEST or not secret or not token.isascii() or not public_id.isalnum():
        return None
    found = Invitation.objects.select_related("workspace").filter(public_id=public_id).first()
    known = matches(secret, _SALT, found.secret_hash if found else "")
    if found is None or not known or found.ended_at is not None:
        return None
    return found if clock.now() < found.expires_at else None


def accept(token: str, user: User) -> Membership | None:
    """Let the account in; None where the invitation is no longer in force. Raises AlreadyMember."""
    with transaction.atomic():
        invitation = opened(token)
        if invitation is None:
            return None
        if Membership.objects.filter(user=user, workspace=invitation.workspace).exists():
            raise AlreadyMember
        # Of two who open it at once, one comes in.
        used = Invitation.objects.filter(pk=invitation.pk, ended_at__isnull=True).update(
            ended_at=clock.now(), used_by=user
        )
        if not used:
            return None
        record(
            "membership.added", user.pk, workspace_id=invitation.workspace_id,
            object_uid=str(user.pk), code=invitation.role,
        )  # fmt: skip
        return Membership.objects.create(
            user=user,
            workspace=invitation.workspace,
            role=invitation.role,
            groups=invitation.groups,
        )


def open_invitations(workspace: Workspace) -> list[Invitation]:
    """Those in force, the newest first; at most 100."""
    rows = Invitation.objects.filter(workspace=workspace, ended_at__isnull=True)
    return list(rows.filter(expires_at__gt=clock.now()).order_by("-created_at", "pk")[:100])


def withdraw(workspace: Workspace, public_id: str, *, by: By = None) -> bool:
    """End an invitation; False if the workspace has none such in force."""
    rows = Invitation.objects.filter(workspace=workspace, public_id=public_id)
    with transaction.atomic():
        ended = bool(rows.filter(ended_at__isnull=True).update(ended_at=clock.now()))
        if ended:
            record("invitation.withdrawn", by, workspace_id=workspace.pk, object_uid=public_id)
    return ended
