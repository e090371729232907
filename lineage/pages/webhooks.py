"""`/webhooks/`, `/webhooks/UID`: addresses outside that are told of incidents."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.cases.errors import ScopeMissing
from lineage.incidents import view as incident_views
from lineage.incidents import webhooks
from lineage.incidents.errors import IncidentRefused
from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
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
    context: dict[str, Any] = {"typed": request.POST.get("url", ""), "wrong": "", "made": None}
    status = 200
    if request.method == "POST":
        try:
            uid, secret = webhooks.make(viewer, url=context["typed"], incident=incident)
        except IncidentRefused as refused:
            context["wrong"], status = refused.detail, 422
        else:
            context |= {"made": webhooks.webhook(viewer, uid), "secret": secret, "typed": ""}
    context |= {
        "hooks": webhooks.webhooks(viewer),
        "incident": incident_views.incident_row(viewer, incident) if incident else None,
        "section": "incidents",
    }
    return render_page(request, "incidents/webhooks.html", context, status=status)


@object_page(minimum=Role.OPERATOR)
def hook(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One address with what was sent to it; `?cursor=`."""
    found = webhooks.webhook(viewer, uid)
    try:
        log = webhooks.deliveries(
            viewer, uid, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {"hook": found, "log": log, "section": "incidents"}
    return render_page(request, "incidents/webhook.html", context)


@require_POST
@object_page(minimum=Role.OPERATOR)
def act(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """Test it, switch it on again or delete it."""
    if step not in STEPS:
        raise Http404
    try:
        STEPS[step](viewer, uid)
    except ScopeMissing as error:
        raise PermissionDenied from error
    except IncidentRefused as refused:
        messages.error(request, refused.detail)
    if step == "delete":
        messages.success(request, _("The webhook was deleted."))
        return HttpResponseRedirect(f"{reverse('webhooks')}?ws={viewer.slug}")
    if step == "test":
        messages.success(request, _("A test is on its way; load the page again to see what came of it."))  # fmt: skip
    return HttpResponseRedirect(reverse("webhook", args=[uid]))


STEPS: Final[Mapping[str, Callable[[Viewer, str], object]]] = {
    "test": webhooks.test,
    "switch-on": webhooks.switch_on,
    "delete": webhooks.delete,
}
