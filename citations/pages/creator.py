"""`/creators/UID` and its answers: who made what, what rests on it, and whether they are credited."""

from django.http import HttpRequest, HttpResponse

from citations.creator import creator_page
from citations.creator_answers import creator_answers
from citations.credit import CREDITS
from lineage.nodes.paging import CursorInvalid
from lineage.pages.words import GRADE_ORDER
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page


@object_page
def creator(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """A person or organisation: `?role=` and `?cursor=` of the works."""
    role = request.GET.get("role", "")
    try:
        page = creator_page(viewer, uid, role=role, cursor=request.GET.get("cursor") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "page": page,
        "role": role if role in page.works_by_role else "",
        "grades": GRADE_ORDER,
        "section": "sources",
    }
    return render_page(
        request, "creators/creator.html", context, partials={"works": "creators/_works.html"}
    )


@object_page
def answers(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The answers that rest on their works: `?credit=`, `?work=` (of one), `?cursor=`."""
    credit, work = request.GET.get("credit", ""), request.GET.get("work", "")
    cursor = request.GET.get("cursor") or None
    try:
        page = creator_answers(viewer, uid, credit=credit, work=work, cursor=cursor)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "page": page,
        "credit": credit if credit in CREDITS else "",
        "credits": CREDITS,
        "section": "sources",
    }
    return render_page(
        request, "creators/answers.html", context, partials={"list": "creators/_answers.html"}
    )
