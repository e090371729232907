"""`/settings/cases/`: who decides cases, and who is told of them by mail."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from lineage.cases import rules
from lineage.cases.errors import ScopeMissing
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page


@member_page
def page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The member's own mails; for administrators the rule of the workspace, too."""
    if request.method == "POST":
        try:
            if "rule" in request.POST:
                rules.set_another_person(viewer, demanded=request.POST.get("rule") == "on")
            elif "mail" in request.POST:
                rules.set_mail(viewer, wanted=request.POST.get("mail") == "on")
        except ScopeMissing as error:
            raise PermissionDenied from error
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(f"{reverse('case_settings')}?ws={viewer.slug}")
    context = {
        "another_person": rules.another_person_decides(viewer.workspace_id),
        "wants_mail": rules.wants_mail(viewer),
        "has_mail": bool(settings.EMAIL_HOST),
        "address": getattr(request.user, "email", ""),
        "section": "cases",
    }
    return render_page(request, "cases/settings.html", context)
