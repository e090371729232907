"""`/lineage/UID`: what a node rests on and what rests on it, by stage; `/lineage/UID/picture.svg`: the picture alone."""

from datetime import UTC
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from lineage.nodes.find import find
from lineage.pages.around import MOST_NODES, around
from lineage.pages.picture_address import DEPTHS, read_address
from lineage.pages.picture_drawer import drawer
from lineage.pages.words import OWN_PAGES
from lineage.types import GraphAway, Viewer
from lineage.vocabulary import CASE_TARGET_KINDS
from provexplorer import clock
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.pages import object_page

PARTIALS: Final = {"drawer": "lineage/_drawer.html", "around": "lineage/_around.html"}


@object_page
def lineage(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?direction=up|down|both`, `?depth=`, `?open=KIND,KIND:PORTIONS`, `?in_KIND=words`, `?as_of=`, `?node=` (selected)."""
    address = read_address(uid, request.GET)
    # The drawer alone needs no walk.
    if partial_of(request, PARTIALS) == PARTIALS["drawer"]:
        find(viewer, uid)
        context = {
            "address": address,
            "drawer": drawer(viewer, address.node or uid),
            "own_pages": OWN_PAGES,
        }
        return render_page(request, "lineage/lineage.html", context, partials=PARTIALS)
    try:
        page = around(viewer, uid, address=address, most=MOST_NODES)
    except GraphAway:
        return _away(request)
    context = {
        "page": page,
        "address": address,
        "drawer": drawer(viewer, address.node) if address.node else None,
        "own_pages": OWN_PAGES,
        "directions": ("both", "up", "down"),
        # Nothing of before is shown under a date that none is.
        "no_date": bool(request.GET.get("as_of")) and not address.as_of,
        "depths": sorted({*DEPTHS, address.depth}),
        "may_be_target": page.root.kind in CASE_TARGET_KINDS and not page.root.hidden,
    }
    return render_page(request, "lineage/lineage.html", context, partials=PARTIALS)


@object_page
def picture(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The same picture as a file that needs nothing else: SVG, with the query of the page."""
    address = read_address(uid, request.GET)
    try:
        page = around(viewer, uid, address=address, most=MOST_NODES)
    except GraphAway:
        return _away(request)
    context = {
        "page": page,
        "at": clock.now().astimezone(UTC),
        "where": request.build_absolute_uri(request.path.removesuffix("/picture.svg")),
    }
    response = HttpResponse(
        render_to_string("lineage/picture.svg", context, request),
        content_type="image/svg+xml; charset=utf-8",
    )
    response["Content-Disposition"] = f'attachment; filename="lineage-{uid}.svg"'
    return response


def _away(request: HttpRequest) -> HttpResponse:
    response = render_page(request, "503.html", {}, status=503)
    response["Retry-After"] = "10"
    return response
