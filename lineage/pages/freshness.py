"""`/sources/UID/checks` and `/settings/freshness/`: looks at a source, and whether there are any."""

from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.cases.errors import ScopeMissing
from lineage.freshness import switching
from lineage.freshness.checks import checks_of, watch_numbers
from lineage.nodes.paging import CursorInvalid
from lineage.pages.freshness_signs import LOOKS
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 50
# The section of the source's page to which one comes back, and which says what was done.
BESIDE: Final = "checks"


@object_page
def checks(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """All looks at a source; `?cursor=`."""
    try:
        found = checks_of(viewer, uid, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    return render_page(request, "sources/checks.html", {"checks": found, "section": "sources"})


@require_POST
@object_page(minimum=Role.OPERATOR)
def step(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """`now`, `pause` or `resume`, then back to the source."""
    try:
        match step:
            case "now":
                switching.look_soon(viewer, uid)
                messages.success(
                    request,
                    _("It will be looked at as soon as its site may be asked."),
                    extra_tags=BESIDE,
                )
            case "pause":
                switching.set_paused(viewer, uid, paused=True)
                messages.success(request, _("It is not looked at any more."), extra_tags=BESIDE)
            case "resume":
                switching.set_paused(viewer, uid, paused=False)
                messages.success(request, _("It is looked at again."), extra_tags=BESIDE)
            case _other:
                raise Http404
    except ScopeMissing as error:
        raise PermissionDenied from error
    except switching.WatchRefused as refused:
        messages.error(
            request,
            _("The sources of this workspace are not watched.")
            if refused.code == "switched_off"
            else _("Looking at this source is paused."),
            extra_tags=BESIDE,
        )
    return HttpResponseRedirect(f"{reverse('source', args=[uid])}#{BESIDE}")


@member_page(minimum=Role.OPERATOR)
def settings(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Whether the workspace is watched, and how its watch stands; administrators switch it."""
    if request.method == "POST":
        try:
            switching.set_watching(viewer, watching=request.POST.get("watch") == "on")
        except ScopeMissing as error:
            raise PermissionDenied from error
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(f"{reverse('freshness_settings')}?ws={viewer.slug}")
    numbers = watch_numbers(viewer)
    outcomes = [(code, numbers.by_outcome[code]) for code in LOOKS if code in numbers.by_outcome]
    context = {"numbers": numbers, "outcomes": outcomes, "section": "settings"}
    return render_page(request, "settings/freshness.html", context)
