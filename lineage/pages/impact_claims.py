"""`/impact/claims`: the claims that cite what a question asks about, and which keep an independent source."""

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse

from lineage.impact.independent import citing_claims
from lineage.impact.numbers import numbers_of
from lineage.impact.question_values import QuestionInvalid
from lineage.nodes.paging import CursorInvalid
from lineage.pages.impact_links import asked_on_page, links_of
from lineage.pages.impact_page import found_for
from lineage.pages.names import name_of, nodes_of
from lineage.pages.question_words import told
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page

PAGE_SIZE: Final = 30


@dataclass(frozen=True, slots=True)
class ClaimShown:
    """A claim and its answer by their words, as far as the viewer may see them."""

    claim: str
    answer: str
    question: str
    kept: bool


@member_page
def page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The question of the address; `?kept=1`: only claims that keep an independent source; `?cursor=`."""
    kept = request.GET.get("kept") == "1"
    try:
        question = asked_on_page(request)
        if not question.names_something:
            return _anew(request)
        found = found_for(viewer, question)
        listed = citing_claims(
            found, kept=kept, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None
        )
    except (QuestionInvalid, CursorInvalid):
        return _anew(request)
    items, following = listed or ((), None)
    named = nodes_of(viewer, {uid for each in items for uid in (each.uid, each.answer)})
    names = {uid: name_of(view) for uid, view in named.items()}
    links = links_of(viewer, question)
    context = {
        "parts": told(viewer, question),
        "claims": numbers_of(found).claims,
        "items": [
            ClaimShown(
                names.get(each.uid, each.uid),
                each.answer,
                names.get(each.answer, each.answer),
                each.kept,
            )
            for each in items
        ],
        "kept": kept,
        "too_many": listed is None,
        "next": links.claims(kept=kept, cursor=following) if following else "",
        "links": links,
        "section": "impact",
    }
    return render_page(request, "impact/claims.html", context)


def _anew(request: HttpRequest) -> HttpResponse:
    return render_page(request, "400.html", {"again": "/impact/"}, status=400)
