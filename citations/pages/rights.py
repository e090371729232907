"""Attribution to take along: of a citation's source, of a source, of all sources of an answer."""

from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from citations.answer import Opened, answer_page
from citations.card import citation_card
from citations.exports.attribution import (
    Attribution,
    attributed_source,
    attributed_works,
    attributions_html,
    attributions_json,
    attributions_markdown,
    attributions_text,
)
from citations.exports.works import cited_works
from citations.shared_markers import labels_of
from citations.source import source_page
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.pages import object_page

_FILES = ("txt", "md", "json")
_PARTIALS = {"copied": "exports/_copied.html"}


@object_page
def answer_attribution(
    request: HttpRequest, viewer: Viewer, uid: str, form: str = ""
) -> HttpResponse:
    """`/answers/UID/attribution`, `.txt`, `.md` and `.json`: each cited work once, in the order of the markers."""
    page = answer_page(viewer, uid, Opened())
    cited = cited_works(page.cards)
    labels = labels_of(page.paragraphs, page.cards)
    context = {"answer": page, "labels": labels, "unnamed": cited.unnamed}
    return _told(request, viewer, uid, attributed_works(cited.works), form, context)


@object_page
def citation_attribution(
    request: HttpRequest, viewer: Viewer, uid: str, form: str = ""
) -> HttpResponse:
    """`/citations/UID/attribution`, `.txt`, `.md` and `.json`: the source of one citation."""
    card = citation_card(viewer, uid)
    cited = cited_works([card])
    context = {"card": card, "unnamed": cited.unnamed}
    return _told(request, viewer, uid, attributed_works(cited.works), form, context)


@object_page
def source_attribution(
    request: HttpRequest, viewer: Viewer, uid: str, form: str = ""
) -> HttpResponse:
    """`/sources/UID/attribution`, `.txt`, `.md` and `.json`: the newest version of a source."""
    page = source_page(viewer, uid)
    return _told(request, viewer, uid, attributed_source(page), form, {"source": page})


def _told(
    request: HttpRequest,
    viewer: Viewer,
    uid: str,
    some: Sequence[Attribution],
    form: str,
    context: Mapping[str, object],
) -> HttpResponse:
    if form in _FILES:
        record("export.made", viewer, object_uid=uid, code=f"attribution_{form}")
    if form == "md":
        return HttpResponse(
            attributions_markdown(some), content_type="text/markdown; charset=utf-8"
        )
    if form == "txt":
        return HttpResponse(attributions_text(some), content_type="text/plain; charset=utf-8")
    if form == "json":
        return JsonResponse(attributions_json(some))
    if form:
        raise Http404
    html = attributions_html(some)
    forms = (
        ("text", attributions_text(some)), ("markdown", attributions_markdown(some)), ("html", html),
    )  # fmt: skip
    return render_page(
        request,
        "rights/attribution.html",
        {
            **context,
            "attributions": some,
            "forms": forms if some else (),
            "copied": html,
            "section": "sources" if "source" in context else "answers",
        },
        partials=_PARTIALS,
    )
