"""Who is asking: the viewer of a signed-in member, for a list page or for an object."""

from django.contrib.auth.models import AnonymousUser
from django.core.validators import slug_re
from django.db.models import Q
from django.http import HttpRequest

from lineage.identifiers import kind_of_uid
from lineage.models import Case, Node, UidAlias
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Membership, Role, User
from provexplorer.workspaces.roles import SCOPE_OF_ROLE, scopes_of

WORKSPACE_PARAMETER = "ws"


def viewer_of_membership(membership: Membership) -> Viewer:
    """The viewer that a membership makes; its workspace must be loaded with it."""
    return Viewer(
        workspace_id=membership.workspace_id,
        hash_key=membership.workspace.hash_key,
        slug=membership.workspace.slug,
        groups=frozenset(membership.groups),
        sees_all=membership.role == Role.ADMIN,
        scopes=scopes_of(membership.role),
        user_id=membership.user_id,
    )


def viewer_of_request(request: HttpRequest, slug: str | None = None) -> Viewer:
    """The viewer of a list page: of `slug`, else of `?ws=`, else of the member's first workspace.

    Raises NotFound alike for a workspace that does not exist, for one of others,
    and for whoever is not signed in.
    """
    wanted = slug if slug is not None else request.GET.get(WORKSPACE_PARAMETER)
    if wanted is None:
        return _viewer(request, Q())
    # PostgreSQL refuses a NUL, and a slug has none.
    if not slug_re.match(wanted):
        raise NotFound
    return _viewer(request, Q(workspace__slug=wanted))


def viewer_for_uid(request: HttpRequest, uid: str) -> Viewer:
    """The viewer for the object with this uid, in the workspace that holds it.

    Raises NotFound exactly alike (after the same single query) for a uid that
    nobody holds, one of a workspace the member is not in, and one that was never
    sent to the member's own. A provisional or placeholder's uid counts as held.
    """
    kind = kind_of_uid(uid)
    if kind is None:
        raise NotFound
    holders = Q(workspace_id__in=Node.objects.filter(uid=uid).values("workspace_id"))
    if kind.name == "case":
        holders |= Q(workspace_id__in=Case.objects.filter(uid=uid).values("workspace_id"))
    else:
        holders |= Q(workspace_id__in=UidAlias.objects.filter(uid=uid).values("workspace_id"))
    return _viewer(request, holders)


def may(viewer: Viewer, role: str) -> bool:
    """Whether the viewer has at least this role (for a key: its scope)."""
    return SCOPE_OF_ROLE[role] in viewer.scopes


def _viewer(request: HttpRequest, narrowed: Q) -> Viewer:
    user: User | AnonymousUser = request.user
    if not isinstance(user, User) or not user.is_active:
        raise NotFound
    membership = (
        Membership.objects.select_related("workspace")
        .filter(narrowed, user_id=user.pk)
        .order_by("workspace__slug")
        .first()
    )
    if membership is None:
        raise NotFound
    return viewer_of_membership(membership)
