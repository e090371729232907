"""`/answers/UID`: the answer with its claims, markers and evidence."""

from django.http import HttpRequest, HttpResponse

from citations.answer import MOST_OPEN, AnswerPage, Opened, answer_page
from citations.answer_rights import answer_rights
from citations.pages.moved import moved
from citations.pages.reading import reading
from lineage.pages.notices import notices_on
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page


@object_page
def answer(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?open=CITATION_UID` shows that card opened, `?expand=all` all of them (for print).

    Of a long answer as many as one page can bear, from `&from=NUMBER` on.
    """
    opened = Opened(
        named=frozenset(request.GET.getlist("open")[:MOST_OPEN]),
        first=_first(request.GET.get("from", "")) if request.GET.get("expand") == "all" else None,
    )
    page = answer_page(viewer, uid, opened)
    laid_out = reading(page, opened)
    context = {
        "page": page,
        "reading": laid_out,
        "moved": moved(page.cards),
        "rights": answer_rights(viewer, page),
        "on_record": [each for each in notices_on(viewer, _sources(page)) if not each.in_effect],
        "section": "answers",
    }
    return render_page(request, "answers/answer.html", context)


def _first(number: str) -> int:
    """The place of the first card to open, from 0; what is no number of a card opens the first."""
    return max(0, int(number[:6]) - 1) if number.isascii() and number.isdecimal() else 0


def _sources(page: AnswerPage) -> list[str | None]:
    """The sources that the answer rests on by what it cites or had in context."""
    cited = [card.source_uid for card in page.cards if not card.hidden]
    given = [passage.source_uid for passage in page.rail.in_context if not passage.hidden]
    return cited + given
