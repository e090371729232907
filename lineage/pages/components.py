"""`/components/`, `/components/UID` and `/runs/UID`: what made the answers, by version, and what it did."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from lineage.nodes.component import component_view
from lineage.nodes.component_runs import run_view
from lineage.nodes.component_versions import component_families
from lineage.nodes.component_work import Work
from lineage.nodes.index_snapshots import latest_snapshots
from lineage.nodes.paging import CursorInvalid
from lineage.pages.names import version_of
from lineage.pages.plots import Plot, bar_plot
from lineage.pages.words import COMPONENT_KINDS, GRADE_ORDER
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 20
_LONGEST_QUERY: Final = 400


@member_page
def components(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?kind=`, `?q=`, `?cursor=`: families of components."""
    kind, q = request.GET.get("kind", ""), request.GET.get("q", "")[:_LONGEST_QUERY]
    cursor = request.GET.get("cursor") or None
    try:
        found = component_families(
            viewer, component_kind=kind or None, q=q, limit=PAGE_SIZE, cursor=cursor
        )
    except CursorInvalid:
        return _anew(request)
    context = {
        "snapshots": latest_snapshots(viewer) if not (kind or q or cursor) else (),
        "found": found, "section": "components", "kind": kind, "q": q,
        "kinds": [each for each in COMPONENT_KINDS if found.kinds.get(each) or each == kind],
    }  # fmt: skip
    return render_page(
        request, "lineage/components.html", context, partials={"list": "lineage/_components.html"}
    )


@object_page
def component(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?runs=` and `?versions=` are cursors of its two lists."""
    try:
        page = component_view(
            viewer,
            uid,
            limit=PAGE_SIZE,
            runs=request.GET.get("runs") or None,
            versions=request.GET.get("versions") or None,
        )
    except CursorInvalid:
        return _anew(request)
    context = {
        "page": page,
        "plots": plots_of(page.work),
        "grades": GRADE_ORDER,
        "section": "components",
        "version": version_of(page.node.fields) or "",
        "others": [each for each in page.versions.items if each.uid != page.node.uid],
    }
    partials = {"runs": "lineage/_component_runs.html"}
    return render_page(request, "lineage/component.html", context, partials=partials)


@object_page
def run(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?used=` and `?made=` are cursors of what it used and made."""
    try:
        page = run_view(
            viewer,
            uid,
            limit=PAGE_SIZE,
            used=request.GET.get("used") or None,
            generated=request.GET.get("made") or None,
        )
    except CursorInvalid:
        return _anew(request)
    return render_page(
        request, "lineage/run.html", {"page": page, "section": "components"}
    )  # fmt: skip


def plots_of(work: Work) -> Mapping[str, Plot]:
    """The plots of a component's latest runs; none where no run has a time."""
    if not work.steps:
        return {}
    return {
        "runs": bar_plot([s.runs for s in work.steps], [s.failed for s in work.steps]),
        "outputs": bar_plot([s.outputs for s in work.steps]),
    }


def _anew(request: HttpRequest) -> HttpResponse:
    """A cursor that is no cursor of this list: offer its beginning."""
    context: Mapping[str, Any] = {"again": request.path}
    return render_page(request, "400.html", context, status=400)
