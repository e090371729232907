"""`/compare/?old=UID&new=UID`: two component versions or two index snapshots side by side."""

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse

from lineage.comparison.compare import (
    FIRST,
    NotComparable,
    UnknownStage,
    comparable_with,
    comparison,
)
from lineage.comparison.pairs import Change
from lineage.nodes.find import settled
from lineage.nodes.paging import CursorInvalid
from lineage.pages.words import COMPARED_STAGES
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page

PAGE_SIZE: Final = 20


def page(request: HttpRequest) -> HttpResponseBase:
    """`?stage=` and `?change=` choose the list below the numbers, `?cursor=` its page.

    Without `?old=`, a choice of what to compare with; without `?new=`, the list to choose from.
    """
    if not request.GET.get("new"):
        return HttpResponseRedirect(reverse("components"))
    served: HttpResponseBase = _page(request, uid=request.GET.get("new", ""))
    return served


@object_page
def _page(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    given = {name: request.GET.get(name, "") for name in ("old", "stage", "change", "cursor")}
    if not given["old"]:
        choice = comparable_with(viewer, settled(viewer, uid))
        return render_page(
            request, "compare/choose.html", {"choice": choice, "section": "components"}
        )
    old, new = settled(viewer, given["old"]), settled(viewer, uid)
    if (old, new) != (given["old"], uid):
        return HttpResponseRedirect(
            f"{reverse('compare')}?{urlencode({**request.GET.dict(), 'old': old, 'new': new})}"
        )
    try:
        found = comparison(
            viewer,
            old,
            new,
            stage=given["stage"] or FIRST,
            change=given["change"],
            limit=PAGE_SIZE,
            cursor=given["cursor"] or None,
        )
    except NotComparable:
        return render_page(
            request, "compare/unlike.html", {"uids": (old, new), "section": "components"}
        )
    except (UnknownStage, CursorInvalid):
        again = f"{request.path}?{urlencode({'old': old, 'new': new})}"
        return render_page(request, "400.html", {"again": again}, status=400)
    context = {
        "seen": found,
        "stages": [(stage, COMPARED_STAGES[stage.name]) for stage in found.stages],
        "changes": list(Change),
        "section": "components",
        **given,
        "new": new,
        "stage": found.page.stage.name if found.page is not None else "",
    }
    return render_page(
        request, "compare/compare.html", context, partials={"pairs": "compare/_pairs.html"}
    )
