"""`/citations/UID`: the card as a page of its own; the same card alone where htmx opens it in place."""

from django.http import HttpRequest, HttpResponse

from citations.card import citation_card
from citations.since import since
from lineage.pages.notices import notices_on
from lineage.types import Viewer
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.pages import object_page

PARTIALS = {"card": "components/card.html"}


@object_page
def citation(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The citation card; as a page also with what has become of the passage since."""
    card = citation_card(viewer, uid)
    in_place = partial_of(request, PARTIALS) is not None
    sources = [] if card.hidden else [card.source_uid]
    context = {
        "card": card,
        "on_record": [each for each in notices_on(viewer, sources) if not each.in_effect],
        "in_place": in_place,
        "since": None if in_place else since(viewer, card),
        "section": "answers",
    }
    return render_page(request, "citations/citation.html", context, partials=PARTIALS)
