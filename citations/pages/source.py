"""`/sources/UID`: a work with its versions and notices."""

from typing import Final

from django.http import HttpRequest, HttpResponse

from citations.pages.difference import number_of
from citations.rights_signals import signals_told
from citations.source import source_page
from lineage.freshness.checks import checks_of
from lineage.nodes.authority import authority_of
from lineage.pages.notices import notice_of, notices_on
from lineage.pages.words import GRADE_ORDER
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page

# The others are on a page of their own.
LATEST_LOOKS: Final = 5


@object_page
def source(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """A source: bibliographic head, versions in time, notices, acquisitions; `?page=` of its versions."""
    page = source_page(viewer, uid, number_of(request.GET.get("page", "")))
    context = {
        "page": page,
        "on_record": () if page.hidden else notices_on(viewer, [uid]),
        "concerns": None if page.hidden else notice_of(viewer, uid),
        "authority": 0 if page.hidden else authority_of(viewer, uid),
        "checks": None if page.hidden else checks_of(viewer, uid, limit=LATEST_LOOKS),
        "grades": GRADE_ORDER,
        "signals": signals_told(page.acquisitions),
        "section": "sources",
    }
    return render_page(request, "sources/source.html", context)
