"""`/inbox/`, `/inbox/UID`: what was sent, what became of it, and sending it through again."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from lineage.formats.refusals import BODY, RECORD
from lineage.inbox import replay, view
from lineage.models import InboxPayload
from lineage.nodes.paging import CursorInvalid
from lineage.pages.words import FORMATS
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30
STATES: Final = ("quarantined", "partly_applied", "received", "applied")


@member_page(minimum=Role.OPERATOR)
def inbox(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?state=`, `?format=`, `?cursor=`."""
    state, of_format = request.GET.get("state", ""), request.GET.get("format", "")
    try:
        found = view.inbox(
            viewer,
            states=(state,) if state in STATES else (),
            formats=(of_format,) if of_format in FORMATS else (),
            limit=PAGE_SIZE,
            cursor=request.GET.get("cursor") or None,
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "found": found,
        "state": state if state in STATES else "",
        "format": of_format if of_format in FORMATS else "",
        "states": STATES,
        "formats": FORMATS,
        "most": view.MOST_COUNTED,
        "problems": RECORD | BODY,
        "section": "inbox",
    }
    return render_page(request, "inbox/list.html", context, partials={"list": "inbox/_list.html"})


@object_page(minimum=Role.OPERATOR)
def payload(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One payload: its counts, what was refused or warned of; its body for administrators."""
    found = view.payload(viewer, uid)
    context = {
        "found": found,
        "payload": found.row,
        "problems": RECORD | BODY,
        "section": "inbox",
    }
    return render_page(request, "inbox/payload.html", context)


@require_POST
@object_page(minimum=Role.OPERATOR)
def replay_one(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """Apply one payload again, then back to it."""
    state = replay.replay(viewer, uid)
    if state == InboxPayload.State.APPLIED:
        messages.success(request, _("It was applied."))
    elif state == InboxPayload.State.RECEIVED:
        messages.warning(request, _("It could not be applied now; it is tried again by itself."))
    else:
        messages.error(request, _("It was tried again, and did not go through whole."))
    return HttpResponseRedirect(reverse("inbox_payload", args=[uid]))


@require_POST
@member_page(minimum=Role.OPERATOR)
def replay_quarantined(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Have everything quarantined applied again, then back to the list."""
    count = replay.replay_quarantined(viewer)
    messages.success(
        request,
        ngettext("%(count)d payload is sent through again.", "%(count)d payloads are sent through again.", count)
        % {"count": count},
    )  # fmt: skip
    return HttpResponseRedirect(f"{reverse('inbox')}?ws={viewer.slug}")
