"""What the frame of every page shows: the workspace, the member's others, and what they may do."""

from typing import Any, Final

from django.http import HttpRequest

from lineage.compiled import Compiled
from lineage.types import Viewer
from provexplorer.workspaces.models import Membership, User

_MOST_WORKSPACES: Final = 50
_WORKSPACES: Final = Compiled(
    lambda given: (
        Membership.objects.filter(user_id=given.id("user"))
        .order_by("workspace__slug")
        .values_list("workspace__slug", "workspace__name", "role")[:_MOST_WORKSPACES]
    )
)


def member(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `viewer`, `workspace` {slug, name, role}, all `workspaces`, `scopes`.

    Of nobody signed in: `viewer` None, `workspace` None, no workspaces. On a page
    without a workspace of its own (an error, say) the workspace is None as well.
    """
    user = getattr(request, "user", None)
    viewer: Viewer | None = getattr(request, "viewer", None)
    if not isinstance(user, User):
        return {"viewer": None, "workspace": None, "workspaces": [], "scopes": frozenset()}
    rows = _WORKSPACES.rows(user=user.pk)
    workspaces = [{"slug": slug, "name": name, "role": role} for slug, name, role in rows]
    slug = viewer.slug if viewer else None
    return {
        "viewer": viewer,
        "workspace": next((each for each in workspaces if each["slug"] == slug), None),
        "workspaces": workspaces,
        "scopes": viewer.scopes if viewer else frozenset(),
    }
