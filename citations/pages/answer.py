"""`/answers/UID`: the answer with its claims, markers and evidence."""

from django.http import HttpRequest, HttpResponse

from citations.answer import answer_page
from citations.pages.reading import reading
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page


@object_page
def answer(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?open=CITATION_UID` shows that card opened, `?expand=all` all of them (for print)."""
    page = answer_page(viewer, uid)
    laid_out = reading(
        page,
        opened=frozenset(request.GET.getlist("open")[:50]),
        all_open=request.GET.get("expand") == "all",
    )
    context = {"page": page, "reading": laid_out, "section": "answers"}
    return render_page(request, "answers/answer.html", context)
