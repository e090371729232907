"""Workspaces are walls: members, roles, groups and API keys live here."""

import secrets

from django.contrib.auth.models import AbstractUser
from django.db import models

from provexplorer.workspaces.audit import models as audit_models  # noqa: F401 - found here by Django


def new_uid_key() -> str:
    """32 random bytes as hex: keys the uids and digests of one workspace."""
    return secrets.token_hex(32)


class User(AbstractUser):
    """A person who signs in. Custom from the first migration on."""


class Workspace(models.Model):
    """A wall: every read and write is scoped to one workspace."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    uid_key = models.CharField(max_length=64, default=new_uid_key)
    # A demo workspace offers sign-in by one button per role, on loopback only.
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def hash_key(self) -> bytes:
        """Key of this workspace's uids and keyed digests."""
        return bytes.fromhex(self.uid_key)


class Role(models.TextChoices):
    """What a member may do; each role includes those before it."""

    READER = "reader"
    OPERATOR = "operator"
    EDITOR = "editor"
    ADMIN = "admin"


class Membership(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.READER)
    # Names of the access groups whose sources this member may see.
    groups = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "workspace"], name="one_membership")]


class ApiKey(models.Model):
    """A key of a machine: `pvx_ID_SECRET`, shown once, of which only a keyed hash is kept."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="api_keys")
    public_id = models.CharField(max_length=16, unique=True)
    secret_hash = models.CharField(max_length=64)
    label = models.CharField(max_length=200, blank=True)
    # Of provexplorer.workspaces.roles.KEY_SCOPES.
    scopes = models.JSONField(default=list)
    groups = models.JSONField(default=list, blank=True)
    # Null: as REQUESTS_PER_MINUTE_KEY says; 0: without a limit of its own.
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)


class Invitation(models.Model):
    """A way into the workspace for whoever opens its address, once; of its secret only a keyed hash is kept."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="invitations")
    public_id = models.CharField(max_length=16, unique=True)
    secret_hash = models.CharField(max_length=64)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.READER)
    groups = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # Used, or withdrawn: nobody comes in by it any more.
    ended_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
