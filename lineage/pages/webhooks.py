"""`/settings/webhooks/`, `/settings/webhooks/UID`: addresses outside that are told what happens."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from lineage.cases.errors import ScopeMissing
from lineage.incidents import view as incident_views
from lineage.nodes.paging import CursorInvalid
from lineage.pages.webhook_signs import EVENT_GROUPS
from lineage.pages.words import Text
from lineage.types import Viewer
from lineage.webhooks import addresses, events, log
from lineage.webhooks.errors import WebhookRefused
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 50


@member_page(minimum=Role.OPERATOR)
def hooks(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The addresses of the workspace, and a form for another; `?incident=UID`: of that one alone.

    The reply to the form is the only page that ever shows the secret.
    """
    incident = request.POST.get("incident", request.GET.get("incident", ""))
    among = events.OF_INCIDENTS if incident else events.TYPES
    context: dict[str, Any] = {"typed": "", "chosen": among, "wrong": "", "made": None}
    status = 200
    if request.method == "POST":
        context |= {"typed": request.POST.get("url", ""), "chosen": request.POST.getlist("event")}
        try:
            uid, secret = addresses.make(
                viewer, url=context["typed"], incident=incident, types=context["chosen"]
            )
        except WebhookRefused as refused:
            context |= {"wrong": refused.detail, "wrong_at": refused.pointer}
            status = 422
        else:
            context |= {"made": addresses.webhook(viewer, uid), "secret": secret, "typed": "", "chosen": among}  # fmt: skip
    context |= {
        "hooks": addresses.webhooks(viewer),
        "incident": incident_views.incident_row(viewer, incident) if incident else None,
        "groups": _groups(among),
        "section": "settings",
    }
    return render_page(request, "settings/webhooks.html", context, status=status)


@object_page(minimum=Role.OPERATOR)
def hook(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One address with what was sent to it; `?state=`, `?cursor=`."""
    found = addresses.webhook(viewer, uid)
    state = request.GET.get("state", "")
    try:
        sent = log.deliveries(
            viewer, uid, state=state, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None
        )
    except (CursorInvalid, WebhookRefused):
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "hook": found,
        "log": sent,
        "state": state,
        "states": log.STATES,
        "groups": _groups(events.OF_INCIDENTS if found.incident else events.TYPES),
        "section": "settings",
    }
    return render_page(request, "settings/webhook.html", context)


@require_POST
@object_page(minimum=Role.OPERATOR)
def act(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """Test it, choose what it is told, send again, switch it on again or delete it."""
    if step not in STEPS:
        raise Http404
    try:
        said = STEPS[step](request, viewer, uid)
    except ScopeMissing as error:
        raise PermissionDenied from error
    except WebhookRefused as refused:
        messages.error(request, refused.detail)
    else:
        messages.success(request, said)
        if step == "delete":
            return HttpResponseRedirect(f"{reverse('webhooks')}?ws={viewer.slug}")
    return HttpResponseRedirect(reverse("webhook", args=[uid]))


def _test(_request: HttpRequest, viewer: Viewer, uid: str) -> str:
    addresses.test(viewer, uid)
    return _("A test is on its way; load the page again to see what came of it.")


def _choose(request: HttpRequest, viewer: Viewer, uid: str) -> str:
    addresses.choose(viewer, uid, request.POST.getlist("event"))
    return _("It is told of these events from now on.")


def _replay(request: HttpRequest, viewer: Viewer, uid: str) -> str:
    delivery = request.POST.get("delivery", "")
    if not delivery:
        number = log.replay_failed(viewer, uid)
        return ngettext(
            "%(number)d delivery is sent again.", "%(number)d deliveries are sent again.", number
        ) % {"number": number}
    if log.replay(viewer, uid, delivery):
        return _("It is sent again; load the page again to see what came of it.")
    return _("It is under way already.")


def _switch_on(_request: HttpRequest, viewer: Viewer, uid: str) -> str:
    addresses.switch_on(viewer, uid)
    return _("It is told again what happens from now on.")


def _delete(_request: HttpRequest, viewer: Viewer, uid: str) -> str:
    addresses.delete(viewer, uid)
    return _("The webhook was deleted.")


def _groups(among: tuple[str, ...]) -> list[tuple[Text, list[str]]]:
    """The events to choose among, under what they are about."""
    return [
        (label, [each for each in among if each.startswith(f"{name}.")])
        for name, label in EVENT_GROUPS.items()
        if any(each.startswith(f"{name}.") for each in among)
    ]


STEPS: Final[Mapping[str, Callable[[HttpRequest, Viewer, str], str]]] = {
    "test": _test,
    "choose": _choose,
    "replay": _replay,
    "switch-on": _switch_on,
    "delete": _delete,
}
