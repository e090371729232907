"""`/lineage/UID`: what a node rests on and what rests on it, by stage."""

from django.http import HttpRequest, HttpResponse

from lineage.pages.around import DEEPEST, DIRECTIONS, around
from lineage.types import GraphAway, Viewer
from lineage.vocabulary import CASE_TARGET_KINDS, KINDS
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page

# Towards the sources from what was made late, towards the answers from what came first.
_LATE_STAGE = 6


@object_page
def lineage(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?direction=up|down|both`, `?depth=`, `?stage=` (the column shown at length)."""
    direction = next((each for each in DIRECTIONS if each == request.GET.get("direction")), None)
    try:
        page = around(
            viewer,
            uid,
            direction=direction or "both",
            depth=_number(request.GET.get("depth"), 10, 1, DEEPEST),
            opened=_number(request.GET.get("stage"), 0, 0, 8) or None,
        )
    except GraphAway:
        response = render_page(request, "503.html", {}, status=503)
        response["Retry-After"] = "10"
        return response
    context = {
        "page": page,
        "directions": DIRECTIONS,
        "stage": KINDS[page.root.kind].stage,
        "may_be_target": page.root.kind in CASE_TARGET_KINDS and not page.root.hidden,
    }
    return render_page(request, "lineage/lineage.html", context)


def _number(given: str | None, default: int, least: int, most: int) -> int:
    """A number of the address within its bounds; the default for what is none."""
    if given is None or not given.isascii() or not given.isdigit() or len(given) > 9:
        return default
    return max(least, min(int(given), most))
