"""`/settings/external-targets/`, `/cases/UID/erasure`: who outside is told of erasures; what goes."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.cases.errors import CaseConflict, ScopeMissing
from lineage.erasure import external
from lineage.erasure.ledger import choose
from lineage.models import ExternalTarget
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page


@member_page(minimum=Role.ADMIN)
def targets(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The systems of the workspace, and a form for another; `remove` of the form takes one away.

    The reply to the form is the only page that ever shows the secret.
    """
    typed = {name: request.POST.get(name, "") for name in ("name", "target_kind", "url")}
    context: dict[str, Any] = {"typed": typed, "wrong": "", "wrong_at": "", "secret": ""}
    status = 200
    if request.method == "POST" and (uid := request.POST.get("remove")):
        external.remove(viewer, uid)
        messages.success(request, _("It is told of nothing any more."))
        return HttpResponseRedirect(f"{reverse('external_targets')}?ws={viewer.slug}")
    if request.method == "POST":
        try:
            made, secret = external.make(viewer, **typed)
        except external.SystemRefused as refused:
            context |= {"wrong": refused.detail, "wrong_at": refused.pointer}
            status = 422
        else:
            context |= {"made": made, "secret": secret, "typed": {}}
    context |= {
        "targets": external.targets(viewer),
        "kinds": ExternalTarget.Kind.values,
        "section": "settings",
    }
    return render_page(request, "settings/external_targets.html", context, status=status)


@require_POST
@object_page(minimum=Role.OPERATOR)
def choice(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """Decide whether what describes the content goes as well; back to the case."""
    try:
        choose(viewer, uid, describing=request.POST.get("describing") == "1")
    except ScopeMissing as error:
        raise PermissionDenied from error
    except CaseConflict:
        messages.error(request, _("What goes is fixed once the case takes effect."))
    return HttpResponseRedirect(reverse("case", args=[uid]))
