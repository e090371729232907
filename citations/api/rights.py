"""Rights over the API: licences of an answer's sources, and attribution to take along."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from citations.answer import Opened, answer_page
from citations.answer_rights import AnswerRights, UnderLicence, answer_rights
from citations.card import citation_card
from citations.exports.attribution import attributed_source, attributed_works, attributions_json
from citations.exports.works import cited_works
from citations.source import source_page
from lineage.api.access import Needs, problems, viewer_of
from provexplorer.workspaces.audit.recording import record

router = Router(tags=["rights"], auth=Needs("read"))


class AttributionOut(Schema):
    """One sentence that gives credit, in three forms; `missing`: title, creator or licence not stated."""

    text: str
    html: str
    markdown: str
    missing: list[str]


class Attributions(Schema):
    items: list[AttributionOut]


class UsedSource(Schema):
    """A source that the answer cites, or had in context without citing it."""

    source: str | None
    source_version: str
    title: str | None
    cited: bool


class LicenceUsed(Schema):
    """The sources under one licence.

    `license` as stated, `spdx` its normal form, null where it means no identifier of the SPDX list;
    `asks` is complete only where `assessed`.
    """

    license: str | None
    spdx: str | None
    name: str | None
    url: str | None
    family: str
    asks: list[str]
    assessed: bool
    sources: list[UsedSource]


class Conflict(Schema):
    """Two entries of `licenses`, by their places, whose texts may not go into one adaptation."""

    first: int
    second: int
    clash: str


class Rights(Schema):
    """Advice by our reading of the licences, and no legal advice."""

    licenses: list[LicenceUsed]
    asks: list[str]
    conflicts: list[Conflict]
    unclear: int
    hidden: int
    left_out: int


@router.get(
    "/answers/{uid}/rights",
    response=Rights,
    operation_id="get_answer_rights",
    summary="The licences of an answer's sources, what they ask and which conflict",
    openapi_extra=problems(404, 410),
)
def get_answer_rights(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Of sources that the viewer may not see, only their number is told."""
    viewer = viewer_of(request)
    return _rights(answer_rights(viewer, answer_page(viewer, uid, Opened())))


@router.get(
    "/answers/{uid}/attribution",
    response=Attributions,
    operation_id="get_answer_attribution",
    summary="Attribution of every source that an answer cites",
    openapi_extra=problems(404, 410),
)
def get_answer_attribution(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Each work once, in the order of the first marker; what is hidden is not among them."""
    viewer = viewer_of(request)
    page = answer_page(viewer, uid, Opened())
    record("export.made", viewer, object_uid=uid, code="attribution_json")
    return attributions_json(attributed_works(cited_works(page.cards).works))


@router.get(
    "/citations/{uid}/attribution",
    response=Attributions,
    operation_id="get_citation_attribution",
    summary="Attribution of a citation's source",
    openapi_extra=problems(404, 410),
)
def get_citation_attribution(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Empty where no source stands behind the citation, or none that may be told."""
    viewer = viewer_of(request)
    card = citation_card(viewer, uid)
    record("export.made", viewer, object_uid=uid, code="attribution_json")
    return attributions_json(attributed_works(cited_works([card]).works))


@router.get(
    "/sources/{uid}/attribution",
    response=Attributions,
    operation_id="get_source_attribution",
    summary="Attribution of a source's newest version",
    openapi_extra=problems(404, 410),
)
def get_source_attribution(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Empty for a source that is hidden."""
    viewer = viewer_of(request)
    page = source_page(viewer, uid)
    record("export.made", viewer, object_uid=uid, code="attribution_json")
    return attributions_json(attributed_source(page))


def _rights(found: AnswerRights) -> dict[str, Any]:
    places = {id(group): at for at, group in enumerate(found.groups)}
    return {
        "licenses": [_under(group) for group in found.groups],
        "asks": list(found.asks),
        "conflicts": [
            {"first": places[id(c.first)], "second": places[id(c.second)], "clash": c.clash}
            for c in found.conflicts
        ],
        "unclear": found.unclear,
        "hidden": found.hidden,
        "left_out": found.beyond,
    }


def _under(group: UnderLicence) -> dict[str, Any]:
    licence = group.licence
    return {
        "license": licence and (licence.expression or licence.as_stated),
        "spdx": licence and licence.spdx,
        "name": licence and licence.name,
        "url": licence and licence.url,
        "family": group.family,
        "asks": list(licence.asks) if licence else [],
        "assessed": bool(licence and licence.assessed),
        "sources": [
            {
                "source": used.source_uid,
                "source_version": used.version_uid,
                "title": used.title,
                "cited": used.cited,
            }
            for used in group.works
        ],
    }
