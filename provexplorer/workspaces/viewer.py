"""Who is asking: the viewer of a signed-in member, for a list page or for an object."""

from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core.validators import slug_re
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from lineage.compiled import Compiled, Given
from lineage.identifiers import kind_of_uid
from lineage.models import Case, InboxPayload, Node, UidAlias
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from provexplorer.workspaces.roles import SCOPE_OF_ROLE, scopes_of

WORKSPACE_PARAMETER = "ws"
# Uids of what was sent (lineage.models.InboxPayload), which are no nodes.
PAYLOAD_PREFIX: Final = "inb_"


def viewer_of_request(request: HttpRequest, slug: str | None = None) -> Viewer:
    """The viewer of a list page: of `slug`, else of `?ws=`, else of the member's first workspace.

    Raises NotFound alike for a workspace that does not exist, for one of others,
    and for whoever is not signed in.
    """
    wanted = slug if slug is not None else request.GET.get(WORKSPACE_PARAMETER)
    if wanted is None:
        return _viewer(request, _FIRST)
    # PostgreSQL refuses a NUL, and a slug has none.
    if not slug_re.match(wanted):
        raise NotFound
    return _viewer(request, _NAMED, slug=wanted)


def viewer_for_uid(request: HttpRequest, uid: str) -> Viewer:
    """The viewer for the object with this uid, in the workspace that holds it.

    Raises NotFound exactly alike (after the same single query) for a uid that
    nobody holds, one of a workspace the member is not in, and one that was never
    sent to the member's own. A provisional or placeholder's uid counts as held.
    """
    if uid.startswith(PAYLOAD_PREFIX):
        return _viewer(request, _OF_A_PAYLOAD, uid=uid)
    kind = kind_of_uid(uid)
    if kind is None:
        raise NotFound
    return _viewer(request, _OF_A_CASE if kind.name == "case" else _OF_A_NODE, uid=uid)


def may(viewer: Viewer, role: str) -> bool:
    """Whether the viewer has at least this role (for a key: its scope)."""
    return SCOPE_OF_ROLE[role] in viewer.scopes


def _memberships(given: Given, narrowed: Q) -> "QuerySet[Membership, Any]":
    """The user's memberships, the first of those that are left, with what a viewer needs of each."""
    return (
        Membership.objects.filter(narrowed, user_id=given.id("user"))
        .order_by("workspace__slug")
        .values_list(
            "workspace_id", "workspace__uid_key", "workspace__slug", "groups", "role", "user_id"
        )[:1]
    )


def _holding(given: Given, other: "type[Case | UidAlias]") -> "QuerySet[Membership, Any]":
    """Of workspaces that hold the uid, as a node or in another way."""
    uid = given.text("uid")
    return _memberships(
        given,
        Q(workspace_id__in=Node.objects.filter(uid=uid).values("workspace_id"))
        | Q(workspace_id__in=other.objects.filter(uid=uid).values("workspace_id")),
    )


_FIRST: Final = Compiled(lambda given: _memberships(given, Q()))
_NAMED: Final = Compiled(lambda given: _memberships(given, Q(workspace__slug=given.text("slug"))))
_OF_A_NODE: Final = Compiled(lambda given: _holding(given, UidAlias))
_OF_A_CASE: Final = Compiled(lambda given: _holding(given, Case))

_OF_A_PAYLOAD: Final = Compiled(
    lambda given: _memberships(
        given,
        Q(
            workspace_id__in=InboxPayload.objects.filter(uid=given.text("uid")).values(
                "workspace_id"
            )
        ),
    )
)


def _viewer(request: HttpRequest, found: "Compiled[Membership]", **values: str) -> Viewer:
    user: User | AnonymousUser = request.user
    if not isinstance(user, User) or not user.is_active:
        raise NotFound
    for workspace_id, key, slug, groups, role, user_id in found.rows(user=user.pk, **values):
        return Viewer(
            workspace_id=workspace_id,
            hash_key=Workspace(uid_key=key).hash_key,
            slug=slug,
            groups=frozenset(groups),
            sees_all=role == Role.ADMIN,
            scopes=scopes_of(role),
            user_id=user_id,
        )
    raise NotFound
