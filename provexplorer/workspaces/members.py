"""The members of a workspace: listed, given another role or other groups, let go.

A workspace always keeps an admin: whoever would be the last cannot be let go or made less.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q

from lineage.types import NotFound
from provexplorer.workspaces.audit.recording import By, record
from provexplorer.workspaces.models import Membership, Role, Workspace

PAGE_SIZE: Final = 100


class LastAdmin(Exception):
    """Nobody would be left who can let others in."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member; `pk` names the membership, `last_seen` the last sign-in."""

    pk: int
    name: str
    role: str
    groups: tuple[str, ...]
    last_seen: datetime | None
    active: bool


@dataclass(frozen=True, slots=True)
class MemberPage:
    """Members by name; `next` is the name after which the next page begins."""

    items: tuple[Member, ...]
    next: str | None
    total: int


def members(workspace: Workspace, *, after: str = "", q: str = "") -> MemberPage:
    """A page of members by name, of those whose name begins with `q`."""
    mine = Membership.objects.filter(workspace=workspace)
    if q:
        mine = mine.filter(user__username__istartswith=q)
    rows = list(
        mine.filter(user__username__gt=after)
        .select_related("user")
        .order_by("user__username")[: PAGE_SIZE + 1]
    )
    page = rows[:PAGE_SIZE]
    return MemberPage(
        items=tuple(
            Member(
                pk=row.pk,
                name=row.user.username,
                role=row.role,
                groups=tuple(row.groups),
                last_seen=row.user.last_login,
                active=row.user.is_active,
            )
            for row in page
        ),
        next=page[-1].user.username if len(rows) > PAGE_SIZE else None,
        total=mine.count(),
    )


@transaction.atomic
def change(
    workspace: Workspace, pk: int, *, role: str, groups: Collection[str], by: By = None
) -> Membership:
    """Give a member this role and these groups, from the next request on.

    Raises NotFound, LastAdmin, ValidationError for an unknown role.
    """
    membership = _held(workspace, pk)
    if role != Role.ADMIN:
        _require_another_admin(workspace, membership)
    membership.role, membership.groups = role, sorted(set(groups))
    membership.full_clean()
    membership.save(update_fields=["role", "groups"])
    _note("membership.changed", membership, by)
    return membership


@transaction.atomic
def remove(workspace: Workspace, pk: int, *, by: By = None) -> str:
    """Let a member go, from the next request on; the name. Raises NotFound, LastAdmin."""
    membership = _held(workspace, pk)
    _require_another_admin(workspace, membership)
    membership.delete()
    _note("membership.removed", membership, by)
    return membership.user.username


def _note(verb: str, membership: Membership, by: By) -> None:
    record(
        verb, by, workspace_id=membership.workspace_id, object_uid=str(membership.user_id),
        code=membership.role,
    )  # fmt: skip


def _held(workspace: Workspace, pk: int) -> Membership:
    """The membership, while no other change of the workspace's members is under way."""
    # Two admins who let each other go wait for one another here.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    found = Membership.objects.select_related("user").filter(workspace=workspace, pk=pk).first()
    if found is None:
        raise NotFound
    return found


def _require_another_admin(workspace: Workspace, membership: Membership) -> None:
    others = Membership.objects.filter(
        ~Q(pk=membership.pk), workspace=workspace, role=Role.ADMIN, user__is_active=True
    )
    if membership.role == Role.ADMIN and not others.exists():
        raise LastAdmin
