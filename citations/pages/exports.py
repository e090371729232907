"""Exports of an answer or a citation: to copy, to cite, to keep, to print."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from citations.answer import AnswerPage, Opened, answer_page
from citations.card import citation_card
from citations.exports.capsule import capsule
from citations.exports.fragment import copied
from citations.exports.printed import printed_answer
from citations.exports.references import FILES, ReferenceFile, reference_file
from citations.exports.signing import key_set, own_fingerprint
from citations.exports.styled import DEFAULT_STYLE, MOST_STYLED, STYLES, references
from citations.exports.works import Cited, cited_works
from citations.pages.reading import reading
from citations.shared_markers import labels_of
from lineage.types import GraphAway, Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.pages import object_page


@object_page
def copy(request: HttpRequest, viewer: Viewer, uid: str, form: str) -> HttpResponse:
    """`/answers/UID/copy.html` and `.md`: the answer to paste elsewhere; `?style=` of its references.

    Opened in a browser, the HTML stands in a page of this site, to be selected and copied by hand.
    """
    page = answer_page(viewer, uid, Opened())
    found = copied(page, _style(request), base=_base(request))
    record("export.made", viewer, object_uid=page.uid, code=form)
    if form == "md":
        return HttpResponse(found.markdown, content_type="text/markdown; charset=utf-8")
    context = {"page": page, "copied": found.html, "section": "answers"}
    return render_page(
        request, "exports/copy.html", context, partials={"copied": "exports/_copied.html"}
    )


@object_page
def answer_references(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`/answers/UID/references`: its sources in a style, and every export of it."""
    page = answer_page(viewer, uid, Opened())
    labels = labels_of(page.paragraphs, page.cards)
    context = {"answer": page, "labels": labels, "fingerprint": own_fingerprint()}
    return _references(request, cited_works(page.cards), context)


@object_page
def citation_reference(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`/citations/UID/reference`: the source of one citation in a style."""
    card = citation_card(viewer, uid)
    return _references(request, cited_works([card]), {"card": card, "labels": {}})


@object_page
def answer_file(_request: HttpRequest, viewer: Viewer, uid: str, form: str) -> HttpResponse:
    """`/answers/UID/references.json`, `.bib`, `.ris`."""
    page = answer_page(viewer, uid, Opened())
    return _download(viewer, reference_file(_form(form), cited_works(page.cards).works), uid)


@object_page
def citation_file(_request: HttpRequest, viewer: Viewer, uid: str, form: str) -> HttpResponse:
    """`/citations/UID/reference.json`, `.bib`, `.ris`."""
    return _download(
        viewer, reference_file(_form(form), cited_works([citation_card(viewer, uid)]).works), uid
    )


@object_page
def answer_capsule(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`/answers/UID/capsule`: the answer as one signed file."""
    try:
        content = capsule(viewer, uid, base=_base(request))
    except GraphAway:
        response = render_page(request, "503.html", {}, status=503)
        response["Retry-After"] = "10"
        return response
    return _attachment(content, "text/html; charset=utf-8", f"{uid}.html")


@object_page
def printed(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`/answers/UID/print`: everything expanded; of more than 60 citations from `?from=NUMBER` on."""
    given = request.GET.get("from", "")
    known = given.isascii() and given.isdecimal() and len(given) < 7
    found = printed_answer(viewer, uid, int(given) - 1 if known else 0)
    context = {
        "printed": found,
        "page": found.page,
        "reading": reading(found.page),
        "on_record": found.on_record,
        "here": found.here,
        "base": _base(request),
        "left_out": found.left_out,
        "section": "answers",
    }
    record("export.made", viewer, object_uid=found.page.uid, code="print")
    return render_page(request, "exports/print.html", context)


@require_safe
def keys(_request: HttpRequest) -> HttpResponse:
    """`/.well-known/provexplorer-capsule-keys.json`: the public key of capsules, as a JWK Set."""
    response = JsonResponse(key_set(), content_type="application/jwk-set+json")
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


def _references(
    request: HttpRequest, cited: Cited, context: Mapping[str, AnswerPage | object]
) -> HttpResponse:
    style = _style(request)
    return render_page(
        request,
        "exports/references.html",
        {
            **context,
            "cited": cited,
            "references": references(cited.works, style),
            "style": style,
            "styles": {code: name for code, (_, name) in STYLES.items()},
            "files": FILES,
            "most_styled": MOST_STYLED,
            "section": "answers",
        },
    )


def _style(request: HttpRequest) -> str:
    """The style asked for; the usual one instead of what is none."""
    given = request.GET.get("style", "")
    return given if given in STYLES else DEFAULT_STYLE


def _form(ending: str) -> str:
    if ending not in FILES:
        raise Http404
    return ending


def _base(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def _download(viewer: Viewer, file: ReferenceFile, uid: str) -> HttpResponse:
    record("export.made", viewer, object_uid=uid, code=file.ending)
    return _attachment(file.content, file.media_type, f"{uid}.{file.ending}")


def _attachment(content: bytes, media_type: str, name: str) -> HttpResponse:
    """A file to keep; no browser shows it as a page of this site."""
    return HttpResponse(
        content,
        content_type=media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
