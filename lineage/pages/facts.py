"""`/facts/UID`, `/facts/contradictions` and the authority of a source, which sorts their sides."""

from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.cases.errors import ScopeMissing
from lineage.nodes.authority import GREATEST, set_authority
from lineage.nodes.facts import contradictions as contradictory_facts
from lineage.nodes.facts import fact_page
from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 20
_LONGEST_NUMBER: Final = 6


@object_page
def fact(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """A fact with where it comes from, and those that say something else."""
    return render_page(request, "facts/fact.html", {"page": fact_page(viewer, uid)})


@member_page
def contradictions(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?cursor=`."""
    try:
        found = contradictory_facts(
            viewer, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    return render_page(request, "facts/contradictions.html", {"found": found})


@require_POST
@object_page(minimum=Role.EDITOR)
def authority(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """Set a source's authority, then back to the source."""
    given = request.POST.get("authority", "").strip()[:_LONGEST_NUMBER]
    try:
        set_authority(viewer, uid, int(given))
    except ScopeMissing as error:
        raise PermissionDenied from error
    except ValueError:
        messages.error(
            request,
            _("The authority is a whole number from -%(most)d to %(most)d.") % {"most": GREATEST},
        )
    else:
        messages.success(request, _("The authority is set."))
    return HttpResponseRedirect(reverse("source", args=[uid]))
