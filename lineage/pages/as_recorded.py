"""`/lineage/UID/as-recorded`: which answers rested on a node, by what had been recorded until an instant."""

from datetime import UTC
from typing import Final

from django.http import HttpRequest, HttpResponse

from lineage.impact.as_of import as_recorded
from lineage.impact.as_of_page import page_of
from lineage.nodes import node
from lineage.nodes.paging import CursorInvalid
from lineage.pages.changes import USUAL
from lineage.pages.instants import last_of
from lineage.pages.names import name_of, nodes_of
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page

PAGE_SIZE: Final = 50


@object_page
def page(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?until=` (a date, which counts to its end, or an instant, UTC; a week ago), `?after=` goes on in the list."""
    typed = request.GET.get("until", "")
    until = last_of(typed)
    found = as_recorded(viewer, uid, until or clock.now() - USUAL)
    try:
        items, following = page_of(found.items, PAGE_SIZE, request.GET.get("after") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    named = nodes_of(viewer, {each.uid for each in items})
    at = found.until.astimezone(UTC)
    context = {
        "root": node(viewer, uid),
        "found": found,
        "total": len(found.items),
        "counts": [(grade, count) for grade, count in found.counts.items() if count],
        "answers": [
            (name_of(named[each.uid]) if each.uid in named else each.uid, each) for each in items
        ],
        "next": following,
        "typed": f"{at:%Y-%m-%dT%H:%M}",
        "until": at.isoformat().replace("+00:00", "Z"),
        "wrong": bool(typed) and until is None,
    }
    return render_page(request, "lineage/as_recorded.html", context)
