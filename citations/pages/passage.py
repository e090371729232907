"""`/passages/UID`: the text of a passage in its place, of a document, or all that the model was given."""

from django.http import HttpRequest, HttpResponse

from citations.reader import passage_page
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page


@object_page
def passage(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?start=` is the character at which the page of a document begins."""
    given = request.GET.get("start", "")
    start = int(given) if given.isascii() and given.isdigit() and len(given) <= 9 else 0
    context = {"page": passage_page(viewer, uid, start)}
    return render_page(request, "passages/passage.html", context)
