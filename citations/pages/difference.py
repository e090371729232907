"""What changed: between two versions of a source, between two answers, and since a passage was cited."""

from django.http import HttpRequest, HttpResponse

from citations.answer_difference import answer_difference
from citations.card import citation_card
from citations.since import since
from citations.source_difference import source_difference
from citations.text_difference import text_difference
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page


def number_of(given: str) -> int:
    """The number of a page from 1; 1 for what is none."""
    return max(1, int(given[:6])) if given.isascii() and given.isdecimal() else 1


@object_page
def of_source(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?from=` and `?to=` are versions of the source, `&around=` a passage of one of them."""
    found = source_difference(
        viewer,
        uid,
        old=request.GET.get("from", ""),
        new=request.GET.get("to", ""),
        passage=request.GET.get("around", ""),
        page=number_of(request.GET.get("page", "")),
    )
    return render_page(request, "differences/source.html", {"seen": found, "section": "sources"})


@object_page
def of_answer(request: HttpRequest, viewer: Viewer, uid: str, earlier: str) -> HttpResponse:
    """What an answer says that an earlier version of it did not."""
    page = number_of(request.GET.get("page", ""))
    found = answer_difference(viewer, uid, earlier, page)
    return render_page(request, "differences/answer.html", {"seen": found, "section": "answers"})


@object_page
def of_citation(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The cited passage as retrieved, now, and the difference; the part alone in a card."""
    card = citation_card(viewer, uid)
    context = {"card": card, "since": since(viewer, card), "section": "answers"}
    partials = {f"since-{uid}": "citations/_since.html"}
    return render_page(request, "differences/citation.html", context, partials=partials)


@object_page
def of_texts(request: HttpRequest, viewer: Viewer, uid: str, earlier: str) -> HttpResponse:
    """What a document, chunk, part or answer says that another of its kind did not."""
    found = text_difference(viewer, uid, earlier, number_of(request.GET.get("page", "")))
    return render_page(request, "differences/text.html", {"seen": found})
