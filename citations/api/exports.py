"""Exports: references, the answer to paste elsewhere, and its capsule."""

from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from citations.answer import Opened, answer_page
from citations.card import citation_card
from citations.exports.capsule import capsule
from citations.exports.fragment import copied
from citations.exports.references import reference_file
from citations.exports.styled import references
from citations.exports.works import Work, cited_works
from lineage.api.access import Needs, problems, viewer_of
from provexplorer.workspaces.audit.recording import record

router = Router(tags=["exports"], auth=Needs("read"))

Style = Literal["apa", "chicago", "ieee", "abnt"]
Form = Annotated[
    Literal["csl", "bibtex", "ris", "apa", "chicago", "ieee", "abnt"],
    Query(description="A format for reference managers, or a style: then plain text."),
]
_ENDINGS = {"csl": "json", "bibtex": "bib", "ris": "ris"}
_FILES = {
    "responses": {
        200: {
            "description": "The references.",
            "content": {
                media_type: {"schema": {"type": "string"}}
                for media_type in (
                    "application/vnd.citationstyles.csl+json", "application/x-bibtex",
                    "application/x-research-info-systems", "text/plain",
                )
            },
        }
    }
}  # fmt: skip


@router.get(
    "/answers/{uid}/references",
    operation_id="get_answer_references",
    summary="The sources of an answer, for reference managers or in a style",
    openapi_extra={"responses": problems(404, 410, 422)["responses"] | _FILES["responses"]},
)
def get_answer_references(
    request: HttpRequest,
    uid: str,
    format: Form = "csl",  # noqa: A002 - the word of the API
) -> HttpResponse:
    """Each work once, in the order of the first marker; what is hidden is not among them."""
    page = answer_page(viewer_of(request), uid, Opened())
    return _written(request, uid, cited_works(page.cards).works, format)


@router.get(
    "/citations/{uid}/reference",
    operation_id="get_citation_reference",
    summary="The source of a citation, for reference managers or in a style",
    openapi_extra={"responses": problems(404, 410, 422)["responses"] | _FILES["responses"]},
)
def get_citation_reference(
    request: HttpRequest,
    uid: str,
    format: Form = "csl",  # noqa: A002 - the word of the API
) -> HttpResponse:
    """Empty where no source stands behind the citation, or none that may be told."""
    card = citation_card(viewer_of(request), uid)
    return _written(request, uid, cited_works([card]).works, format)


@router.get(
    "/answers/{uid}/copy",
    operation_id="get_answer_copy",
    summary="An answer to paste elsewhere, its citations kept",
    openapi_extra={
        "responses": problems(404, 410, 422)["responses"]
        | {
            200: {
                "description": "The answer with its references.",
                "content": {
                    media_type: {"schema": {"type": "string"}}
                    for media_type in ("text/html", "text/markdown")
                },
            }
        }
    },
)
def get_answer_copy(
    request: HttpRequest,
    uid: str,
    format: Literal["html", "markdown"] = "html",  # noqa: A002 - the word of the API
    style: Style = "apa",
) -> HttpResponse:
    """Markers as printed, each a link to its citation; the references follow in the style."""
    page = answer_page(viewer_of(request), uid, Opened())
    found = copied(page, style, base=_base(request))
    record("export.made", viewer_of(request), object_uid=uid, code=format)
    if format == "markdown":
        return HttpResponse(found.markdown, content_type="text/markdown; charset=utf-8")
    return HttpResponse(found.html)


@router.get(
    "/answers/{uid}/capsule",
    operation_id="get_answer_capsule",
    summary="An answer as one signed HTML file",
    openapi_extra={
        "responses": problems(404, 410, 503)["responses"]
        | {
            200: {
                "description": "The capsule, to be checked with `provexplorer verify`.",
                "content": {"text/html": {"schema": {"type": "string"}}},
            }
        }
    },
)
def get_answer_capsule(request: HttpRequest, uid: str) -> HttpResponse:
    """Redacted for whoever asks: it holds what the answer's page shows, and says what it leaves out."""
    return HttpResponse(
        capsule(viewer_of(request), uid, base=_base(request)),
        headers={"Content-Disposition": f'attachment; filename="{uid}.html"'},
    )


def _written(request: HttpRequest, uid: str, works: tuple[Work, ...], form: str) -> HttpResponse:
    record("export.made", viewer_of(request), object_uid=uid, code=form)
    if form in _ENDINGS:
        file = reference_file(_ENDINGS[form], works)
        return HttpResponse(file.content, content_type=file.media_type)
    lines = [
        " — ".join(filter(None, (each.text, "; ".join(each.remarks))))
        for each in references(works, form)
    ]
    text = "".join(f"{' '.join(line.split())}\n" for line in lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _base(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")
