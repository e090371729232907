"""Workspaces and the accounts of their members."""

from collections.abc import Collection
from typing import Final

from django.contrib.auth.password_validation import validate_password
from django.db import transaction

from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.models import Membership, Role, User, Workspace

DEMO_SLUG: Final = "demo"


@transaction.atomic
def create_demo() -> Workspace:
    """The demo workspace and one account per role, named by it; the same again when called again.

    The accounts have no password: they can be entered only by the demo's buttons
    (provexplorer.workspaces.demo), never by the password form.
    """
    workspace, _ = Workspace.objects.get_or_create(
        slug=DEMO_SLUG, defaults={"name": "Demo", "is_demo": True}
    )
    for role in Role.values:
        user, created = User.objects.get_or_create(username=role)
        if created:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        Membership.objects.get_or_create(user=user, workspace=workspace, defaults={"role": role})
    return workspace


@transaction.atomic
def create_workspace(*, slug: str, name: str) -> Workspace:
    """A new, empty workspace. Raises ValidationError for a slug that is taken or malformed."""
    workspace = Workspace(slug=slug, name=name)
    workspace.full_clean()
    workspace.save()
    return workspace


@transaction.atomic
def add_member(
    *,
    workspace: Workspace,
    username: str,
    role: str,
    password: str | None = None,
    groups: Collection[str] = (),
) -> Membership:
    """Let an account into the workspace with a role and groups; a new one needs a password.

    An existing account keeps its password. Raises ValidationError for a weak or
    missing password, a malformed name or an unknown role.
    """
    user = User.objects.filter(username=username).first()
    if user is None:
        user = User(username=username)
        validate_password(password or "", user)
        user.set_password(password)
        user.full_clean()
        user.save()
    membership = Membership.objects.filter(user=user, workspace=workspace).first()
    verb = "membership.changed" if membership else "membership.added"
    membership = membership or Membership(user=user, workspace=workspace)
    membership.role, membership.groups = role, sorted(set(groups))
    membership.full_clean()
    membership.save()
    record(verb, None, workspace_id=workspace.pk, object_uid=str(user.pk), code=role)
    return membership
