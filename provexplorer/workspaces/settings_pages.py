"""`/settings/`, `/settings/members/`, `/settings/keys/`: who may do what in the workspace; admins only."""

import re
from datetime import timedelta
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.htmx import render_page
from provexplorer.workspaces import invitations, keys, members
from provexplorer.workspaces.models import Role, Workspace
from provexplorer.workspaces.pages import member_page
from provexplorer.workspaces.roles import KEY_SCOPES, WORDS

# Days after which a new key ends; 0: never.
LIFETIMES: Final = (30, 90, 365, 0)
_MOST_GROUPS: Final = 100
_LONGEST_LABEL: Final = 200
_LONGEST_NAME: Final = 150  # of an account
_MOST_KEYS: Final = 500


@member_page(minimum=Role.OPERATOR)
def index(request: HttpRequest, _viewer: Viewer) -> HttpResponse:
    """What there is to set."""
    return render_page(request, "settings/index.html", {"section": "settings"})


@member_page(minimum=Role.ADMIN)
def people(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The members and the open invitations; a form for another, the only page that shows its address."""
    workspace = _workspace(viewer)
    context: dict[str, Any] = {}
    if request.method == "POST":
        role = request.POST.get("role", "")
        if role not in Role.values:
            raise Http404
        _made, token = invitations.invite(workspace, role=role, groups=_groups(request), by=viewer)
        address = reverse("invitation", args=[token])
        context["invited"] = request.build_absolute_uri(address)
    q = _typed(request.GET, "q", most=_LONGEST_NAME).strip()
    context |= {
        "page": members.members(
            workspace, after=_typed(request.GET, "after", most=_LONGEST_NAME), q=q
        ),
        "member_q": q,
        "invitations": invitations.open_invitations(workspace),
        "days": invitations.DAYS,
        "roles": Role.values,
        "me": viewer.user_id,
        "section": "settings",
    }
    return render_page(request, "settings/members.html", context)


@require_POST
@member_page(minimum=Role.ADMIN)
def change_people(request: HttpRequest, viewer: Viewer, step: str) -> HttpResponse:
    """Change or remove a member, withdraw an invitation."""
    workspace = _workspace(viewer)
    if step == "withdraw":
        invitations.withdraw(workspace, _typed(request.POST, "invitation"), by=viewer)
        messages.success(request, _("Nobody comes in by that invitation any more."))
        return _back("members", viewer)
    try:
        pk = int(request.POST.get("member", ""))
    except ValueError as error:
        raise NotFound from error
    try:
        if step == "remove":
            name = members.remove(workspace, pk, by=viewer)
            messages.success(request, _("%(name)s is no member any more.") % {"name": name})
        else:
            role, groups = request.POST.get("role", ""), _groups(request)
            changed = members.change(workspace, pk, role=role, groups=groups, by=viewer)
            messages.success(request, _("Changed: %(name)s.") % {"name": changed.user.username})
    except members.LastAdmin:
        messages.error(request, _("A workspace keeps an admin: make somebody else one first."))
    except (ValidationError, OverflowError) as error:
        raise NotFound from error
    return _back("members", viewer)


@member_page(minimum=Role.ADMIN)
def api_keys(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The keys of machines; a form for another, whose reply is the only page that shows it."""
    workspace = _workspace(viewer)
    chosen = [scope for scope in KEY_SCOPES if scope in request.POST.getlist("scope")]
    context: dict[str, Any] = {"chosen": chosen or ["ingest"], "label": "", "wrong": False}
    status = 200
    if request.method == "POST":
        label = _typed(request.POST, "label", most=_LONGEST_LABEL).strip()
        if chosen:
            days = request.POST.get("days", "")
            lifetime = int(days) if days in map(str, LIFETIMES) else LIFETIMES[0]
            expires_at = clock.now() + timedelta(days=lifetime) if lifetime else None
            key, plaintext = keys.create_key(
                workspace=workspace, scopes=chosen, label=label, groups=_groups(request),
                expires_at=expires_at, by=viewer,
            )  # fmt: skip
            context |= {"made": key, "plaintext": plaintext}
        else:
            context |= {"wrong": True, "label": label, "chosen": []}
            status = 422
    now = clock.now()
    every = list(keys.latest_keys_of(workspace, most=_MOST_KEYS))
    context |= {
        "keys": [key for key in every if _state(key, now) == "active"],
        "ended": [(key, _state(key, now)) for key in every if _state(key, now) != "active"],
        "scopes_offered": WORDS.items(),
        "lifetimes": LIFETIMES,
        "section": "settings",
    }
    return render_page(request, "settings/keys.html", context, status=status)


@require_POST
@member_page(minimum=Role.ADMIN)
def revoke(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """End a key for ever."""
    public_id = _typed(request.POST, "key")
    if keys.revoke_key(workspace=_workspace(viewer), public_id=public_id, by=viewer):
        messages.success(request, _("The key lets nobody in any more."))
    return _back("api_keys", viewer)


def _state(key: Any, now: Any) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "active"


def _groups(request: HttpRequest) -> list[str]:
    """Names of groups, separated by commas or lines."""
    words = re.split(r"[,\n]", _typed(request.POST, "groups"))
    return sorted({word.strip() for word in words if word.strip()})[:_MOST_GROUPS]


def _typed(form: QueryDict, name: str, *, most: int | None = None) -> str:
    """What stands in a field, without NULs, which PostgreSQL refuses."""
    return form.get(name, "").replace("\0", "")[:most]


def _workspace(viewer: Viewer) -> Workspace:
    return Workspace.objects.get(pk=viewer.workspace_id)


def _back(name: str, viewer: Viewer) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{reverse(name)}?ws={viewer.slug}")
