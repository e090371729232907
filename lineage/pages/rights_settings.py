"""`/settings/rights/`: what a source must state before anything of it is indexed."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from lineage.cases.errors import ScopeMissing
from lineage.rights.glance import glance
from lineage.rights.known import Rules
from lineage.rights.policy import rules_of, set_rules
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page


@member_page(minimum=Role.OPERATOR)
def page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Operators read it, admins change it."""
    if request.method == "POST":
        try:
            set_rules(
                viewer, Rules(creator="creator" in request.POST, licence="licence" in request.POST)
            )
        except ScopeMissing as error:
            raise PermissionDenied from error
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(f"{reverse('rights_settings')}?ws={viewer.slug}")
    context = {
        "rules": rules_of(viewer.workspace_id),
        "glance": glance(viewer),
        "section": "settings",
    }
    return render_page(request, "rights/settings.html", context)
