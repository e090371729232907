"""`/answers/UID`: the answer with its claims, markers and evidence."""

from django.http import HttpRequest, HttpResponse

from citations.answer import AnswerPage, answer_page
from citations.pages.reading import reading
from lineage.pages.notices import notices_on
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
    context = {
        "page": page,
        "reading": laid_out,
        "on_record": [each for each in notices_on(viewer, _sources(page)) if not each.in_effect],
        "section": "answers",
    }
    return render_page(request, "answers/answer.html", context)


def _sources(page: AnswerPage) -> list[str | None]:
    """The sources that the answer rests on by what it cites or had in context."""
    cited = [card.source_uid for card in page.cards if not card.hidden]
    given = [passage.source_uid for passage in page.rail.in_context if not passage.hidden]
    return cited + given
