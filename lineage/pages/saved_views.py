"""`/views/`, `/views/new`, `/views/UID`: lists and reports under a name, by a stable address."""

from typing import Final
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.incidents import saved_views
from lineage.incidents.errors import IncidentRefused
from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 50
# Lists, which carry the workspace in their address.
LISTS: Final = (
    "/answers/", "/sources/", "/components/", "/cases/", "/incidents/", "/inbox/", "/unresolved/",
    "/facts/contradictions", "/search", "/impact/", "/compare/",
)  # fmt: skip
# What can be saved: these, and reports about one thing.
PAGES: Final = (*LISTS, "/lineage/*", "/components/*", "/creators/*", "/sources/*")


@member_page
def views(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """One's own views and those shared in the workspace; `?cursor=`."""
    try:
        found = saved_views.views(viewer, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    return render_page(request, "views/list.html", {"found": found, "section": "views"})


@member_page
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Save `?address=` under a name."""
    sent = request.method == "POST"
    typed = request.POST if sent else request.GET
    address, name, wrong = typed.get("address", ""), typed.get("name", ""), {}
    try:
        address = saved_views.stable_address(address, PAGES)
        if sent:
            uid = saved_views.save(
                viewer, name=name, address=address, pages=PAGES, shared="shared" in typed
            )
            messages.success(request, _("Saved. Its address is /views/%(uid)s.") % {"uid": uid})
            return HttpResponseRedirect(f"{reverse('views')}?ws={viewer.slug}")
    except IncidentRefused as refused:
        wrong[refused.pointer.strip("/")] = refused.detail
    context = {
        "address": address,
        "name": name,
        "shared": "shared" in typed,
        "wrong": wrong,
        "section": "views",
    }
    return render_page(request, "views/new.html", context, status=422 if wrong else 200)


@object_page
def view(_request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """To the address that the view has now."""
    address = saved_views.view(viewer, uid).address
    parts = urlsplit(address)
    if parts.path in LISTS:
        address += ("&" if parts.query else "?") + urlencode({"ws": viewer.slug})
    return HttpResponseRedirect(address)


@require_POST
@object_page
def act(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """Rename, share or delete it, then back to the list."""
    try:
        if step == "change":
            saved_views.change(
                viewer, uid, name=request.POST.get("name", ""), shared="shared" in request.POST
            )
        elif step == "delete":
            saved_views.delete(viewer, uid)
            messages.success(request, _("The view was deleted."))
        else:
            raise Http404
    except IncidentRefused as refused:
        messages.error(request, refused.detail)
    return HttpResponseRedirect(f"{reverse('views')}?ws={viewer.slug}")
