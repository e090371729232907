"""Who is asking: the viewer of a signed-in member, for a list page or for an object."""

from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core.validators import slug_re
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from lineage.compiled import Compiled, Given
from lineage.identifiers import kind_of_uid
from lineage.models import (
    Case,
    ExternalTarget,
    InboxPayload,
    Incident,
    Node,
    Notice,
    NoticeFeed,
    NoticeImport,
    SavedView,
    UidAlias,
    Webhook,
)
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from provexplorer.workspaces.roles import SCOPE_OF_ROLE, scopes_of

WORKSPACE_PARAMETER = "ws"
# What has uids and is no node, by their prefix.
Beside = (
    ExternalTarget
    | InboxPayload
    | Incident
    | Notice
    | NoticeFeed
    | NoticeImport
    | SavedView
    | Webhook
)
BESIDE_NODES: "Final[dict[str, type[Beside]]]" = {
    "ext_": ExternalTarget,
    "inb_": InboxPayload,
    "inc_": Incident,
    "ntc_": Notice,
    "nfd_": NoticeFeed,
    "nim_": NoticeImport,
    "whk_": Webhook,
    "viw_": SavedView,
}
_PREFIX: Final = 4


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
    if (held := _BESIDE_NODES.get(uid[:_PREFIX])) is not None:
        return _viewer(request, held, uid=uid)
    kind = kind_of_uid(uid)
    if kind is None:
        raise NotFound
    return _viewer(request, _OF_A_CASE if kind.name == "case" else _OF_A_NODE, uid=uid)


def is_uid(uid: str) -> bool:
    """Whether this is the uid of anything that there could be."""
    return uid[:_PREFIX] in BESIDE_NODES or kind_of_uid(uid) is not None


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


def _holding_beside(
    model: "type[Beside]",
) -> "Compiled[Membership]":
    """Of the workspace that holds something that is no node."""
    return Compiled(
        lambda given: _memberships(
            given,
            Q(workspace_id__in=model.objects.filter(uid=given.text("uid")).values("workspace_id")),
        )
    )


_BESIDE_NODES: Final = {prefix: _holding_beside(model) for prefix, model in BESIDE_NODES.items()}


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
